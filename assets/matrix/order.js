// In which order the cells of a board can be computed: operands before results, otherwise as one reads.

import { formulaOf, operandsOf, readBy } from "./formula.js";
import { termsOf } from "./terms.js";

/** @import { Decoded, Find, Part } from "./types.d.ts" */

/**
 * The panels with a formula, each after those that it is made of.
 * @param {{panels: Decoded[], find: Find}} board @returns {Part[]}
 */
export function partsOf({ panels, find }) {
  const made = panels.filter((panel) => panel.made);
  const read = new Map(made.map((panel) => [panel, readBy(panel, find)]));
  const sorted = after(made, (panel) => made.filter(({ key }) => key !== panel.key && read.get(panel).has(key)));
  const parts = sorted.map((panel) => ({ panel, cells: cellsOf(panel, read.get(panel).has(panel.key), find) }));
  return parts.filter(({ cells }) => cells.length).map(({ panel, cells }) => {
    const first = formulaOf(panel, Math.floor(cells[0] / panel.cols), cells[0] % panel.cols);
    return { panel: panel.key, cells, terms: termsOf(first) };
  });
}

/**
 * The cells of a panel that have a formula, by number, in reading order; one that is made of others of the same panel comes
 * after them.
 * @param {Decoded} panel @param {boolean} own whether there are such @param {Find} find
 */
function cellsOf(panel, own, find) {
  const { rows, cols, key } = panel;
  /** @param {number} cell @returns {[row: number, col: number]} */
  const place = (cell) => [Math.floor(cell / cols), cell % cols];
  const cells = Array.from({ length: rows * cols }, (_, cell) => cell).filter((cell) => formulaOf(panel, ...place(cell)));
  if (!own) return cells;
  const made = new Set(cells);
  return after(cells, (cell) =>
    operandsOf(panel, ...place(cell), find)
      .filter((block) => block.panel === key)
      .flatMap(({ row, lastRow, col, lastCol }) => {
        const numbers = [];
        for (let r = row; r <= lastRow; r += 1) for (let c = col; c <= lastCol; c += 1) numbers.push(r * cols + c);
        return numbers;
      })
      .filter((other) => made.has(other)),
  );
}

/**
 * Things in their order, each after what it needs.
 * @template T @param {T[]} things @param {(thing: T) => T[]} needs
 */
function after(things, needs) {
  /** @type {Set<T>} */
  const seen = new Set();
  /** @type {T[]} */
  const sorted = [];
  /** @param {T} thing */
  const visit = (thing) => {
    if (seen.has(thing)) return;
    seen.add(thing);
    for (const needed of needs(thing)) visit(needed);
    sorted.push(thing);
  };
  for (const thing of things) visit(thing);
  return sorted;
}
