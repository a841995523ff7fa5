// A board of matrices on two canvases: the base shows the numbers, the lights show what the pointer and the keys change.
// The server sends the numbers, the cell it knows as chosen, and the number of the last choice it has heard of. A choice
// made here is drawn at once; an answer that has not heard of it yet cannot undo it.

import { Layout } from "./layout.js";
import { Legend } from "./legend.js";
import { Lights } from "./lights.js";
import { Look } from "./look.js";
import { Matrices } from "./matrices.js";
import { Palette } from "./palette.js";
import { followPaper, leavePaper } from "./paper.js";
import { Picture } from "./picture.js";
import { at, box, covers, neighbour, same } from "./places.js";
import { Words } from "./words.js";

/** @import { BoardMessage } from "./payload.d.ts" */
/** @import { Cell, Label, Point } from "./types.d.ts" */
/** @typedef {(name: string, value: unknown) => void} Tell what Streamlit hears */

const KEYS_PAUSE = 150; // ms; a held arrow key is one report
/** @type {Record<string, [down: number, right: number]>} */
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
/** With Shift: where the labels of a cell's row and column stand. @type {Record<string, "row" | "column">} */
const BESIDE = { ArrowLeft: "row", ArrowUp: "column" };

/** @type {WeakMap<Element, Board>} */
const boards = new WeakMap();

/** @param {{data: [BoardMessage], parentElement: HTMLElement, setStateValue: Tell, setTriggerValue: Tell}} component */
export default function ({ data: [data], parentElement, setStateValue, setTriggerValue }) {
  /** @type {HTMLElement} */
  const root = parentElement.querySelector(".matrix");
  if (!boards.has(root)) boards.set(root, new Board(root));
  const board = boards.get(root);
  board.receive(data, setStateValue, setTriggerValue);
  return () => board.release();
}

