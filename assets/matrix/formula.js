// What a cell was computed from: a formula's value, its operands, and the cells that have a cell as operand.
// A formula is what `message` of ui/figures/formula.py makes of one: nested lists, the kind first.

import { runs, sum } from "./indices.js";

/** @import { Block, Decoded, Find, Formula, Matrix, Place, Where } from "./types.d.ts" */
/** @typedef {Record<string, number[]>} Bound the sums around a cell, by their index */
/** @typedef {{panel: string, row: Place, col: Place, bound: Bound}} Reading a cell that a formula names */

/** @type {Record<string, (x: number) => number>} */
const CALLS = {
  "√": Math.sqrt, exp: Math.exp, ln: Math.log, sin: Math.sin, cos: Math.cos, abs: Math.abs,
  relu: (x) => Math.max(0, x), "−": (x) => -x,
};
/** @type {Record<string, (a: number, b: number) => number>} */
export const SIGNS = {
  "+": (a, b) => a + b, "−": (a, b) => a - b, "·": (a, b) => a * b, "/": (a, b) => a / b, "^": Math.pow,
  "≤": (a, b) => Number(a <= b), "≠": (a, b) => Number(a !== b),
};

/**
 * The formula of a cell of a panel, row and column as they are shown; null where the number is given.
 * @param {Decoded} panel @param {number} row @param {number} col @returns {Formula | null}
 */
export function formulaOf(panel, row, col) {
  const { made } = panel;
  if (!made) return null;
  if (!made.axis) return made.formulas[0];
  return made.formulas[made.table[{ i: row, j: col, cell: row * panel.cols + col }[made.axis]]] ?? null;
}

/**
 * Where the indices of a cell's formula stand; the formula speaks of the whole matrix, the panel may show a part.
 * @param {Decoded} panel @param {number} row @param {number} col @returns {Where}
 */
export function around(panel, row, col) {
  return { i: row + panel.first[0], j: col + panel.first[1], cell: row * panel.cols + col };
}

/** @param {Place} place @param {Where} where @returns {number} */
export function placed(place, where) {
  if (typeof place === "number") return place;
  const [variable, shift, table] = place;
  return table ? table[where[variable]] : where[variable] + shift;
}

/** The values of a sum's index. @param {number[] | number} over @returns {number[]} */
export function running(over) {
  return Array.isArray(over) ? over : Array.from({ length: over }, (_, at) => at);
}

/** @param {Formula} formula @param {Where} where @param {Find} find @returns {number} */
export function valueOf(formula, where, find) {
  const [kind, ...rest] = formula;
  /** @param {Formula} part */
  const inner = (part) => valueOf(part, where, find);
  if (kind === "number") return rest[0];
  if (kind === "index") return placed(rest[0], where);
  if (kind === "cell") return entry(find(rest[0]), placed(rest[1], where), placed(rest[2], where));
  if (kind === "call") return CALLS[rest[0]](inner(rest[1]));
  if (kind === "named") return step(formula, where, find);
  if (kind === "choose") return inner(inner(rest[0]) ? rest[1] : rest[2]);
  if (kind === "fold") {
    const [fold, variable, over, body] = rest;
    const at = { ...where };
    const parts = running(over).map((index) => {
      at[variable] = index;
      return valueOf(body, at, find);
    });
    if (fold === "max") return Math.max(...parts);
    return fold === "sum" ? sum(parts) : sum(parts) / parts.length;
  }
  return SIGNS[kind](inner(rest[0]), inner(rest[1]));
}

/** @type {WeakMap<Formula, {i: number, j: number, value: number}>} */
const steps = new WeakMap();

/**
 * The value of a named step. It depends on the cell alone: a sum that names it for every term works it out once.
 * @param {Formula} formula @param {Where} where @param {Find} find
 */
function step(formula, where, find) {
  const { i, j } = where;
  const known = steps.get(formula);
  if (known?.i === i && known.j === j) return known.value;
  const value = valueOf(formula[2], where, find);
  steps.set(formula, { i, j, value });
  return value;
}

/**
 * A number of a matrix, by its row and column in the whole.
 * @param {Matrix} matrix @param {number} row @param {number} col
 */
export function entry({ named: { values, first, columns } }, row, col) {
  return values[(row - first[0]) * columns + col - first[1]];
}

