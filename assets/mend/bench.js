// Two lists of lines, the function and those that are left: a hand drags them, or the keyboard moves them.
import { indented, lastLevel, levelAt, moved, pieces, placeAt, placeOf, put, same, without } from "./order.js";

/**
 * What Python says: `code` of every line, `pool` in which order they are mixed, the `order` that stands, the number of
 * the last one that was `heard`, and the line that is `marked`, if one is.
 * @typedef {{puzzle: string, header: string, code: string[], pool: number[], order: import("./order.js").Placed[],
 *   heard: number, marked: number | null, words: Record<string, string>}} MendMessage
 */
/** @typedef {(name: string, value: unknown) => void} TellMend */

const STEP = 24; // pixels of a level, as in mend.css
const STILL = 5; // pixels that a hand may move in a click

export class Bench {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @param {string} selector @returns {HTMLElement} */
    this.find = (selector) => root.querySelector(selector);
    this.program = this.find(".mend-program ol");
    this.pool = this.find(".mend-pool ol");
    /** @type {import("./order.js").Placed[]} */
    this.order = [];
    /** The order while a line is dragged. @type {import("./order.js").Placed[] | null} */
    this.draft = null;
    /** @type {{line: number, id: number, x: number, y: number, offset: number} | null} */
    this.grabbed = null;
    this.dropped = false;
    /** @type {HTMLElement[]} */
    this.items = [];
    /** @type {MendMessage} */
    this.data = undefined;
    /** @type {number | undefined} */
    this.sent = undefined;
    /** @type {TellMend} */
    this.tell = () => {};
    root.addEventListener("pointerdown", (event) => this.grab(event));
    root.addEventListener("pointermove", (event) => this.drag(event));
    root.addEventListener("pointerup", (event) => this.drop(event));
    root.addEventListener("pointercancel", () => this.release());
    root.addEventListener("click", (event) => this.click(event));
    root.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {MendMessage} data @param {TellMend} tell */
  receive(data, tell) {
    const other = this.data?.puzzle !== data.puzzle;
    this.tell = tell;
    this.data = data;
    this.sent ??= data.heard;
    if (other) this.make();
    // What comes with an answer that is still on its way to the server is older than the hand.
    if (other || data.heard === this.sent) this.order = data.order;
    this.name();
    this.lay();
  }

  /** The lines of a puzzle, each once: they move between the lists. */
  make() {
    this.release();
    for (const item of this.items) item.remove();
    this.items = this.data.code.map((code, line) => {
      const item = document.createElement("li");
      const button = document.createElement("div"); // a line on paper, too, where there is nothing to press
      const grip = document.createElement("span");
      const text = document.createElement("code");
      item.dataset.line = String(line);
      button.role = "button";
      button.tabIndex = 0;
      button.className = "mend-line";
      grip.className = "mend-grip";
      grip.ariaHidden = "true";
      text.translate = false;
      text.append(...spelled(code));
      button.append(grip, text);
      item.append(button, this.step(-1), this.step(1));
      return item;
    });
  }

