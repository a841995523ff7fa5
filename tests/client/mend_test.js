import { deepEqual, equal } from "node:assert/strict";
import { indented, lastLevel, levelAt, moved, pieces, placeAt, placeOf, put, same, without } from "../../assets/mend/order.js";

const order = [[4, 0], [2, 1], [7, 0]];

Deno.test("a line is put at a place among the others, wherever it was", () => {
  deepEqual(put(order, 9, 1, 2), [[4, 0], [9, 2], [2, 1], [7, 0]]);
  deepEqual(put(order, 4, 2, 1), [[2, 1], [7, 0], [4, 1]]);
  deepEqual(put([], 3, 5, 0), [[3, 0]]);
  deepEqual(order, [[4, 0], [2, 1], [7, 0]], "what was given stays as it was");
});

Deno.test("a line moves by a place and keeps its level, and stops at the ends", () => {
  deepEqual(moved(order, 2, -1), [[2, 1], [4, 0], [7, 0]]);
  deepEqual(moved(order, 2, 1), [[4, 0], [7, 0], [2, 1]]);
  deepEqual(moved(order, 4, -1), order);
  deepEqual(moved(order, 7, 1), order);
  deepEqual(moved(order, 5, 1), order, "one that is not in");
});

Deno.test("a level is at least none and at most three", () => {
  deepEqual(indented(order, 2, 1), [[4, 0], [2, 2], [7, 0]]);
  deepEqual(indented(order, 4, -1), order);
  deepEqual(indented([[4, 3]], 4, 1), [[4, 3]]);
  deepEqual(put([], 1, 0, -2), [[1, 0]]);
  deepEqual([-40, 11, 13, 50, 4000].map((x) => levelAt(x, 24)), [0, 0, 1, 2, 3]);
});

Deno.test("a line that comes last stands where the one before does, or below it where that opens a block", () => {
  const code = ["ys = 1", "while ys:", "ys = 2"];
  equal(lastLevel([], code), 0);
  equal(lastLevel([[0, 0], [1, 0]], code), 1);
  equal(lastLevel([[1, 1]], code), 2);
  equal(lastLevel([[1, 0], [2, 1]], code), 1);
});

Deno.test("out is out, and found is found", () => {
  deepEqual(without(order, 2), [[4, 0], [7, 0]]);
  deepEqual(without(order, 5), order);
  deepEqual([placeOf(order, 7), placeOf(order, 5)], [2, -1]);
  equal(same(order, [[4, 0], [2, 1], [7, 0]]), true);
  equal(same(order, moved(order, 2, 1)), false);
});

Deno.test("a line is held before the first whose middle is below the hand", () => {
  deepEqual([5, 15, 25, 99].map((y) => placeAt(y, [10, 20, 30])), [0, 1, 2, 3]);
  equal(placeAt(5, []), 0);
});

Deno.test("keywords are every other piece, and the pieces are the line", () => {
  deepEqual(pieces("for batch in batches:"), ["", "for", " batch ", "in", " batches:"]);
  deepEqual(pieces("inform = format(x)"), ["inform = format(x)"], "a part of a name is none");
  equal(pieces("return defined").join(""), "return defined");
});