/**
 * The cells that a formula names and reads at this place, with the indices of the sums around them.
 * @param {Formula} formula @param {Where | null} where @param {Find} find @param {Bound} bound @returns {Generator<Reading>}
 */
function* named(formula, where, find, bound = {}) {
  const [kind, ...rest] = formula;
  if (kind === "cell") {
    yield { panel: rest[0], row: rest[1], col: rest[2], bound };
    for (const [variable, , , , held] of rest.slice(1).filter(Array.isArray))
      if (held) yield { panel: held[0], row: held[1], col: [variable, 0], bound };
  } else if (kind === "call" || kind === "named") yield* named(rest[1], where, find, bound);
  else if (kind === "fold") yield* named(rest[3], where, find, { ...bound, [rest[1]]: running(rest[2]) });
  else if (kind === "choose") {
    yield* named(rest[0], where, find, bound);
    // Which branch is read is known where no sum runs; inside one, both are
    const taken = where && !Object.keys(bound).length ? [valueOf(rest[0], where, find) ? rest[1] : rest[2]] : rest.slice(1);
    for (const part of taken) yield* named(part, where, find, bound);
  } else if (kind in SIGNS) for (const part of rest) yield* named(part, where, find, bound);
}

/** The keys of the matrices that a panel's formulas name. @param {Decoded} panel @param {Find} find */
export function readBy(panel, find) {
  return new Set((panel.made?.formulas ?? []).flatMap((formula) => [...named(formula, null, find)]).map((cell) => cell.panel));
}

/**
 * Blocks of the cells that a cell was computed from, as they are shown; or of those that a part of its formula reads.
 * @param {Decoded} panel @param {number} row @param {number} col @param {Find} find @returns {Block[]}
 */
export function operandsOf(panel, row, col, find, formula = formulaOf(panel, row, col)) {
  if (!formula) return [];
  const where = around(panel, row, col);
  const blocks = [...named(formula, where, find)].flatMap(({ panel: key, row: r, col: c, bound }) => {
    const operand = find(key);
    if (!operand.rows) return [];
    /** @param {Place} place */
    const values = (place) => {
      const index = typeof place === "number" ? "" : place[0];
      const held = bound[index];
      return held ? held.map((at) => placed(place, { [index]: at })) : [placed(place, where)];
    };
    return rectangles(operand, values(r), values(c));
  });
  return distinct(blocks);
}

/**
 * Blocks of the cells that formulas look up by a cell: an id's row of the table.
 * @param {Decoded[]} panels @param {string} key @param {number} row @param {number} col @param {Find} find
 */
export function lookedUpBy(panels, key, row, col, find) {
  const cells = panels.flatMap(({ made }) => (made?.formulas ?? []).flatMap((formula) => [...named(formula, null, find)]));
  return distinct(
    cells.flatMap(({ panel, row: r, col: c }) => {
      const operand = find(panel);
      return [r, c].flatMap((place, axis) => {
        const [, , table, , held] = Array.isArray(place) ? place : [];
        if (!operand.rows || held?.[0] !== key || held[1] !== row || col >= table.length) return [];
        const [rows, cols] = operand.size.map(running);
        return axis ? rectangles(operand, rows, [table[col]]) : rectangles(operand, [table[col]], cols);
      });
    }),
  );
}

/**
 * Blocks of the cells of `panel` that have a cell of the matrix `key` among their operands.
 * @param {Decoded} panel @param {string} key @param {number} row @param {number} col @param {Find} find @returns {Block[]}
 */
export function resultsOf(panel, key, row, col, find) {
  if (!panel.made) return [];
  return distinct(
    panel.made.formulas.flatMap((formula, number) => {
      const { axis, table } = panel.made;
      /** @param {string} letter @param {number} length */
      const own = (letter, length) =>
        Array.from({ length }, (_, at) => at).filter((at) => axis !== letter || table[at] === number);
      const space = { i: own("i", panel.rows), j: own("j", panel.cols) };
      return [...named(formula, null, find)]
        .filter((cell) => cell.panel === key)
        .flatMap((cell) => solved(panel, space, cell, row, col, axis === "cell" && ((at) => table[at] === number)));
    }),
  ).filter((block) => read(panel, block, key, row, col, find));
}

