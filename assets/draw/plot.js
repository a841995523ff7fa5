// Where things stand on a sheet: its axes, a handle for each point, and the lines or bars in levels.
import { FULL, within } from "./levels.js";

/** @typedef {[at: number, text: string]} Mark a number beside an axis: at a point, or at a value */
/** @typedef {{text: string, gloss: string}} Label */

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 260; // px from the bottom of the sheet to its top, where it is not a part of the screen
const LETTER = 7; // px of a letter beside an axis; a Chinese character has two
const LINE = 18; // px of a line of letters
const RADIUS = 5;
const RIGHT = 14;
const LEAST = 240;

/** @param {string} name @param {Record<string, string | number>} attributes @returns {SVGElement} */
function part(name, attributes = {}) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  return made;
}

/** @param {string} text */
const wide = (text) => LETTER * [...text].reduce((sum, letter) => sum + (letter > "\u2e80" ? 2 : 1), 0);

/** A place for each kind of part, from the back to the front, and its class. */
const LAYERS = {
  axes: "draw-axes",
  first: "draw-first",
  drawn: "draw-drawn",
  truth: "draw-truth",
  handles: "draw-handles",
};

export class Plot {
  /** @param {SVGSVGElement} svg */
  constructor(svg) {
    this.svg = svg;
    this.width = 0;
    /** @type {Record<string, SVGElement>} */
    this.layers = {};
    for (const [name, seen] of Object.entries(LAYERS)) {
      this.layers[name] = part("g", { class: seen });
      svg.append(this.layers[name]);
    }
    /** @type {SVGElement[]} */
    this.handles = [];
    this.sheet = "";
  }

  /** Whether the width is another one. */
  widen() {
    const width = Math.max(LEAST, Math.round(this.svg.parentElement.clientWidth));
    const news = width !== this.width;
    this.width = width;
    return news;
  }

  /** The handles of a sheet, each once: they keep the keys while the drawing moves. @param {import("./sheet.js").SheetMessage} data */
  make(data) {
    this.widen();
    if (this.sheet !== data.sheet || this.handles.length !== data.names.length) {
      this.sheet = data.sheet;
      this.handles = data.names.map(() => {
        const handle = part("g", {
          role: "slider",
          class: "draw-handle",
          "aria-orientation": "vertical",
          "aria-valuemin": 0,
          "aria-valuemax": FULL,
        });
        handle.append(part("circle", { r: 11, class: "draw-focus" }), part("circle", { r: RADIUS }));
        return handle;
      });
      this.layers.handles.replaceChildren(...this.handles);
    }
    data.names.forEach((name, at) => this.handles[at].setAttribute("aria-label", name));
  }

