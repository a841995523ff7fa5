// A board of matrices on two canvases: the base shows the numbers, the lights show what the pointer and the keys change.
// The server sends the numbers, the cell it knows as chosen, and the number of the last choice it has heard of. A choice
// made here is drawn at once; an answer that has not heard of it yet cannot undo it.

import { Layout } from "./layout.js";
import { Legend } from "./legend.js";
import { Lights } from "./lights.js";
import { Look } from "./look.js";
import { Matrices } from "./matrices.js";
import { Motion } from "./motion.js";
import { Palette } from "./palette.js";
import { followPaper, leavePaper, onPaper } from "./paper.js";
import { Picture } from "./picture.js";
import { at, covers, neighbour, same } from "./places.js";
import { Player } from "./player.js";
import { Sight } from "./sight.js";
import { Words } from "./words.js";
import { atWork } from "./work.js";

/** @import { BoardMessage, DrawnMessage } from "./payload.d.ts" */
/** @import { Block, BoardCanvas, Cell, Label, Moment, Panel, Point } from "./types.d.ts" */
/** @typedef {(name: string, value: unknown) => void} Tell what Streamlit hears */

const KEYS_PAUSE = 150; // ms; a held arrow key is one report
/** @type {Record<string, [down: number, right: number]>} */
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
/** With Shift: where the labels of a cell's row and column stand. @type {Record<string, "row" | "column">} */
const BESIDE = { ArrowLeft: "row", ArrowUp: "column" };

/** @type {WeakMap<Element, Board>} */
const boards = new WeakMap();

/** @param {{data: [string, BoardMessage], parentElement: HTMLElement, setStateValue: Tell, setTriggerValue: Tell}} component */
export default function ({ data: [drawn, data], parentElement, setStateValue, setTriggerValue }) {
  /** @type {HTMLElement} */
  const root = parentElement.querySelector(".matrix");
  if (!boards.has(root)) boards.set(root, new Board(root));
  const board = boards.get(root);
  board.receive(drawn, data, setStateValue, setTriggerValue);
  return () => board.release();
}

