// A sheet: axes, a handle for each point, what is drawn, and in the end what is true. A hand draws, or the keys.
import { short } from "../matrix/numbers.js";
import { FULL, lifted, same, shared, stroked } from "./levels.js";
import { Plot } from "./plot.js";

/**
 * What Python says: what is `drawn` (null: nothing yet), the `blank` that a drawing begins with and what was drawn
 * `first`, in levels; the `truth` where it is told; the `names` of the points as they are spoken, `labels` or `marks`
 * below them, and the number of the last drawing that was `heard`.
 * @typedef {{sheet: string, shape: "bars" | "stems" | "line", shared: boolean, percent: boolean, alt: string,
 *   names: string[], labels: import("./plot.js").Label[], marks: import("./plot.js").Mark[], grid: import("./plot.js").Mark[],
 *   x: string, y: string, low: number, high: number, blank: number[], drawn: number[] | null, truth: number[] | null,
 *   first: number[] | null, heard: number, words: Record<string, string>}} SheetMessage
 */
/** @typedef {(name: string, value: unknown) => void} TellSheet */

const QUIET = 300; // ms without a key, after which what the keys have drawn is told
const STEP = 20; // levels of an arrow key
const LEAP = 100; // of Page Up and Page Down
const DIGITS = 3;

export class Sheet {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.plot = new Plot(root.querySelector(".draw-plot"));
    /** @type {number[]} */
    this.levels = [];
    this.blank = true;
    this.at = 0; // the point that has the keys
    /** What a hand holds: the pointer, and where it was last. @type {{id: number, last: import("./levels.js").Touch} | null} */
    this.held = null;
    this.moved = false; // since it was told
    /** @type {SheetMessage} */
    this.data = undefined;
    /** @type {number | undefined} */
    this.sent = undefined;
    this.timer = 0;
    /** @type {TellSheet} */
    this.tell = () => {};
    const { svg } = this.plot;
    svg.addEventListener("pointerdown", (event) => this.grab(event));
    svg.addEventListener("pointermove", (event) => this.drag(event));
    svg.addEventListener("pointerup", (event) => this.drop(event));
    svg.addEventListener("pointercancel", (event) => this.drop(event));
    svg.addEventListener("pointerleave", () => this.say(this.at));
    svg.addEventListener("keydown", (event) => this.key(event));
    svg.addEventListener("focusin", (event) => this.come(/** @type {Element} */ (event.target)));
    svg.addEventListener("focusout", () => this.send());
    this.watch = new ResizeObserver(() => this.data && this.plot.widen() && this.lay());
    this.watch.observe(root);
  }

  leave() {
    this.send();
    this.watch.disconnect();
  }

  /** @param {SheetMessage} data @param {TellSheet} tell */
  receive(data, tell) {
    const other = this.data?.sheet !== data.sheet;
    this.tell = tell;
    this.data = data;
    this.sent ??= data.heard;
    if (other) {
      this.held = null;
      this.moved = false;
      this.at = 0;
    }
    // What comes with an answer that is still on its way to the server is older than the hand.
    if (other || (data.heard === this.sent && !this.moved)) {
      this.levels = data.drawn ?? data.blank;
      this.blank = !data.drawn;
    }
    this.plot.make(data);
    this.name();
    this.lay();
  }

  name() {
    const { words, alt, truth, first } = this.data;
    this.root.ariaLabel = alt;
    this.root.querySelector(".draw-hint").textContent = words.hint;
    const shown = { drawn: "draw-key-drawn", ...(truth && { truth: "draw-key-truth" }), ...(first && { first: "draw-key-first" }) };
    const items = Object.entries(shown).map(([which, seen]) => {
      const item = document.createElement("li");
      item.className = seen;
      item.textContent = words[which];
      return item;
    });
    this.root.querySelector(".draw-legend").replaceChildren(...items);
  }

  /** Everything where it belongs now, and what each handle says of itself. */
  lay() {
    const { data, levels } = this;
    this.root.toggleAttribute("data-blank", this.blank);
    this.root.toggleAttribute("data-moved", this.moved || this.held !== null || data.heard !== this.sent);
    const truth = data.truth?.map((value) => (FULL * (value - data.low)) / (data.high - data.low));
    this.plot.lay(data, { first: data.first, drawn: levels, truth });
    this.plot.handles.forEach((handle, at) => {
      handle.tabIndex = at === this.at ? 0 : -1;
      handle.setAttribute("aria-valuenow", String(levels[at]));
      handle.setAttribute("aria-valuetext", this.told(at));
    });
    this.say(this.at);
  }

  /** @param {number} value */
  written(value) {
    return this.data.percent ? `${Math.round(value * 1000) / 10}%` : short(value, DIGITS);
  }

  /** What stands at a point: the drawing, and the truth where it is told of this very drawing. @param {number} at */
  told(at) {
    const { truth, words, low, high } = this.data;
    const drawn = this.written(low + ((high - low) * this.levels[at]) / FULL);
    if (!truth || this.moved) return drawn;
    return words.both.replace("{drawn}", drawn).replace("{truth}", this.written(truth[at]));
  }

  /** @param {number} at */
  say(at) {
    this.root.querySelector(".draw-now").textContent = `${this.data.names[at]}: ${this.told(at)}`;
  }

  /** @param {Element} target */
  come(target) {
    const at = this.plot.handles.indexOf(/** @type {SVGElement} */ (target));
    if (at < 0) return;
    this.at = at;
    this.plot.handles.forEach((handle, one) => {
      handle.tabIndex = one === at ? 0 : -1;
    });
    this.say(at);
  }

  /** The drawing is another one now. @param {number[]} levels */
  become(levels) {
    this.moved ||= this.blank || !same(levels, this.levels);
    if (this.moved) this.blank = false;
    this.levels = levels;
    this.lay();
  }

  /** Let the server know, once for all that was drawn since the last time. */
  send() {
    clearTimeout(this.timer);
    if (!this.moved || this.held) return;
    this.moved = false;
    this.sent += 1;
    this.root.toggleAttribute("data-moved", true); // until it is answered
    this.tell("drawn", { sheet: this.data.sheet, number: this.sent, levels: this.levels });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { key } = event;
    const last = this.levels.length - 1;
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: last }[key];
    const by = { ArrowUp: STEP, ArrowDown: -STEP, PageUp: LEAP, PageDown: -LEAP }[key];
    if ((to ?? by) === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (by === undefined) {
      this.plot.handles[Math.min(Math.max(to, 0), last)].focus({ preventScroll: true });
      return;
    }
    const put = this.data.shared ? shared : lifted;
    this.become(put(this.levels, this.at, this.levels[this.at] + by));
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.send(), QUIET);
  }

  /** @param {PointerEvent} event */
  grab(event) {
    if (event.button || this.held) return;
    const touch = this.plot.touched(event);
    this.held = { id: event.pointerId, last: touch };
    this.plot.svg.setPointerCapture(event.pointerId);
    event.preventDefault();
    this.plot.handles[touch[0]].focus({ preventScroll: true });
    this.become(stroked(this.levels, touch, touch, this.data.shared));
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const touch = this.plot.touched(event);
    if (!this.held) {
      this.say(touch[0]);
      return;
    }
    if (this.held.id !== event.pointerId) return;
    const { last } = this.held;
    this.held.last = touch;
    [this.at] = touch;
    this.become(stroked(this.levels, last, touch, this.data.shared));
  }

  /** @param {PointerEvent} event */
  drop({ pointerId }) {
    if (this.held?.id !== pointerId) return;
    this.held = null;
    this.plot.handles[this.at].focus({ preventScroll: true });
    this.send();
  }
}
