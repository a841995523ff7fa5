// Numbers as they are written. What `short` writes, `number` of ui/figures/number.py writes: one rule, held by a test.

/** @import { Panel } from "./types.d.ts" */

/** Significant digits, with a true minus sign. @param {number} value @param {number} digits */
export function written(value, digits) {
  if (Number.isNaN(value)) return "NaN";
  const size = Math.abs(value);
  let text;
  if (size === Infinity) text = "∞";
  else if (Number.isInteger(value) && size < 1e6) text = String(size);
  else if (size >= 1e-4 && size < 1e6) text = size.toFixed(decimals(size, digits));
  else text = power(size, digits);
  return value < 0 ? `−${text}` : text;
}

/** As `written`, without zeros at the end: 0.5, 8.34×10⁻⁵. @param {number} value @param {number} digits */
export function short(value, digits) {
  return written(value, digits).replace(/(?:\.0+|(\.\d*?[1-9])0+)(?=×|$)/, "$1");
}

/** 8.330×10⁻⁵, and 10⁹ where that is all. @param {number} size @param {number} digits */
function power(size, digits) {
  const [mantissa, exponent] = size.toExponential(digits - 1).split("e");
  const raised = [...String(Number(exponent))].map((sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]).join("");
  return `${Number(mantissa) === 1 ? "" : `${mantissa}×`}10${raised}`;
}

/**
 * Decimals that show so many significant digits of a size, eight at the most.
 * @param {number} size @param {number} digits
 */
export function decimals(size, digits) {
  const [, exponent] = size.toExponential().split("e");
  return Math.max(0, Math.min(8, digits - 1 - Number(exponent)));
}

/**
 * The decimals of each number of a panel, of which those at these indices are written: the same for all, by the ends of
 * its scale. Rows or columns that are a quantity each, but no shares, have those of their own largest number: what a
 * control makes of a score is read beside it, however small it is.
 * @param {Panel} panel @param {number[]} written @returns {(index: number) => number}
 */
export function decimalsOf({ values, cols, symbol, symbol_axis: axis, scale, ends, digits }, written) {
  const own = Array.isArray(symbol) && (scale === "signed" || scale === "magnitude");
  /** @param {number} index */
  const quantity = (index) => (own ? (axis === "row" ? Math.floor(index / cols) : index % cols) : 0);
  /** @type {number[][]} */
  const groups = [];
  for (const index of written) (groups[quantity(index)] ??= []).push(values[index]);
  const places = groups.map((some) => {
    if (some.every(Number.isInteger)) return 0;
    return decimals(Math.max(...(own ? some : ends).map(Math.abs)), digits);
  });
  return (index) => places[quantity(index)] ?? 0;
}

/**
 * As in a printed table: every cell of a matrix with the same number of decimals, but what is exactly 0 says so.
 * @param {number} value @param {number} places
 */
export function tabulated(value, places) {
  if (!Number.isFinite(value) || value === 0) return written(value, 1);
  const text = Math.abs(value).toFixed(places);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

/**
 * Two digits of what so many decimals show nothing of, as one quantity beside others may be; "" of any other number.
 * @param {number} value @param {number} places
 */
export function tiny(value, places) {
  const nothing = Number.isFinite(value) && value !== 0 && Number(Math.abs(value).toFixed(places)) === 0;
  return nothing ? short(value, 2) : "";
}
