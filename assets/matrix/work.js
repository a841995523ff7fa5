// What is worked out at a moment of a play.

import { around, operandsOf, valueOf } from "./formula.js";
import { withTerms } from "./terms.js";

/** @import { Block, Cell, Formula, Moment } from "./types.d.ts" */
/** @import { Matrices } from "./matrices.js" */

/**
 * The cell at work and its number so far; while its sum has only begun, the formula with these terms, and the operands of
 * the last one.
 * @param {Matrices} matrices @param {Moment} moment
 * @returns {{cell: Cell, value: number, begun: Formula | null, last: Block[]}}
 */
export function atWork(matrices, { panel: key, cell: number, terms }) {
  const panel = matrices.panel(key);
  const cell = { panel: key, row: Math.floor(number / panel.cols), col: number % panel.cols };
  if (terms === Infinity) return { cell, value: panel.values[number], begun: null, last: [] };
  const made = matrices.formula(cell);
  const begun = withTerms(made, 0, terms);
  const value = valueOf(begun, around(panel, cell.row, cell.col), matrices.find);
  const last = operandsOf(panel, cell.row, cell.col, matrices.find, withTerms(made, terms - 1, terms));
  return { cell, value, begun, last };
}
