// The sum that a formula is, taken term by term.

import { running } from "./formula.js";

/** @import { Formula } from "./types.d.ts" */

/** Where the sum stands in an operation: what it makes so far is the result so far. @type {Record<string, number[]>} */
const SIDES = { "+": [1, 2], "−": [1, 2], "·": [1, 2], "/": [1] };

/**
 * The formula with another sum in place of its own; null where it is none, or where part of the sum would say nothing.
 * @param {Formula} formula @param {(sum: Formula) => Formula} change @returns {Formula | null}
 */
function changed(formula, change) {
  if (formula[0] === "fold" && formula[1] === "sum") return change(formula);
  const sides = formula[0] === "call" && formula[1] === "−" ? [2] : SIDES[formula[0]] ?? [];
  for (const side of sides) {
    const inner = changed(formula[side], change);
    if (inner) return /** @type {Formula} */ (formula.with(side, inner));
  }
  return null;
}

/** How many terms the sum of a formula has, 1 where it is none. @param {Formula} formula */
export function termsOf(formula) {
  let count = 1;
  changed(formula, (sum) => {
    count = running(sum[3]).length;
    return sum;
  });
  return count;
}

/**
 * The formula with the terms of its sum from `first` to before `end` alone.
 * @param {Formula} formula @param {number} first @param {number} end @returns {Formula}
 */
export function withTerms(formula, first, end) {
  return changed(formula, (sum) => /** @type {Formula} */ (sum.with(3, running(sum[3]).slice(first, end)))) ?? formula;
}
