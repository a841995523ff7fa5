import { deepEqual, equal, ok } from "node:assert/strict";
import { Glide } from "../../assets/matrix/glide.js";
import { panel } from "./made.js";

const laid = (key, values, [x, y], more = {}) => {
  const one = panel(key, values, more);
  return { ...one, x, y, cw: 10, ch: 10, top: y - 20, right: x + 10 * one.cols, bottom: y + 10 * one.rows, ...more };
};
const PARTS = [0, 0.2, 0.5, 0.9];

Deno.test("numbers, ends, places and sizes run from what is seen to what is true, and end exactly there", () => {
  const [from, to] = [laid("a", [[0, 2]], [100, 20]), laid("a", [[0.1, -2]], [0, 40], { ends: [-3, 3], cw: 20, ch: 20 })];
  const glide = new Glide([from], [to]);
  for (const part of PARTS) {
    const [seen] = glide.at(part);
    deepEqual([seen.x, seen.y, seen.cw], [100 - 100 * part, 20 + 20 * part, 10 + 10 * part]);
    deepEqual([...seen.values], [...Float32Array.of(to.values[0] * part, 2 - 4 * part)]);
    deepEqual(seen.ends, [-1 - 2 * part, 1 + 2 * part]);
    deepEqual([seen.right - seen.x, seen.y - seen.top], [2 * seen.cw, to.y - to.top]);
    equal(seen.settled, to);
  }
  equal(glide.at(1)[0], to, "the very panel, whose numbers are the true ones");
  deepEqual([glide.moving, glide.counting, glide.still], [true, [true], false]);
});

Deno.test("what stays the same stays in place, and there is nothing to wait for", () => {
  const one = laid("a", [[1, NaN]], [0, 0], { values: Float32Array.of(1, 2) });
  equal(new Glide([one], [{ ...one }]).still, true);
  const [other] = [laid("b", [[5]], [50, 0])];
  const glide = new Glide([one], [{ ...one }, other]);
  for (const part of PARTS) deepEqual([glide.at(part)[0].x, ...glide.at(part)[0].values], [0, 1, 2]);
  deepEqual(glide.counting, [false, false]);
});

Deno.test("what appears comes into sight where it will lie, and what goes is gone at once", () => {
  const [old, next] = [laid("old", [[1]], [0, 0]), laid("next", [[2]], [50, 0])];
  const glide = new Glide([old], [next]);
  for (const part of PARTS) {
    const seen = glide.at(part);
    deepEqual(seen.map(({ key, x, values }) => [key, x, ...values]), [["next", 50, 2]]);
    ok(seen[0].opacity < 1 && (!part || seen[0].opacity > 0));
  }
  ok(PARTS.every((part, at) => !at || glide.at(part)[0].opacity > glide.at(PARTS[at - 1])[0].opacity));
});

Deno.test("numbers of another shape, another scale or no colours are the new ones at once", () => {
  const from = laid("a", [[0, 0]], [0, 0]);
  for (const to of [laid("a", [[4, 4], [4, 4]], [0, 0]), laid("a", [[4, 4]], [0, 0], { scale: "probability" })])
    deepEqual([...new Glide([from], [to]).at(0.5)[0].values], [...to.values]);
  const ids = [[1, 2], [5, 6]].map((values) => laid("ids", [values], [0, 0], { scale: "plain" }));
  equal(new Glide([ids[0]], [ids[1]]).still, true);
});

Deno.test("a cell that shows no number has none on its way", () => {
  const from = laid("a", [[0, -1e9, 1, 1, 1]], [0, 0], { hidden: Uint8Array.of(0, 1, 0, 0, 0), empty: Uint8Array.of(0, 0, 1, 0, 0) });
  const to = laid("a", [[2, 2, 2, NaN, 2]], [0, 0], { vacant: Uint8Array.of(0, 0, 0, 0, 1) });
  deepEqual([...new Glide([from], [to]).at(0.5)[0].values], [1, 2, 2, NaN, 2]);
});

Deno.test("a new state on the way starts from what is seen", () => {
  const states = [0, 10, 20].map((value) => laid("a", [[value]], [value, 0]));
  const half = new Glide([states[0]], [states[1]]).at(0.5);
  const [seen] = new Glide(half, [states[2]]).at(0);
  deepEqual([seen.x, seen.values[0]], [5, 5]);
  const dim = new Glide([], [states[0]]).at(0.5);
  equal(new Glide(dim, [states[0]]).at(0)[0].opacity, dim[0].opacity);
});
