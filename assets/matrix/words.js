// What stands under the board about a cell: its place and number in words, its formula, its sum with the numbers.

import { formulaOf } from "./formula.js";
import { indexed, mathematics, maths, row, sign } from "./mathematics.js";
import { lineNode } from "./nodes.js";
import { written } from "./numbers.js";
import { Pin } from "./pin.js";
import { same } from "./places.js";
import { lineSoFar, linesOf } from "./sums.js";

/** @import { Cell, Formula, Panel } from "./types.d.ts" */
/** @import { Look } from "./look.js" */
/** @import { Matrices } from "./matrices.js" */

export class Words {
  /** @param {HTMLElement} root @param {Look} look */
  constructor(root, look) {
    this.look = look;
    /** @param {string} part @returns {HTMLElement} */
    const find = (part) => root.querySelector(`.matrix-${part}`);
    this.readout = find("readout");
    this.spoken = find("spoken");
    this.working = find("working");
    this.formula = find("formula");
    this.sum = find("sum");
    this.pin = new Pin(root, this.working);
    /** @type {Cell | null} */
    this.unfolded = null; // the cell whose sum shows all its terms
    /** @type {Cell | null} */
    this.aloud = null; // the cell whose sum is spoken as well
    /** @type {string | null} */
    this.says = null; // what the working area says now
    /** @type {Record<string, string>} */
    this.words = {};
  }

  /** Of another message. @param {Matrices} matrices @param {Record<string, string>} words */
  receive(matrices, words) {
    this.matrices = matrices;
    this.words = words;
    this.labelled = matrices.panels.some((panel) => panel.label_events);
    this.says = null;
  }

  /**
   * Tells of number in the sum that is pointed at, and of the button for all its terms.
   * @param {{pointed: (cell: Cell | null) => void, more: () => void}} hear
   */
  listen({ pointed, more }) {
    this.sum.addEventListener("pointerover", ({ target }) => pointed(cellOf(/** @type {Element} */ (target))));
    this.sum.addEventListener("pointerleave", () => pointed(null));
    this.sum.addEventListener("click", ({ target }) => /** @type {Element} */ (target).closest(".matrix-more") && more());
  }

  /** @param {Cell | null} cell @param {number} [value] its number so far */
  say(cell, value) {
    const { title, color, text } = cell ? this.described(cell, value) : { title: "", color: "", text: this.hint() };
    const name = document.createElement("strong");
    name.style.color = color;
    name.textContent = title;
    this.readout.replaceChildren(name, title ? ` ${text}` : text);
    this.readout.style.color = cell ? this.look.colors.text : this.look.colors.quiet;
  }

  /**
   * The formula of a cell and, if asked for, its sum.
   * @param {Cell | null} cell @param {boolean} kept @param {boolean} summed
   * @param {Formula | null} begun the formula with so many terms of its sum alone
   */
  work(cell, kept, summed, begun = null, terms = 0) {
    const { matrices } = this;
    if (!matrices.made) return;
    const panel = cell && matrices.panel(cell.panel);
    const made = cell && formulaOf(panel, cell.row, cell.col);
    const all = Boolean(cell) && same(cell, this.unfolded);
    const says = made ? [cell.panel, cell.row, cell.col, all, summed, terms, this.look.mode].join(" ") : `${Boolean(cell)}`;
    this.working.toggleAttribute("data-kept", kept);
    if (kept) this.working.tabIndex = 0; // it may be too tall for its place: the arrows move it
    else this.working.removeAttribute("tabindex");
    if (says === this.says) return;
    this.says = says;
    if (!made) {
      this.formula.replaceChildren();
      this.sum.replaceChildren(cell ? this.words.given ?? "" : "");
      return;
    }
    const whole = row(this.general(panel, cell), sign("="), mathematics(made, matrices.find));
    this.formula.replaceChildren(maths("math", whole));
    const lines = begun ? [lineSoFar(panel, cell.row, cell.col, begun, matrices.find)]
      : summed ? linesOf(panel, cell.row, cell.col, made, matrices.find, all) : [];
    this.sum.replaceChildren(...lines.map((line) => lineNode(line, matrices.find, this.look.colors)));
  }

  /**
   * A panel's name with its indices; with the cell's own number where its rows or columns have names each.
   * @param {Panel} panel @param {Cell} cell
   */
  general(panel, cell) {
    const each = Array.isArray(panel.symbol) ? panel.symbol_axis : "";
    return indexed(
      panel,
      each === "row" ? cell.row + panel.first[0] : ["i", 0],
      each === "column" ? cell.col + panel.first[1] : ["j", 0],
    );
  }

  /** A cell that is pointed at has its number in the sum lit. @param {Cell | null} cell */
  shine(cell) {
    const at = cell && `${cell.panel} ${cell.row} ${cell.col}`;
    for (const term of /** @type {NodeListOf<HTMLElement>} */ (this.sum.querySelectorAll(".matrix-term")))
      term.toggleAttribute("data-lit", term.dataset.at === at);
  }

  hint() {
    const { hint, tap, labels, tap_labels } = this.words;
    const told = globalThis.matchMedia?.("(hover: none)").matches ? [tap, tap_labels] : [hint, labels];
    return told.slice(0, this.labelled ? 2 : 1).filter(Boolean).join(" ");
  }

  /**
   * For who hears the page: a cell, the names of its row and column and its number; its sum, which may be long, once that
   * is asked for. What has been said is not said again.
   * @param {Cell | null} cell
   */
  speak(cell) {
    const sum = same(cell, this.aloud) ? this.sum.textContent : "";
    const said = cell ? [this.told(cell), sum].filter(Boolean).join(" ") : "";
    if (said !== this.spoken.textContent) this.spoken.textContent = said;
  }

  /** A cell in one line. @param {Cell} cell */
  told(cell) {
    const { title, text } = this.described(cell);
    return `${title} ${text}`;
  }

  /** @param {Cell} cell @param {number} [so] its number so far */
  described(cell, so) {
    const panel = this.matrices.panel(cell.panel);
    const index = cell.row * panel.cols + cell.col;
    const { words } = this;
    let value = written(so ?? panel.values[index], panel.digits);
    if (panel.hidden?.[index]) value = words.masked ?? "–";
    else if (panel.vacant?.[index]) value = words.vacant ?? value;
    else if (panel.scale === "mask") value = words.allowed ?? value;
    const text = [this.named(panel, "row", cell.row), this.named(panel, "column", cell.col), value].join(" · ");
    return { title: panel.title, color: this.look.colors[panel.meaning ?? "text"], text };
  }

  /** @param {Panel} panel @param {"row" | "column"} axis @param {number} index */
  named(panel, axis, index) {
    const label = panel.labels[axis][index] ?? String(index);
    const name = [this.words[axis], index].filter((part) => part !== undefined).join(" ");
    const gloss = panel.glosses[axis][index];
    return label === String(index) ? name : `${name} “${label}”${gloss ? ` ${gloss}` : ""}`;
  }
}

/** The cell whose number in a sum this is. @param {Element} target @returns {Cell | null} */
function cellOf(target) {
  const term = /** @type {HTMLElement | null} */ (target.closest(".matrix-term"));
  const [panel, row, col] = term?.dataset.at?.split(" ") ?? [];
  return panel === undefined ? null : { panel, row: Number(row), col: Number(col) };
}
