// A cell's formula as mathematics, with its indices.

import { running } from "./formula.js";
import { short } from "./numbers.js";

/** @import { Find, Formula, Matrix, Place } from "./types.d.ts" */

const MATHS = "http://www.w3.org/1998/Math/MathML";
/** How tightly a sign holds together what stands beside it. @type {Record<string, number>} */
export const BINDS = { "≤": 0, "≠": 0, "+": 1, "−": 1, "·": 2, "/": 2, "^": 4 };

/** @param {string} tag @param {(Node | string)[]} parts */
export function maths(tag, ...parts) {
  const node = document.createElementNS(MATHS, tag);
  node.append(...parts);
  return node;
}

/** @param {string} text */
const word = (text) => maths("mi", text);
/** @param {string} text */
export const sign = (text) => maths("mo", text);
/** @param {Node[]} parts */
export const row = (...parts) => maths("mrow", ...parts);
/** @param {Node} node */
const bracketed = (node) => row(sign("("), node, sign(")"));

/** W^O, b_1 and d_k as they are set. @param {string} name */
function symbol(name) {
  const [, base, , mark, more] = /^([^_^]+)((_|\^)(.+))?$/.exec(name) ?? [null, name];
  if (!mark) return word(base);
  return maths(mark === "_" ? "msub" : "msup", word(base), word(more));
}

/**
 * The name of a cell; rows or columns that are a quantity each have names of their own.
 * @param {Matrix} matrix @param {Place[]} places
 */
export function indexed(matrix, ...places) {
  const { symbol: own, size } = matrix;
  const owner = "symbol_axis" in matrix ? matrix.symbol_axis : "";
  const each = Array.isArray(own) ? ["row", "column"].indexOf(owner) : -1;
  const name = typeof own === "string" ? own : own[Number(places[each])];
  const shown = places.filter((_, axis) => size[axis] > 1 && axis !== each);
  if (!shown.length) return symbol(name);
  const indices = row(...shown.flatMap((place, at) => [...(at ? [sign(",")] : []), index(place)]));
  const [, base, raised] = /^([^^]+)\^(.+)$/.exec(name) ?? [];
  if (raised) return maths("msubsup", word(base), indices, word(raised));
  return maths("msub", symbol(name), indices);
}

/** @param {Place} place */
function index(place) {
  if (typeof place === "number") return maths("mn", String(place));
  const [variable, shift, table, name] = place;
  const letter = word(variable === "cell" ? "ij" : variable);
  if (table) return maths("msub", word(name), letter);
  return shift ? row(letter, sign(shift < 0 ? "−" : "+"), maths("mn", String(Math.abs(shift)))) : letter;
}

/**
 * Below a sum: its index, and the few values it takes where they are not all.
 * @param {string} variable @param {number | number[]} over
 */
function range(variable, over) {
  if (!Array.isArray(over) || over.length > 4) return word(variable);
  return row(word(variable), sign("∈"), maths("mtext", `{${over.join(", ")}}`));
}

/** @param {Formula} formula @param {Find} find @param {number} binds @returns {Element} */
export function mathematics(formula, find, binds = 0) {
  const [kind, ...rest] = formula;
  /** @param {Formula} part */
  const inner = (part, least = 0) => mathematics(part, find, least);
  if (kind === "number") {
    const digits = maths("mn", short(rest[0], 4));
    return rest[1] ? symbol(rest[1]) : rest[0] < 0 && binds > 1 ? bracketed(digits) : digits;
  }
  if (kind === "index") return index(rest[0]);
  if (kind === "cell") return indexed(find(rest[0]), rest[1], rest[2]);
  if (kind === "named") return word(rest[0]);
  if (kind === "choose")
    return row(
      sign("{"),
      maths("mtable",
        maths("mtr", maths("mtd", inner(rest[1])), maths("mtd", inner(rest[0]), sign("="), maths("mn", "1"))),
        maths("mtr", maths("mtd", inner(rest[2])), maths("mtd", inner(rest[0]), sign("="), maths("mn", "0")))),
    );
  if (kind === "call") {
    const [name, of] = rest;
    if (name === "√") return maths("msqrt", inner(of));
    if (name === "exp") return maths("msup", word("e"), inner(of));
    if (name === "abs") return row(sign("|"), inner(of), sign("|"));
    if (name === "relu") return row(word("max"), bracketed(row(maths("mn", "0"), sign(","), inner(of))));
    if (name === "−") return row(sign("−"), inner(of, BINDS["·"]));
    return row(word(name), bracketed(inner(of)));
  }
  if (kind === "fold") {
    const [fold, variable, over, body] = rest;
    const big = maths("munder", sign(fold === "max" ? "max" : "∑"), range(variable, over));
    const whole = row(...(fold === "mean" ? [maths("mfrac", maths("mn", "1"), maths("mn", String(running(over).length)))] : []),
      big, inner(body, BINDS["·"]));
    return binds > BINDS["+"] ? bracketed(whole) : whole;
  }
  const [left, right] = rest;
  if (kind === "/") return maths("mfrac", inner(left), inner(right));
  if (kind === "^") {
    // As small as that, a fraction is read in one line
    const above = right[0] === "/" ? row(inner(right[1], 3), sign("/"), inner(right[2], 3)) : inner(right);
    return maths("msup", inner(left, 5), above);
  }
  if (BINDS[kind] === 0) return row(sign("["), inner(left), sign(kind), inner(right), sign("]"));
  const tight = kind === "·" && right[0] === "cell" ? sign("\u2062") : sign(kind);
  const whole = row(inner(left, BINDS[kind]), tight, inner(right, BINDS[kind] + (kind === "−" ? 1 : 0)));
  return binds > BINDS[kind] ? bracketed(whole) : whole;
}