  /** @param {import("./sheet.js").SheetMessage} data @param {{first: number[], drawn: number[], truth: number[]}} lines */
  lay(data, lines) {
    this.measure(data);
    const { width, bottom, below } = this;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${bottom + below}`);
    this.layers.axes.replaceChildren(...this.axes(data));
    for (const [name, line] of Object.entries(lines))
      this.layers[name].replaceChildren(...(line ? this.drawn(data.shape, line, name) : []));
    this.handles.forEach((handle, at) => {
      handle.setAttribute("transform", `translate(${this.x(at)} ${this.y(lines.drawn[at])})`);
    });
  }

  /** @param {import("./sheet.js").SheetMessage} data */
  measure({ shape, grid, labels, names, low, high }) {
    this.count = names.length;
    this.bars = shape !== "line";
    this.left = 14 + Math.max(...grid.map(([, text]) => wide(text)));
    this.top = 2 * LINE - 4; // below the name of the axis
    /** @param {number} value */
    this.level = (value) => (FULL * (value - low)) / (high - low);
    this.base = Math.max(this.level(0), 0);
    const slot = (this.width - this.left - RIGHT) / this.count;
    const longest = Math.max(0, ...labels.map(({ text, gloss }) => Math.max(wide(text), wide(gloss))));
    this.slanted = longest > slot - 4;
    const rows = labels.some(({ gloss }) => gloss) && !this.slanted ? 2 : 1;
    const slant = Math.max(0, ...labels.map(({ text, gloss }) => wide(gloss ? `${text} ${gloss}` : text))) * 0.8 + 12;
    this.below = (labels.length ? (this.slanted ? slant : rows * LINE) : LINE) + LINE + 10;
    const part = parseFloat(getComputedStyle(this.svg).getPropertyValue("--board-share")); // of the screen
    this.height = part ? (part * innerHeight) / this.svg.currentCSSZoom - this.top - this.below : HEIGHT;
    this.bottom = this.top + this.height;
  }

  /** @param {number} at */
  x(at) {
    const room = this.width - this.left - RIGHT;
    return this.left + (this.bars ? ((at + 0.5) * room) / this.count : (at * room) / Math.max(1, this.count - 1));
  }

  /** @param {number} level */
  y(level) {
    return this.bottom - (this.height * level) / FULL;
  }

  /** The point under a hand, and the level at which it is. @param {PointerEvent} event @returns {import("./levels.js").Touch} */
  touched({ clientX, clientY }) {
    const box = this.svg.getBoundingClientRect();
    const scale = this.width / box.width;
    const [x, y] = [(clientX - box.left) * scale - this.left, (clientY - box.top) * scale];
    const room = this.width - this.left - RIGHT;
    const at = this.bars ? Math.floor((x / room) * this.count) : Math.round((x / room) * (this.count - 1));
    return [Math.min(Math.max(at, 0), this.count - 1), within(((this.bottom - y) / this.height) * FULL)];
  }

  /** @param {import("./sheet.js").SheetMessage} data */
  axes({ grid, marks, labels, x, y }) {
    const end = this.width - RIGHT;
    const made = [part("text", { x: 4, y: LINE - 4, class: "draw-title" })];
    made[0].textContent = y;
    for (const [value, text] of grid) {
      const at = this.y(this.level(value));
      const rule = part("line", { x1: this.left, x2: end, y1: at, y2: at, class: "draw-rule" });
      const number = part("text", { x: this.left - 8, y: at + 4, "text-anchor": "end" });
      if (value === 0) rule.classList.add("draw-zero");
      number.textContent = text;
      made.push(rule, number);
    }
    for (const [at, text] of marks) {
      const number = part("text", { x: this.x(at), y: this.bottom + LINE, "text-anchor": "middle" });
      const tick = part("line", { x1: this.x(at), x2: this.x(at), y1: this.bottom, y2: this.bottom + 4, class: "draw-rule" });
      number.textContent = text;
      made.push(tick, number);
    }
    labels.forEach((label, at) => made.push(...this.label(label, at)));
    const title = part("text", { x: (this.left + end) / 2, y: this.bottom + this.below - 6, "text-anchor": "middle", class: "draw-title" });
    title.textContent = x;
    return [...made, title];
  }

  /** The word below a bar, and what it means; slanted, in one line, where it is too narrow. @param {Label} label @param {number} at */
  label({ text, gloss }, at) {
    const [x, y] = [this.x(at), this.bottom + LINE];
    const place = this.slanted
      ? { transform: `translate(${x + 4} ${y - 4}) rotate(-55)`, "text-anchor": "end" }
      : { x, y, "text-anchor": "middle" };
    const word = part("text", { class: "draw-word", ...place });
    const name = part("tspan");
    name.textContent = text;
    word.append(name);
    if (gloss) {
      const meaning = part("tspan", { class: "draw-gloss", ...(this.slanted ? {} : { x, dy: LINE - 2 }) });
      meaning.textContent = this.slanted ? ` ${gloss}` : gloss;
      word.append(meaning);
    }
    return [word];
  }

  /** @param {string} shape @param {number[]} levels @param {string} name */
  drawn(shape, levels, name) {
    const points = levels.map((level, at) => [this.x(at), this.y(level)]);
    if (shape === "line") return [part("polyline", { points: points.map((point) => point.join()).join(" ") })];
    const slot = (this.width - this.left - RIGHT) / this.count;
    const share = { drawn: 0.7, truth: 0.3, first: 0.7 }[name];
    const from = this.y(this.base);
    return points.map(([x, y]) => {
      const place = { x: x - (slot * share) / 2, width: slot * share, y: Math.min(y, from), height: Math.abs(y - from) };
      return part("rect", place);
    });
  }
}
