// A cell's formula as a sum with its numbers. What is said of a cell is data here; nodes.js puts it on the page.

import { around, entry, placed, running, SIGNS, valueOf } from "./formula.js";
import { BINDS } from "./mathematics.js";
import { short } from "./numbers.js";

/** @import { Decoded, Find, Formula, Place, Where } from "./types.d.ts" */

/**
 * A piece of a sum: a sign, a number (of a matrix, `key` and the cell that is shown for it), what is raised, how many
 * terms are left out, or the name of a cell.
 * @typedef {{text: string, value: number, key?: string, shown?: [row: number, col: number]}} Figure
 * @typedef {{raised: Part[]}} Raised
 * @typedef {{more: number}} More
 * @typedef {{key: string, places: number[]}} Name
 * @typedef {string | Figure | Raised | More | Name} Part
 */

/**
 * name = side = side = result: the numbers, and then the same with each half worked out.
 * @typedef {{name: Name | string, sides: Part[][], result: string}} Line
 */

const TERMS = { most: 12, first: 6, last: 3 }; // a longer sum shows its first and last terms until it is unfolded
const SUMMAND = 1.5; // binds more than a sum, less than a product

/**
 * The lines that are said of a cell; the steps that its formula names come first.
 * @param {Decoded} panel @param {number} row @param {number} col @param {Formula} formula @param {Find} find
 * @param {boolean} unfolded whether every term is shown
 * @returns {Line[]}
 */
export function linesOf(panel, row, col, formula, find, unfolded) {
  const sum = new Sum(around(panel, row, col), find, unfolded);
  const name = { key: panel.key, places: [row + panel.first[0], col + panel.first[1]] };
  const steps = [...stepsOf(formula)].map(([step, body]) => sum.line(step, body, sum.value(body)));
  return [...steps, sum.line(name, formula, panel.values[row * panel.cols + col])];
}

/**
 * The line of a cell whose sum has begun: what its first terms make.
 * @param {Decoded} panel @param {number} row @param {number} col @param {Formula} formula with these terms alone
 * @param {Find} find @returns {Line}
 */
export function lineSoFar(panel, row, col, formula, find) {
  const sum = new Sum(around(panel, row, col), find, true);
  const name = { key: panel.key, places: [row + panel.first[0], col + panel.first[1]] };
  return { name, sides: [[...sum.parts(formula), " + …"]], result: short(sum.value(formula), 4) };
}

/** What writes one sum: where its indices stand, the matrices, and whether all its terms are shown. */
class Sum {
  /** @param {Where} where @param {Find} find @param {boolean} unfolded */
  constructor(where, find, unfolded) {
    this.where = where;
    this.find = find;
    this.unfolded = unfolded;
  }

  /** @param {Formula} formula */
  value(formula, where = this.where) {
    return valueOf(formula, where, this.find);
  }

  /**
   * A number: in brackets where a sign or a power of ten would be misread.
   * @param {number} value @param {number} digits @returns {Figure}
   */
  number(value, digits, binds = 0) {
    const text = short(value, digits);
    const misread = (binds > 1 && /^−/.test(text)) || (binds >= BINDS["·"] && /[⁰¹²³⁴⁵⁶⁷⁸⁹]$/.test(text));
    return { text: misread ? `(${text})` : text, value };
  }

  /** The parts of a formula with its numbers in place of its names. @param {Formula} formula @returns {Part[]} */
  parts(formula, where = this.where, binds = 0, digits = 4) {
    const [kind, ...rest] = formula;
    /** @param {Formula} part */
    const inner = (part, least = 0) => this.parts(part, where, least, digits);
    /** @param {Part[]} parts @param {number} own @returns {Part[]} */
    const closed = (parts, own) => (binds > own ? ["(", ...parts, ")"] : parts);
    if (kind === "number") return [this.number(rest[0], 6, binds)];
    if (kind === "index") return [this.number(placed(rest[0], where), 6, binds)];
    if (kind === "cell") return [this.term(rest[0], rest[1], rest[2], where, binds, digits)];
    if (kind === "named") return [this.number(this.value(formula, where), 4, binds)];
    if (kind === "choose") return this.parts(this.value(rest[0], where) ? rest[1] : rest[2], where, binds, digits);
    if (kind === "call") {
      const [name, of] = rest;
      if (name === "√") return of[0] === "number" || of[0] === "cell" ? ["√", ...inner(of, 5)] : ["√(", ...inner(of), ")"];
      if (name === "exp") return ["e", { raised: inner(of) }];
      if (name === "abs") return ["|", ...inner(of), "|"];
      if (name === "relu") return ["max(0, ", ...inner(of), ")"];
      if (name === "−") return closed(["−", ...inner(of, BINDS["·"])], 1);
      return [`${name}(`, ...inner(of), ")"];
    }
    if (kind === "fold") {
      const [fold, variable, over, body] = rest;
      const least = fold === "max" ? 0 : SUMMAND;
      const terms = running(over).map((at) => () => this.parts(body, { ...where, [variable]: at }, least, 3));
      if (fold === "max") return ["max(", ...this.joined(terms, ", "), ")"];
      if (fold === "mean") return ["(", ...this.joined(terms, " + "), `) / ${terms.length}`];
      return closed(this.joined(terms, " + "), terms.length > 1 ? 1 : 5);
    }
    const [left, right] = rest;
    if (kind === "^") return [...inner(left, 5), { raised: inner(right) }];
    if (BINDS[kind] === 0) return ["[", ...inner(left), ` ${kind} `, ...inner(right), "]"];
    const between = kind === "·" ? "·" : ` ${kind} `;
    const after = BINDS[kind] + (kind === "−" || kind === "/" ? 1 : 0);
    return closed([...inner(left, BINDS[kind]), between, ...inner(right, Math.max(after, SUMMAND))], BINDS[kind]);
  }