  /** A small button that indents a line less or more, for a finger. @param {-1 | 1} by */
  step(by) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "mend-step";
    button.dataset.by = String(by);
    button.tabIndex = -1; // the keyboard has its arrows
    button.textContent = by < 0 ? "⇤" : "⇥";
    return button;
  }

  name() {
    const { words, header } = this.data;
    this.find(".mend-header").replaceChildren(...spelled(header));
    this.find(".mend-empty").textContent = words.empty;
    this.find(".mend-hint").textContent = words.hint;
    for (const [side, list] of /** @type {const} */ ([["program", this.program], ["pool", this.pool]])) {
      this.find(`.mend-${side} .mend-name`).textContent = words[side];
      list.ariaLabel = words[side];
    }
    for (const item of this.items)
      for (const button of item.querySelectorAll(".mend-step"))
        button.ariaLabel = words[/** @type {HTMLElement} */ (button).dataset.by === "1" ? "more" : "less"];
  }

  /** Put every line where it belongs now. What has the focus keeps it. */
  lay() {
    const { pool, code, marked } = this.data;
    const order = this.draft ?? this.order;
    const focused = this.root.contains(document.activeElement) ? document.activeElement : null;
    fill(this.program, order.map(([line]) => this.items[line]));
    fill(this.pool, pool.filter((line) => placeOf(order, line) < 0).map((line) => this.items[line]));
    this.items.forEach((item, line) => {
      const at = placeOf(order, line);
      item.style.setProperty("--level", String(at < 0 ? 0 : order[at][1]));
      item.toggleAttribute("data-marked", line === marked);
      item.toggleAttribute("data-held", this.draft !== null && line === this.grabbed?.line);
      lineIn(item).ariaLabel = at < 0 ? code[line] : `${this.told("line", line)} ${code[line]}`;
    });
    this.root.toggleAttribute("data-empty", order.length === 0);
    if (focused !== document.activeElement) /** @type {HTMLElement} */ (focused)?.focus({ preventScroll: true });
  }

  /** A sentence about a line, with its place and level. @param {string} word @param {number} line */
  told(word, line) {
    const order = this.draft ?? this.order;
    const at = placeOf(order, line);
    return this.data.words[word]
      .replace("{line}", String(at + 1))
      .replace("{level}", String(order[at]?.[1] ?? 0));
  }

  /** The order is another one now: show it, say it, tell it. @param {import("./order.js").Placed[]} order @param {number} line */
  become(order, line) {
    const news = !same(order, this.order);
    this.order = order;
    this.draft = null;
    this.lay();
    if (!news) return;
    this.find(".mend-said").textContent = this.told(placeOf(order, line) < 0 ? "out" : "at", line);
    this.sent += 1;
    this.tell("order", { puzzle: this.data.puzzle, number: this.sent, lines: order });
  }

  /** In at the end, or out. @param {number} line */
  turn(line) {
    const { order } = this;
    const isIn = placeOf(order, line) >= 0;
    this.become(isIn ? without(order, line) : put(order, line, order.length, lastLevel(order, this.data.code)), line);
  }

  /** @param {MouseEvent} event */
  click(event) {
    const target = /** @type {Element} */ (event.target);
    const line = lineOf(target);
    const step = /** @type {HTMLElement | null} */ (target.closest(".mend-step"));
    if (line === null || (this.dropped && event.detail)) return;
    if (step) this.become(indented(this.order, line, Number(step.dataset.by)), line);
    else if (target.closest(".mend-line")) this.turn(line);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { key } = event;
    const target = /** @type {Element} */ (event.target);
    this.dropped = false;
    if (key === "Escape" && this.grabbed) this.release();
    const way = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1 }[key];
    const turns = key === "Enter" || key === " ";
    if (!(way || turns) || !target.matches(".mend-line") || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const line = lineOf(target);
    if (turns) {
      this.turn(line);
      return;
    }
    const upright = key === "ArrowUp" || key === "ArrowDown";
    if (placeOf(this.order, line) >= 0) {
      this.become(upright ? moved(this.order, line, way) : indented(this.order, line, way), line);
    } else if (upright) {
      const item = this.items[line];
      const next = way < 0 ? item.previousElementSibling : item.nextElementSibling;
      if (next) lineIn(next).focus();
    }
  }

  /** @param {PointerEvent} event */
  grab(event) {
    this.dropped = false;
    const button = /** @type {Element} */ (event.target).closest(".mend-line");
    if (!button || event.button || this.grabbed) return;
    const offset = event.clientX - button.getBoundingClientRect().left;
    this.grabbed = { line: lineOf(button), id: event.pointerId, x: event.clientX, y: event.clientY, offset };
  }

  /** @param {PointerEvent} event */
  drag({ pointerId, clientX, clientY }) {
    const held = this.grabbed;
    if (held?.id !== pointerId) return;
    if (!this.draft) {
      if (Math.hypot(clientX - held.x, clientY - held.y) < STILL) return;
      this.root.setPointerCapture(pointerId); // the lines move under the hand
    }
    const { left, right, top, bottom } = this.find(".mend-program").getBoundingClientRect();
    const inside = clientX > left && clientX < right && clientY > top && clientY < bottom;
    const others = [...this.program.children].filter((item) => item !== this.items[held.line]);
    const middles = others.map((item) => {
      const box = item.getBoundingClientRect();
      return (box.top + box.bottom) / 2;
    });
    const level = levelAt(clientX - held.offset - this.program.getBoundingClientRect().left, STEP);
    this.draft = inside ? put(this.order, held.line, placeAt(clientY, middles), level) : without(this.order, held.line);
    this.lay();
  }

  /** @param {PointerEvent} event */
  drop({ pointerId }) {
    const { grabbed, draft } = this;
    if (grabbed?.id !== pointerId) return;
    this.grabbed = null;
    this.dropped = draft !== null;
    if (draft) this.become(draft, grabbed.line);
  }

  /** Nothing is held any longer; what was is back where it was. */
  release() {
    this.grabbed = null;
    if (!this.draft) return;
    this.draft = null;
    this.lay();
  }
}

/** The line that a part of the bench belongs to. @param {Element} part */
function lineOf(part) {
  const item = /** @type {HTMLElement | null} */ (part.closest("[data-line]"));
  return item && Number(item.dataset.line);
}

/** @param {Element} item @returns {HTMLElement} */
const lineIn = (item) => item.querySelector(".mend-line");

/** The children of a list, in this order; those that stand there already are not touched. @param {HTMLElement} list @param {HTMLElement[]} items */
function fill(list, items) {
  items.forEach((item, at) => {
    if (list.children[at] !== item) list.insertBefore(item, list.children[at] ?? null);
  });
}

/** Python with its keywords set off. @param {string} code */
function spelled(code) {
  return pieces(code).map((piece, at) => {
    if (at % 2 === 0) return document.createTextNode(piece);
    const keyword = document.createElement("b");
    keyword.textContent = piece;
    return keyword;
  });
}