/** Has the numbers, and knows what is chosen and pointed at; the parts show it. */
class Board {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.base = /** @type {HTMLCanvasElement} */ (root.querySelector(".matrix-base"));
    this.mark = /** @type {HTMLElement} */ (root.querySelector(".matrix-mark")); // lies where the chosen cell is painted
    this.look = new Look(root, this.base.getContext("2d"));
    const palette = new Palette(this.look);
    this.legend = new Legend(this.look, palette);
    this.layout = new Layout(this.look, (panel) => this.legend.width(panel));
    this.picture = new Picture(this.base, this.look, palette, this.layout, this.legend);
    this.lights = new Lights(root.querySelector(".matrix-lights"), this.base, this.look, this.layout);
    this.words = new Words(root, this.look);
    this.matrices = new Matrices({ panels: [], operands: [] });
    /** @type {BoardMessage | null} */
    this.data = null;
    /** @type {Tell} */
    this.setState = this.setTrigger = () => {};
    /** @type {Cell | null} */
    this.chosen = null;
    /** @type {Cell | null} */
    this.cursor = null; // the last chosen cell, where the keys continue
    /** @type {Cell | null} */
    this.term = null; // the operand whose number in the sum is pointed at
    /** @type {Point | null} */
    this.pointer = null; // on the board, while the mouse is over it
    /** @type {Cell | null} */
    this.shown = null; // what the words are about
    this.choice = 0; // the number of the newest choice made here
    this.stale = false;
    this.frame = 0;
    this.waiting = 0;
    // Browser tests ask the canvas where to point, in pixels of the window.
    Object.assign(this.base, {
      cellCentre: (/** @type {string} */ key, /** @type {number} */ row, /** @type {number} */ col) =>
        this.inWindow(key, row + 0.5, col + 0.5),
      labelCentre: (/** @type {string} */ key, /** @type {string} */ axis, /** @type {number} */ index) =>
        axis === "row" ? this.inWindow(key, index + 0.5, 0, -14, 0) : this.inWindow(key, 0, index + 0.5, 0, -12),
    });
    this.listen();
  }

  listen() {
    const { base } = this;
    base.addEventListener("pointermove", (event) => event.pointerType !== "touch" && this.point(place(event)));
    base.addEventListener("pointerleave", () => this.point(null));
    base.addEventListener("click", (event) => this.press(at(this.matrices.panels, place(event))));
    base.addEventListener("keydown", (event) => this.key(event));
    this.words.listen({ pointed: (cell) => this.pointTerm(cell), more: () => this.unfold() });
    this.repaint = () => this.paint();
    document.fonts.addEventListener("loadingdone", this.repaint);
    followPaper(this.repaint);
    this.scrolled = () => this.settle();
    document.addEventListener("scroll", this.scrolled, { capture: true, passive: true });
    this.left = (/** @type {KeyboardEvent} */ event) => this.leave(event);
    document.addEventListener("keydown", this.left);
    this.observer = new ResizeObserver(() => (this.look.stale ? this.paint() : this.settle()));
    const around = [".stMain", ".stMainBlockContainer"].map((part) => this.root.closest(part));
    for (const part of [this.root, ...around]) if (part) this.observer.observe(part);
  }

  release() {
    this.observer.disconnect();
    document.fonts.removeEventListener("loadingdone", this.repaint);
    leavePaper(this.repaint);
    document.removeEventListener("scroll", this.scrolled, { capture: true });
    document.removeEventListener("keydown", this.left);
    clearTimeout(this.waiting);
    boards.delete(this.root);
  }

  /** @param {BoardMessage} data @param {Tell} setState @param {Tell} setTrigger */
  receive(data, setState, setTrigger) {
    Object.assign(this, { data, setState, setTrigger });
    this.matrices = new Matrices(data);
    if (!this.choice || data.heard === this.choice) {
      const [panel, row, col] = data.chosen ?? [];
      this.chosen = data.chosen && { panel, row, col };
    }
    const { words } = data;
    this.legend.words = words;
    this.words.receive(this.matrices, words);
    const label = [data.alt, words.keys, this.words.labelled && words.labels].filter(Boolean).join(" ");
    this.base.setAttribute("aria-label", label);
    this.paint();
    if (this.base === document.activeElement) this.speak();
  }

  paint() {
    if (!this.data || !this.root.clientWidth) return;
    const { panels } = this.matrices;
    this.look.read(this.data.colors);
    this.layout.arrange(panels);
    this.picture.paint(panels);
    this.paintLights();
  }

  /** The cell that counts as chosen: of a board that has become smaller none may be left. */
  get held() {
    return this.matrices.has(this.chosen) ? this.chosen : null;
  }

  // -------------------------------------------------------------- lights

  /**
   * At once, and again with the next frame if the pointer has moved on: the browser tells of a move just before it paints.
   * @param {Point | null} pointer
   */
  point(pointer) {
    this.pointer = pointer;
    this.stale = true;
    if (this.frame) return;
    const paint = () => {
      this.frame = this.stale ? requestAnimationFrame(paint) : 0;
      if (this.stale) this.paintLights();
      this.stale = false;
    };
    paint();
  }

  paintLights() {
    const { matrices, words } = this;
    const under = this.under();
    const hovered = under && "row" in under ? under : null;
    const chosen = this.held;
    const own = chosen ? matrices.operands(chosen) : [];
    const other = Boolean(hovered) && !same(hovered, chosen);
    const operand = other && own.some((block) => covers(block, hovered));
    const over = other && !operand;
    const shown = (this.shown = operand ? chosen : hovered ?? chosen);
    words.pin.lookAround(this.spans(shown, shown === chosen ? own : matrices.operands(hovered)));
    const term = matrices.has(this.term) ? this.term : null;
    this.lights.paint(matrices, { chosen, own, hovered, operand, term });
    this.base.style.cursor = under ? "pointer" : "default";
    words.say(hovered ?? chosen);
    words.work(shown, Boolean(chosen), !this.data.quiet || Boolean(hovered));
    words.pin.hold(Boolean(hovered), over);
    words.shine(operand ? hovered : null);
  }

  /**
   * Where on the screen the cells are that a sum is about: its own, what it was computed from, and the chosen one.
   * @param {Cell | null} cell @param {import("./types.d.ts").Block[]} operands
   */
  spans(cell, operands) {
    if (!cell) return [];
    const { top } = this.base.getBoundingClientRect();
    return [cell, ...operands, this.held ?? cell].map((block) => {
      const [, y, , height] = box(this.matrices.panel(block.panel), block);
      return { top: top + y, bottom: top + y + height };
    });
  }

  /** What the pointer is over. */
  under() {
    return this.pointer && at(this.matrices.panels, this.pointer);
  }

  /** A number in the sum under the pointer lights its cell. @param {Cell | null} cell */
  pointTerm(cell) {
    this.term = cell;
    this.paintLights();
    this.words.shine(cell);
  }

  unfold() {
    this.words.unfolded = this.chosen ?? this.cursor;
    this.paintLights();
  }

  speak() {
    this.words.speak(this.held);
  }

  // -------------------------------------------------------------- choosing

  /** @param {Cell | Label | null} target */
  press(target) {
    if (!target) return;
    if ("axis" in target) this.setTrigger("label", target);
    else this.choose(same(target, this.chosen) ? null : target);
  }

  /** By a key; what is chosen already stays so. @param {Cell} cell */
  take(cell) {
    if (same(cell, this.chosen)) this.paintLights();
    else this.choose(cell);
  }

  /** @param {Cell | null} cell */
  choose(cell, pause = 0) {
    this.chosen = cell;
    this.cursor = cell ?? this.cursor;
    this.choice = Math.max(Date.now(), this.choice + 1);
    this.words.pin.rest();
    this.paintLights();
    this.reveal();
    clearTimeout(this.waiting);
    const report = () =>
      this.setState("chosen", { cell: cell && [cell.panel, cell.row, cell.col], number: this.choice });
    if (pause) this.waiting = setTimeout(report, pause);
    else report();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const under = this.under();
    this.pointer = null; // the keys have taken over
    const chosen = this.held;
    const { panels } = this.matrices;
    const first = { panel: panels[0].key, row: 0, col: 0 };
    const cursor = chosen ?? (this.matrices.has(this.cursor) ? this.cursor : null);
    const label = cursor && event.shiftKey ? this.labelOf(cursor, BESIDE[event.key]) : null;
    const step = STEPS[event.key];
    if (label) this.press(label);
    else if (step) this.choose(cursor ? neighbour(panels, cursor, ...step) : first, KEYS_PAUSE);
    else if (event.key === "Enter" || event.key === " ") this.take(under && "row" in under ? under : cursor ?? first);
    else if (event.key === "Escape" && chosen) this.choose(null);
    else return;
    event.preventDefault();
    event.stopPropagation(); // the arrows of a lecture
    this.speak();
  }

  /**
   * The label of a cell's row or column, where it can be pressed.
   * @param {Cell} cell @param {"row" | "column"} axis @returns {Label | null}
   */
  labelOf({ panel: key, row, col }, axis) {
    const { label_events, labels } = this.matrices.panel(key);
    if (!label_events || !labels[axis]?.length) return null;
    return { panel: key, axis, index: axis === "row" ? row : col };
  }

  /** The chosen cell is on screen, beside its sum, and where there is room what it was computed from. */
  reveal() {
    const { held, matrices, words } = this;
    if (!held) return;
    const tall = words.working.offsetHeight;
    const boxes = [held, ...matrices.operands(held)].map((block) => box(matrices.panel(block.panel), block));
    const [[x, y, width, height]] = boxes;
    const first = Math.min(...boxes.map(([, top]) => top));
    const last = Math.max(...boxes.map(([, top, , high]) => top + high));
    const [top, high] = words.pin.together(tall) ? [first, last - first] : [y, height];
    this.mark.style.cssText = `left: ${x}px; top: ${top}px; width: ${width}px; height: ${high}px`;
    this.mark.style.scrollMarginBottom = `${tall + 4}px`;
    this.mark.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.settle();
  }

  /** The page has moved: what the sum must not cover is elsewhere. */
  settle() {
    const { pin } = this.words;
    if (!this.held && !pin.hand) return;
    pin.lookAround(this.spans(this.shown, this.shown ? this.matrices.operands(this.shown) : []));
    pin.place(this.words.working.offsetHeight);
  }

  /** @param {KeyboardEvent} event */
  leave({ key, target, defaultPrevented }) {
    const own = target === document.body || this.root.contains(/** @type {Node} */ (target));
    if (key !== "Escape" || defaultPrevented || !own || !this.held || !this.words.pin.seen()) return;
    this.choose(null);
  }

  /** @param {string} key @param {number} rows @param {number} cols */
  inWindow(key, rows, cols, right = 0, down = 0) {
    const { left, top } = this.base.getBoundingClientRect();
    const panel = this.matrices.panel(key);
    return { x: left + panel.x + cols * panel.cw + right, y: top + panel.y + rows * panel.ch + down };
  }
}

/** @param {MouseEvent} event @returns {Point} */
function place(event) {
  return { x: event.offsetX, y: event.offsetY };
}