  /**
   * An operand: it knows its cell if that is shown.
   * @param {string} key @param {Place} rowAt @param {Place} colAt @param {Where} where @param {number} binds @param {number} digits
   * @returns {Figure}
   */
  term(key, rowAt, colAt, where, binds, digits) {
    const matrix = this.find(key);
    const [row, col] = [placed(rowAt, where), placed(colAt, where)];
    const [r, c] = [row - (matrix.first?.[0] ?? 0), col - (matrix.first?.[1] ?? 0)];
    const number = { ...this.number(entry(matrix, row, col), digits, binds), key };
    return r >= 0 && r < matrix.rows && c >= 0 && c < matrix.cols ? { ...number, shown: [r, c] } : number;
  }

  /** @param {(() => Part[])[]} terms @param {string} between */
  joined(terms, between) {
    /** @type {Part[]} */
    const parts = [];
    const folded = !this.unfolded && terms.length > TERMS.most;
    terms.forEach((term, at) => {
      if (folded && at >= TERMS.first && at < terms.length - TERMS.last) {
        if (at === TERMS.first) parts.push(between, { more: terms.length - TERMS.first - TERMS.last });
        return;
      }
      parts.push(...(at ? [between] : []), ...term());
    });
    return parts;
  }

  /**
   * The same with each half worked out; null where nothing would change.
   * @param {Formula} formula @returns {Part[] | null}
   */
  halved(formula) {
    if (formula[0] === "choose") return this.halved(this.value(formula[1]) ? formula[2] : formula[3]);
    /** @param {Formula} part */
    const simple = (part) => ["number", "cell", "index", "named"].includes(part[0]);
    /** @param {Formula} part @returns {Formula} */
    const worked = (part) => (simple(part) ? part : ["number", this.value(part), ""]);
    if (formula[0] in SIGNS) {
      const [kind, ...halves] = formula;
      return halves.every(simple) ? null : this.parts([kind, ...halves.map(worked)]);
    }
    if (formula[0] === "call" && !simple(formula[2])) return this.parts(["call", formula[1], worked(formula[2])]);
    return null;
  }

  /**
   * A single number of a matrix that is not drawn is named with its indices: no cell says which it is.
   * @param {Formula} formula @returns {Part[] | null}
   */
  cited([kind, key, rowAt, colAt]) {
    if (kind !== "cell" || this.find(key).rows) return null;
    return [{ key, places: [placed(rowAt, this.where), placed(colAt, this.where)] }];
  }

  /** @param {Name | string} name @param {Formula} formula @param {number} value @returns {Line} */
  line(name, formula, value) {
    const sides = [this.cited(formula) ?? this.parts(formula), this.halved(formula)].filter((side) => side !== null);
    const result = short(value, 4);
    const said = sides.map(textOf);
    // A side that says the same as the next one is left out, but for an operand, which leads to its cell
    const kept = sides.filter((side, at) => said[at] !== (said[at + 1] ?? result) || side.some(leads));
    return { name, sides: kept, result };
  }
}

/** @param {Part} part */
function leads(part) {
  return typeof part === "object" && "shown" in part;
}

/** What parts say in a line of text. @param {Part[]} parts @returns {string} */
export function textOf(parts) {
  return parts.map((part) => {
    if (typeof part === "string") return part;
    if ("text" in part) return part.text;
    if ("raised" in part) return textOf(part.raised);
    return "more" in part ? `… ${part.more} …` : `${part.key}${part.places.join()}`;
  }).join("");
}

/**
 * The named steps of a formula, each after those that it is made of.
 * @param {Formula} formula @param {Map<string, Formula>} found
 */
function stepsOf(formula, found = new Map()) {
  for (const part of formula) if (Array.isArray(part) && typeof part[0] === "string") stepsOf(/** @type {Formula} */ (part), found);
  if (formula[0] === "named") found.set(formula[1], formula[2]);
  return found;
}