/** Has the numbers, and knows what is chosen and pointed at; the parts show it. */
class Board {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.base = /** @type {BoardCanvas} */ (root.querySelector(".matrix-base"));
    this.look = new Look(root, this.base.getContext("2d"));
    const palette = new Palette(this.look);
    this.legend = new Legend(this.look, palette);
    this.layout = new Layout(this.look, (panel) => this.legend.width(panel));
    this.picture = new Picture(this.base, this.look, palette, this.layout, this.legend);
    this.lights = new Lights(root.querySelector(".matrix-lights"), this.base, this.look, this.layout);
    this.words = new Words(root, this.look);
    this.sight = new Sight(root, this.words);
    this.motion = new Motion(this.picture);
    this.player = new Player(root, () => this.fill());
    this.drawn = ""; // the matrices of the last message
    this.revealed = ""; // the panel at work, once it is on screen
    this.matrices = new Matrices({ panels: [], operands: [] });
    /** @type {BoardMessage | null} */
    this.data = null;
    /** @type {DrawnMessage["colors"] | null} */
    this.colors = null;
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
    this.choice = 0; // the number of the newest choice made here
    this.stale = false;
    this.frame = 0;
    this.waiting = 0;
    Object.assign(this.base, {
      play: () => this.player.start(),
      show: (/** @type {number} */ part) => this.player.show(part),
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
    this.repaint = () => {
      if (onPaper()) this.player.pause();
      this.paint();
    };
    document.fonts.addEventListener("loadingdone", this.repaint);
    followPaper(this.repaint);
    this.scrolled = () => this.sight.settle();
    document.addEventListener("scroll", this.scrolled, { capture: true, passive: true });
    this.left = (/** @type {KeyboardEvent} */ event) => this.leave(event);
    document.addEventListener("keydown", this.left);
    this.observer = new ResizeObserver(() => (this.look.stale ? this.paint() : this.sight.settle()));
    const around = [".stMain", ".stMainBlockContainer"].map((part) => this.root.closest(part));
    for (const part of [this.root, ...around]) if (part) this.observer.observe(part);
  }

  release() {
    this.observer.disconnect();
    document.fonts.removeEventListener("loadingdone", this.repaint);
    leavePaper(this.repaint);
    document.removeEventListener("scroll", this.scrolled, { capture: true });
    document.removeEventListener("keydown", this.left);
    this.motion.stop();
    this.player.pause();
    this.player.clock.release();
    clearTimeout(this.waiting);
    boards.delete(this.root);
  }

  /** @param {string} drawn a DrawnMessage @param {BoardMessage} data @param {Tell} setState @param {Tell} setTrigger */
  receive(drawn, data, setState, setTrigger) {
    Object.assign(this, { data, setState, setTrigger });
    const other = drawn !== this.drawn;
    if (other) {
      /** @type {DrawnMessage} */
      const message = JSON.parse(drawn);
      this.colors = message.colors;
      this.matrices = new Matrices(message);
      this.sight.about = []; // until it is painted
    }
    this.drawn = drawn;
    if (!this.choice || data.heard === this.choice) {
      const [panel, row, col] = data.chosen ?? [];
      this.chosen = data.chosen && { panel, row, col };
    }
    const { words } = data;
    this.legend.words = words;
    this.words.receive(this.matrices, words);
    const { made } = this.matrices;
    const label = [data.alt, words.keys, this.words.labelled && words.labels, made && words.play_keys].filter(Boolean).join(" ");
    this.base.setAttribute("aria-label", label);
    this.player.receive(this.matrices, words);
    if (other || !this.motion.gliding) this.paint(other);
    else this.paintLights();
    if (this.base === document.activeElement) this.speak();
  }

  /** @param {boolean} gliding from what is seen now */
  paint(gliding = false) {
    if (!this.data || !this.root.clientWidth) return;
    const { panels } = this.matrices;
    this.look.read(this.colors);
    this.layout.arrange(panels);
    this.picture.forget();
    this.motion.to(panels, gliding && !this.player.clock.still && !onPaper() && !document.hidden);
    this.fill();
  }

  /** The cell that counts as chosen: of a board that has become smaller none may be left. */
  get held() {
    return this.matrices.has(this.chosen) ? this.chosen : null;
  }

  /** Where a play is; paper shows all. @returns {Moment | null} */
  get moment() {
    return onPaper() ? null : this.player.moment;
  }

  /** As much of the board as the player has come to. */
  fill() {
    const { player, matrices, motion, moment } = this;
    motion.fill(matrices.panels, player.known, moment, moment ? atWork(matrices, moment).value : 0);
    this.base.dataset.filled = moment ? `${moment.panel} ${moment.filled}` : "";
    if (!moment) {
      player.say("");
      this.revealed = "";
    }
    this.paintLights();
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
    const { matrices, words, player } = this;
    const under = this.under();
    const { moment } = this;
    if (moment && (player.playing || !under)) return this.paintMoment(moment);
    const hovered = under && "row" in under ? under : null;
    const chosen = this.held;
    const own = chosen ? matrices.operands(chosen) : [];
    const other = Boolean(hovered) && !same(hovered, chosen);
    const operand = other && own.some((block) => covers(block, hovered));
    const over = other && !operand;
    const shown = operand ? chosen : hovered ?? chosen;
    const theirs = shown === chosen ? own : matrices.operands(hovered);
    this.sight.look(matrices, shown ? [shown, ...theirs, chosen ?? shown] : []);
    const terms = matrices.has(this.term) ? [this.term] : [];
    this.lights.paint(matrices, { chosen, own, hovered, operand, terms, ahead: true });
    this.base.dataset.chosen = chosen ? `${chosen.panel} ${chosen.row},${chosen.col}` : "";
    this.base.style.cursor = under ? "pointer" : "default";
    words.say(hovered ?? chosen);
    words.work(shown, Boolean(chosen), !this.data.quiet || Boolean(hovered));
    words.pin.hold(Boolean(hovered), over);
    words.shine(operand ? hovered : null);
  }

  /** The cell at work and what it is made of; the sum stands off their panels. @param {Moment} moment */
  paintMoment(moment) {
    const { matrices, words, player } = this;
    const { cell, begun, value, last } = atWork(matrices, moment);
    const own = matrices.operands(cell);
    const panels = new Set([cell, ...own].map(({ panel }) => panel));
    this.sight.look(matrices, [...panels].map((key) => whole(matrices.panel(key))));
    this.lights.paint(matrices, { chosen: cell, own, hovered: null, operand: false, terms: last, ahead: false });
    words.say(cell, value);
    words.work(cell, Boolean(this.held), true, begun, moment.terms);
    words.pin.hold(true, true);
    player.say(words.told(cell));
    if (player.playing && moment.panel !== this.revealed) this.sight.reveal();
    this.revealed = moment.panel;
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

  /** By a key, to hear its sum; what is chosen already stays so. @param {Cell} cell */
  take(cell) {
    this.words.aloud = cell;
    if (same(cell, this.chosen)) this.paintLights();
    else this.choose(cell);
  }

  /** @param {Cell | null} cell */
  choose(cell, pause = 0) {
    this.player.end();
    this.chosen = cell;
    this.cursor = cell ?? this.cursor;
    this.choice = Math.max(Date.now(), this.choice + 1);
    this.words.pin.rest();
    this.paintLights();
    if (this.held) this.sight.reveal();
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
    else if (event.key === "Escape" ? !this.undo() : !this.player.key(event)) return;
    event.preventDefault();
    event.stopPropagation(); // the arrows of a lecture
    this.speak();
  }

  /** What is done last is undone first: a play, then the choice of a cell; false where there is neither. */
  undo() {
    if (this.player.open) this.player.end();
    else if (this.held) this.choose(null);
    else return false;
    return true;
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

  /** @param {KeyboardEvent} event */
  leave({ key, target, defaultPrevented }) {
    const own = target === document.body || this.root.contains(/** @type {Node} */ (target));
    if (key === "Escape" && !defaultPrevented && own && this.words.pin.seen()) this.undo();
  }

  /** @param {string} key @param {number} rows @param {number} cols */
  inWindow(key, rows, cols, right = 0, down = 0) {
    const { left, top } = this.base.getBoundingClientRect();
    const panel = this.matrices.panel(key);
    return { x: left + panel.x + cols * panel.cw + right, y: top + panel.y + rows * panel.ch + down };
  }
}

/** All cells of a panel. @param {Panel} panel @returns {Block} */
function whole({ key, rows, cols }) {
  return { panel: key, row: 0, lastRow: rows - 1, col: 0, lastCol: cols - 1 };
}

/** @param {MouseEvent} event @returns {Point} */
function place(event) {
  return { x: event.offsetX, y: event.offsetY };
}
