import { deepEqual, equal } from "node:assert/strict";
import { panel } from "./made.js";
import { clamp, rounded, runs, sum } from "../../assets/matrix/indices.js";
import { decimals, decimalsOf, short, tabulated, tiny, written } from "../../assets/matrix/numbers.js";

Deno.test("a number has as many digits as it means, and a true minus sign", () => {
  deepEqual([0.21875, -1.5, 8.34e-5, 1e9, -Infinity, NaN].map((value) => written(value, 4)),
    ["0.2188", "−1.500", "8.340×10⁻⁵", "10⁹", "−∞", "NaN"]);
});

Deno.test("short is without zeros at the end, before a power of ten, too", () => {
  deepEqual([-1.5, 8.34e-5, 2e7, 1200000, 100, 0.1, 12.0004].map((value) => short(value, 4)),
    ["−1.5", "8.34×10⁻⁵", "2×10⁷", "1.2×10⁶", "100", "0.1", "12"]);
});

Deno.test("decimals follow from the decade, also right below a power of ten", () => {
  deepEqual([999.9999999999999, 1000, 0.001, 1e-9].map((size) => decimals(size, 4)), [1, 0, 6, 8]);
});

Deno.test("a table has the same decimals in every cell, and nothing that is not 0 looks like −0", () => {
  deepEqual([1, -0.001, 0, -2.345, NaN].map((value) => tabulated(value, 2)), ["1.00", "0.00", "0", "−2.35", "NaN"]);
});

Deno.test("runs of indices within a length", () => deepEqual(runs([4, 2, 3, 7, 3, 9, -1], 8), [[2, 4], [7, 7]]));

Deno.test("steps are 1, 2, 5, 10 …", () => deepEqual([0.3, 1, 1.5, 3, 6, 11, 99].map(rounded), [1, 1, 2, 5, 10, 20, 100]));

Deno.test("an index is kept within its length", () => deepEqual([-1, 0, 4, 9].map((at) => clamp(at, 5)), [0, 0, 4, 4]));

Deno.test("a sum of nothing is 0", () => equal(sum([]), 0));

Deno.test("of a number too small for a table's decimals two digits are told", () => {
  deepEqual([-5.73e-6, 0.004, 0.006, 0, NaN, -Infinity].map((value) => tiny(value, 2)), ["−5.7×10⁻⁶", "0.004", "", "", "", ""]);
});

Deno.test("columns that are a quantity each have the decimals of their own largest number", () => {
  const scores = [[26.08, 1.63], [-3.5, -0.219]];
  const places = (more) => [0, 1, 2, 3].map(decimalsOf(panel("x", scores, { ends: [-104, 104], ...more }), [0, 1, 2, 3]));
  deepEqual(places({ symbol: ["s", "x"], symbol_axis: "column" }), [1, 2, 1, 2]);
  deepEqual(places({ symbol: ["s", "x"], symbol_axis: "row" }), [1, 1, 2, 2]);
  deepEqual(places({ symbol: ["e", "p"], symbol_axis: "column", scale: "probability", ends: [0, 1] }), [2, 2, 2, 2]);
  deepEqual(places({}), [0, 0, 0, 0]);
});
