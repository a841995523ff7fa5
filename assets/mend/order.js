// Lines in an order, each at a level: what moving, indenting, taking in and out make of it. Nothing here changes what it
// is given.

/** @typedef {[line: number, level: number]} Placed */

export const DEEPEST = 3;

/** @param {number} level */
const allowed = (level) => Math.min(Math.max(level, 0), DEEPEST);

/** Where a line stands; -1 if it is not in. @param {Placed[]} order @param {number} line */
export const placeOf = (order, line) => order.findIndex(([one]) => one === line);

/** @param {Placed[]} order @param {number} line @returns {Placed[]} */
export const without = (order, line) => order.filter(([one]) => one !== line);

/**
 * A line at a place among the others, wherever it was before.
 * @param {Placed[]} order @param {number} line @param {number} at @param {number} level @returns {Placed[]}
 */
export function put(order, line, at, level) {
  const others = without(order, line);
  return [...others.slice(0, at), [line, allowed(level)], ...others.slice(at)];
}

/** The level of a line that comes last: that of the one before, below what opens a block. @param {Placed[]} order @param {string[]} code */
export function lastLevel(order, code) {
  const last = order.at(-1);
  return last ? allowed(last[1] + Number(code[last[0]].endsWith(":"))) : 0;
}

/** A line up or down by so many places, within the order. @param {Placed[]} order @param {number} line @param {number} by @returns {Placed[]} */
export function moved(order, line, by) {
  const from = placeOf(order, line);
  const at = Math.min(Math.max(from + by, 0), order.length - 1);
  return from < 0 ? order : put(order, line, at, order[from][1]);
}

/** @param {Placed[]} order @param {number} line @param {number} by @returns {Placed[]} */
export const indented = (order, line, by) =>
  order.map(([one, level]) => [one, one === line ? allowed(level + by) : level]);

/** @param {Placed[]} one @param {Placed[]} other */
export const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/** The level at which a line is held, so many pixels from the edge. @param {number} x @param {number} step */
export const levelAt = (x, step) => allowed(Math.round(x / step));

/** Before which of the others a line is held: their middles from the top. @param {number} y @param {number[]} middles */
export const placeAt = (y, middles) => middles.filter((middle) => middle < y).length;

const KEYWORDS = /\b(def|for|while|in|return)\b/;

/** A line of Python in pieces, every other one a keyword. @param {string} code */
export const pieces = (code) => code.split(KEYWORDS);
