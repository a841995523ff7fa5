// The message of a board, read: its matrices by name, and what follows from their formulas.

import { formulaOf, furthest, lookedUpBy, operandsOf, resultsOf } from "./formula.js";

/** @import { DrawnMessage, NamedMessage, PanelMessage } from "./payload.d.ts" */
/** @import { Block, Cell, Decoded, Find, Made, Matrix, Named, Panel } from "./types.d.ts" */

export class Matrices {
  /** @param {Pick<DrawnMessage, "panels" | "operands">} message */
  constructor(message) {
    this.panels = message.panels.map((panel) => /** @type {Panel} */ (decoded(panel))); // the layout gives them a place
    const operands = message.operands.map((operand) => ({ ...operand, named: held(operand.named) }));
    /** @type {Map<string, Matrix>} */
    const named = new Map();
    this.drawn = new Map(this.panels.map((panel) => [panel.key, panel]));
    for (const matrix of [...this.panels, ...operands]) named.set(matrix.key, matrix);
    /** @type {Find} */
    this.find = (key) => named.get(key);
    this.made = this.panels.some((panel) => panel.made); // whether any cell has a formula
  }

  /** @param {string} key @returns {Panel | undefined} */
  panel(key) {
    return this.drawn.get(key);
  }

  /** @param {Cell | null | undefined} cell */
  has(cell) {
    const panel = cell && this.panel(cell.panel);
    return Boolean(panel) && cell.row < panel.rows && cell.col < panel.cols;
  }

  /** @param {Cell} cell */
  formula({ panel, row, col }) {
    return formulaOf(this.panel(panel), row, col);
  }

  /** Where a cell was computed from; of a given one, what its number looks up. @param {Cell} cell @returns {Block[]} */
  operands(cell) {
    const own = this.panel(cell.panel);
    if (own.made) return operandsOf(own, cell.row, cell.col, this.find);
    return lookedUpBy(this.panels, cell.panel, cell.row + own.first[0], cell.col + own.first[1], this.find);
  }

  /** What was computed from a cell. @param {Cell} cell @returns {Block[]} */
  results(cell) {
    const { first } = this.panel(cell.panel);
    const [row, col] = [cell.row + first[0], cell.col + first[1]];
    return this.panels.flatMap((panel) => resultsOf(panel, cell.panel, row, col, this.find));
  }

  /** Per panel with a formula, how far it is from the numbers. */
  furthest() {
    return furthest(this.panels, this.find);
  }
}

/** @param {string} text base64 */
function bytes(text) {
  const letters = atob(text);
  const found = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) found[at] = letters.charCodeAt(at);
  return found;
}

/** @param {string} text base64 of float32, little-endian */
function floats(text) {
  return new Float32Array(bytes(text).buffer);
}

/** @param {NamedMessage} named @returns {Named} */
function held(named) {
  return { ...named, values: floats(named.values) };
}

/** @param {PanelMessage} panel @returns {Decoded} */
function decoded(panel) {
  const values = floats(panel.values);
  const drawn = { values, first: panel.first, columns: panel.shape[1] };
  return {
    ...panel,
    rows: panel.shape[0],
    cols: panel.shape[1],
    values,
    made: /** @type {Made | null} */ (panel.made),
    named: panel.named ? held(panel.named) : drawn,
    hidden: panel.hidden === null ? null : bytes(panel.hidden),
    vacant: panel.vacant === null ? null : bytes(panel.vacant),
  };
}
