// The sums of a board as a reader works them out: with the numbers' true values where their digits are written.

import { formulaOf } from "../../assets/matrix/formula.js";
import { linesOf, textOf } from "../../assets/matrix/sums.js";

/** @import { Part } from "../../assets/matrix/sums.js" */

const CELLS = 8; // of each panel, spread over it
const NEAR = 1e-5; // beside the largest number of a sum: what travels is float32

/** Of some cells of every panel the lines that do not give their result. */
export function* misread(matrices) {
  for (const panel of matrices.panels.filter(({ made }) => made)) {
    const count = panel.rows * panel.cols;
    const step = Math.max(1, Math.floor(count / CELLS));
    for (let at = 0; at < count; at += step) {
      const [row, col] = [Math.floor(at / panel.cols), at % panel.cols];
      const formula = formulaOf(panel, row, col);
      if (!formula || !Number.isFinite(panel.values[at])) continue;
      for (const line of linesOf(panel, row, col, formula, matrices.find, true)) yield* wrong(line, `${panel.key} ${row} ${col}`);
    }
  }
}

/** What is wrong with a line: a side that gives another number than its result, which is written last. */
function* wrong({ sides, result }, cell) {
  const given = read(result);
  const largest = Math.max(...sides.flatMap(numbers).map(Math.abs), Math.abs(given), 1e-30);
  for (const side of sides) {
    if (side.some((part) => part.places)) continue; // a name
    const value = worked(side);
    // The result is written with four digits
    if (!(Math.abs(value - given) <= NEAR * largest + 6e-4 * Math.abs(given)))
      yield `${cell}: ${textOf(side)} is ${value}, not ${result}`;
    for (const part of figures(side)) {
      const off = Math.abs(read(part.text.replace(/[()]/g, "")) - part.value);
      if (off > 6e-3 * Math.abs(part.value)) yield `${cell}: ${part.text} stands for ${part.value}`;
    }
  }
}

function figures(parts) {
  return parts.flatMap((part) => (part.raised ? figures(part.raised) : part.text ? [part] : []));
}

function numbers(parts) {
  return figures(parts).map(({ value }) => value).filter((value) => Math.abs(value) < 1e8); // not what stands for −∞
}

/** A number as it is written: 8.34×10⁻⁵, −10⁹, −∞. */
export function read(text) {
  const plain = text.replace("−", "-").replace("∞", "Infinity");
  const [, sign, mantissa, power] = /^(-?)(?:([\d.]+)×)?10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)$/.exec(plain) ?? [];
  if (!power) return Number(plain);
  const exponent = [...power].map((one) => "-0123456789"["⁻⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(one)]).join("");
  return Number(`${sign}${mantissa ?? 1}e${exponent}`);
}

/**
 * The value of parts as they are read on paper: what is raised first, then products and quotients from the left, then
 * sums. A number that is not in brackets has its sign and its power of ten read by the same rules.
 */
export function worked(parts) {
  const tokens = parts.flatMap(tokensOf);
  let at = 0;
  const next = (token) => tokens[at] === token && Boolean((at += 1));
  const closing = (token, value) => {
    if (!next(token)) throw new Error(`${textOf(parts)}: ${token} is missing at ${at}`);
    return value;
  };
  const call = (of) => closing(")", of(sum()));
  const list = () => {
    const found = [sum()];
    while (next(",")) found.push(sum());
    return found;
  };
  const compared = () => {
    const left = sum();
    if (next("≤")) return Number(left <= sum());
    if (next("≠")) return Number(left !== sum());
    throw new Error(`${textOf(parts)}: nothing is compared in []`);
  };
  const single = () => {
    const token = tokens[at];
    at += 1;
    if (typeof token === "number") return token;
    if (token === "(") return closing(")", sum());
    if (token === "|") return closing("|", Math.abs(sum()));
    if (token === "[") return closing("]", compared());
    if (token === "max") return closing(")", Math.max(...(closing("(", null), list())));
    if (token === "√") return Math.sqrt(single());
    if (token === "e") return Math.E;
    if (token === "ln") return closing("(", null) ?? call(Math.log);
    if (token === "sin" || token === "cos") return closing("(", null) ?? call(Math[token]);
    throw new Error(`${textOf(parts)}: ${token} cannot stand there`);
  };
  const power = () => {
    const base = single();
    return tokens[at]?.raised ? base ** worked(tokens[at++].raised) : base;
  };
  const signed = () => (next("−") ? -power() : power());
  const product = () => {
    let value = signed();
    for (;;) {
      if (next("·")) value *= signed();
      else if (next("/")) value /= signed();
      else return value;
    }
  };
  function sum() {
    let value = product();
    for (;;) {
      if (next("+")) value += product();
      else if (next("−")) value -= product();
      else return value;
    }
  }
  const value = sum();
  if (at < tokens.length) throw new Error(`${textOf(parts)}: ends before ${tokens[at]}`);
  return value;
}

function tokensOf(part) {
  if (typeof part === "object" && "raised" in part) return [part];
  if (typeof part === "object" && "value" in part) {
    const size = Math.abs(part.value);
    const power = /10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+\)?$/.test(part.text);
    const digits = power ? [size / 10, "·", 10] : [size]; // a power of ten is a product
    const signed = part.value < 0 ? ["−", ...digits] : digits;
    return part.text.startsWith("(") ? ["(", ...signed, ")"] : signed;
  }
  return part.match(/max|ln|sin|cos|e|\d+|[^\s\d]/g)?.map((token) => (/^\d/.test(token) ? Number(token) : token)) ?? [];
}
