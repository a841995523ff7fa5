import { deepEqual, equal, match, ok } from "node:assert/strict";
import { linesOf, textOf } from "../../assets/matrix/sums.js";
import { all, finder, I, J, panel, product } from "./made.js";
import { read, worked } from "./sums.js";

const number = (value) => ["number", value, ""];
const of = (formula, values = [[0]], more = []) => {
  const made = panel("y", values, { made: all(formula) });
  return linesOf(made, 0, 0, formula, finder(made, ...more), false);
};
const text = (formula, value, ...more) => {
  const [{ name, sides, result }] = of(formula, [[value]], more).slice(-1);
  return [typeof name === "string" ? name : textOf([name]), ...sides.map(textOf), result].join(" = ");
};

Deno.test("a sum is written with its numbers, its halves and its result", () => {
  const [a, b] = [panel("a", [[0.5, 2]]), panel("b", [[3, -4]])];
  equal(text(["/", product("a", "b", 2), ["call", "√", number(4)]], -3.25, a, b), "y0,0 = (0.5·3 + 2·(−4)) / √4 = (−6.5) / 2 = −3.25");
});

Deno.test("a long sum shows its ends until it is unfolded", () => {
  const a = panel("a", [Array.from({ length: 20 }, (_, at) => at)]);
  const formula = ["fold", "sum", "k", 20, ["cell", "a", 0, ["k", 0]]];
  equal(text(formula, 190, a), "y0,0 = 0 + 1 + 2 + 3 + 4 + 5 + … 11 … + 17 + 18 + 19 = 190");
  const y = panel("y", [[190]], { made: all(formula) });
  equal(linesOf(y, 0, 0, formula, finder(a, y), true)[0].sides[0].filter(({ key }) => key === "a").length, 20);
});

Deno.test("numbers are in brackets where a sign or a power of ten would be misread", () => {
  equal(text(["·", number(-2), number(3)], -6), "y0,0 = (−2)·3 = −6");
  equal(text(["^", number(1e9), number(2)], 1e18), "y0,0 = (10⁹)2 = 10¹⁸");
  equal(text(["−", number(1), number(-3)], 4), "y0,0 = 1 − (−3) = 4");
  equal(text(["/", number(6), ["·", number(2), number(3)]], 1), "y0,0 = 6 / (2·3) = 6 / 6 = 1");
  equal(text(["−", number(1), ["−", number(2), number(3)]], 2), "y0,0 = 1 − (2 − 3) = 1 − (−1) = 2");
});

Deno.test("a step that the formula names comes first, once", () => {
  const mean = ["named", "mean", ["fold", "mean", "k", 2, ["cell", "a", 0, ["k", 0]]]];
  const lines = of(["−", ["cell", "a", 0, 0], mean], [[-1]], [panel("a", [[1, 3]])]);
  deepEqual(lines.map(({ name }) => name), ["mean", { key: "y", places: [0, 0] }]);
  equal(textOf(lines[0].sides[0]), "(1 + 3) / 2");
  equal(textOf(lines[1].sides[0]), "1 − 2");
});

Deno.test("a number knows its cell, if it is shown; alone it is named if it is not", () => {
  const part = panel("a", [[3, 4]], { first: [0, 2], size: [1, 4] });
  const whole = { ...part, named: { values: Float32Array.of(1, 2, 3, 4), first: [0, 0], columns: 4 } };
  const [{ sides: [side] }] = of(["+", ["cell", "a", 0, 1], ["cell", "a", 0, 3]], [[6]], [whole]);
  deepEqual(side.filter((part) => part.key).map(({ value, shown }) => [value, shown]), [[2, undefined], [4, [0, 1]]]);
  const operand = { key: "w", named: whole.named, size: [1, 4], symbol: "w", meaning: null };
  deepEqual(of(["cell", "w", 0, 2], [[3]], [operand])[0].sides, [[{ key: "w", places: [0, 2] }]]);
});

Deno.test("sides that say the same are written once", () => {
  const operand = { key: "w", named: { values: Float32Array.of(0.5), first: [0, 0], columns: 1 }, size: [1, 1], symbol: "w" };
  const once = ["call", "ln", ["fold", "sum", "k", 1, ["cell", "w", 0, ["k", 0]]]];
  equal(text(once, Math.log(0.5), operand), "y0,0 = ln(0.5) = −0.6931");
});

Deno.test("what is written is read by the rules of arithmetic", () => {
  const [cell] = [panel("a", [[-2, 3], [4, 5]])];
  const formula = ["/", ["call", "exp", ["−", ["cell", "a", I, J], number(1)]], ["+", number(1), ["^", number(2), number(3)]]];
  const [{ sides }] = of(formula, [[Math.exp(-3) / 9]], [cell]);
  ok(Math.abs(worked(sides[0]) - Math.exp(-3) / 9) < 1e-15);
  equal(worked(["1", " − ", "2", " − ", "3"]), -4);
  equal(worked(["6", " / ", "2", "·", "3"]), 9);
  equal(worked([{ text: "−2", value: -2 }, { raised: ["2"] }]), -4, "a bare sign is not raised");
  equal(worked(["1", " / ", { text: "2×10⁹", value: 2e9 }]), 5e-8, "a bare power of ten is a factor");
  equal(worked(["max(0, ", "−", "3", ")"]), 0);
  deepEqual(["8.34×10⁻⁵", "−10⁹", "−∞", "0.5"].map(read), [8.34e-5, -1e9, -Infinity, 0.5]);
});

Deno.test("every part of a sum says something", () => {
  const a = panel("a", [Array.from({ length: 20 }, (_, at) => at)]);
  for (const { sides } of of(["call", "exp", ["fold", "max", "k", 20, ["cell", "a", 0, ["k", 0]]]], [[1]], [a]))
    for (const part of sides.flat()) match(textOf([part]), /\S/);
});