/**
 * The rows and columns at which a named cell is the cell (row, col).
 * @param {Decoded} panel @param {{i: number[], j: number[]}} space @param {Reading} cell @param {number} row @param {number} col
 * @param {false | ((at: number) => boolean)} own @returns {Block[]}
 */
function solved(panel, space, cell, row, col, own) {
  let { i, j } = space;
  let inside = own || null; // by the number of the cell
  for (const [place, wanted] of [[cell.row, row], [cell.col, col]]) {
    const at = typeof place === "number" ? null : place[0];
    /** @param {number} index */
    const fits = (index) => placed(place, { [at]: index }) === wanted;
    if (at === null) { if (place !== wanted) return []; }
    else if (cell.bound[at]) { if (!cell.bound[at].some(fits)) return []; }
    else if (at === "i") i = i.filter((index) => fits(index + panel.first[0]));
    else if (at === "j") j = j.filter((index) => fits(index + panel.first[1]));
    else inside = both(inside, fits);
  }
  /** @param {number[]} rows @param {number[]} cols @returns {Block[]} */
  const part = (rows, cols) => runs(rows, panel.rows).flatMap(([top, bottom]) =>
    runs(cols, panel.cols).map(([left, right]) => ({ panel: panel.key, row: top, lastRow: bottom, col: left, lastCol: right })));
  if (!inside) return part(i, j);
  return i.flatMap((r) => part([r], j.filter((c) => inside(r * panel.cols + c))));
}

/** @param {((at: number) => boolean) | null} one @param {(at: number) => boolean} other */
function both(one, other) {
  return one ? (/** @type {number} */ at) => one(at) && other(at) : other;
}

/**
 * Whether a block that a choice by a mask may have passed over reads the cell after all.
 * @param {Decoded} panel @param {Block} block @param {string} key @param {number} row @param {number} col @param {Find} find
 */
function read(panel, block, key, row, col, find) {
  const formula = formulaOf(panel, block.row, block.col);
  if (!JSON.stringify(formula).includes('"choose"') || block.row !== block.lastRow || block.col !== block.lastCol) return true;
  return [...named(formula, around(panel, block.row, block.col), find)].some((cell) => cell.panel === key
    && hits(cell, cell.row, row, around(panel, block.row, block.col)) && hits(cell, cell.col, col, around(panel, block.row, block.col)));
}

/** @param {Reading} cell @param {Place} place @param {number} wanted @param {Where} where */
function hits(cell, place, wanted, where) {
  const index = typeof place === "number" ? "" : place[0];
  const held = cell.bound[index];
  return held ? held.some((at) => placed(place, { [index]: at }) === wanted) : placed(place, where) === wanted;
}

/**
 * Rows × columns of the whole matrix as blocks of what is shown of it.
 * @param {Matrix} panel @param {number[]} rows @param {number[]} cols @returns {Block[]}
 */
function rectangles(panel, rows, cols) {
  /** @param {number[]} indices @param {0 | 1} axis @param {number} length */
  const shown = (indices, axis, length) => runs(indices.map((index) => index - panel.first[axis]), length);
  return shown(rows, 0, panel.rows).flatMap(([row, lastRow]) =>
    shown(cols, 1, panel.cols).map(([col, lastCol]) => ({ panel: panel.key, row, lastRow, col, lastCol })),
  );
}

/** @param {Block[]} blocks */
function distinct(blocks) {
  const seen = new Set();
  return blocks.filter((block) => {
    const name = Object.values(block).join(" ");
    return !seen.has(name) && seen.add(name);
  });
}

/**
 * Per panel with a formula, how far it is from the numbers, beside the largest of them: 0 but for rounding.
 * @param {Decoded[]} panels @param {Find} find @returns {Record<string, number>}
 */
export function furthest(panels, find) {
  return Object.fromEntries(
    panels.filter((panel) => panel.made).map((panel) => {
      let [most, size] = [0, 0];
      for (let at = 0; at < panel.values.length; at += 1) {
        const [row, col] = [Math.floor(at / panel.cols), at % panel.cols];
        const made = formulaOf(panel, row, col);
        if (!made || !Number.isFinite(panel.values[at])) continue;
        const value = valueOf(made, around(panel, row, col), find);
        most = Math.max(most, Math.abs(value - panel.values[at]));
        size = Math.max(size, Math.abs(panel.values[at]));
      }
      return [panel.key, most / (size || 1)];
    }),
  );
}
