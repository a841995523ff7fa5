import { deepEqual, equal } from "node:assert/strict";
import { FULL, lifted, passed, same, shared, stroked, within } from "../../assets/draw/levels.js";

const sum = (levels) => levels.reduce((all, one) => all + one, 0);

Deno.test("a level stays on the sheet", () => {
  deepEqual([-3, 0, 12.4, 12.6, 1000, 4000].map(within), [0, 0, 12, 13, FULL, FULL]);
});

Deno.test("a bar that is raised takes from the others in their proportions", () => {
  deepEqual(shared([200, 200, 600], 0, 600), [600, 100, 300]);
  deepEqual(shared([500, 500, 0], 2, 100), [450, 450, 100]);
  deepEqual(shared([200, 200, 600], 1, 4000), [0, FULL, 0]);
});

Deno.test("what a whole bar gives back is shared alike where the others are nothing", () => {
  deepEqual(shared([0, FULL, 0], 1, 400), [300, 400, 300]);
  deepEqual(shared([0, FULL, 0, 0], 1, 500), [167, 500, 167, 166]);
});

Deno.test("bars keep their sum, whatever is done to them, and one alone is all", () => {
  let levels = [143, 143, 143, 143, 143, 143, 142];
  for (const [at, level] of [[3, 777], [0, 1], [6, 333], [3, 0], [2, 999], [2, 1000], [5, 17], [1, -5]]) {
    levels = shared(levels, at, level);
    equal(sum(levels), FULL);
    equal(levels[at], within(level));
    equal(levels.every((one) => Number.isInteger(one) && one >= 0), true);
  }
  deepEqual(shared([FULL], 0, 300), [FULL]);
});

Deno.test("a stroke passes every point on its way, at the level between", () => {
  deepEqual(passed([2, 100], [5, 400]), [[2, 100], [3, 200], [4, 300], [5, 400]]);
  deepEqual(passed([5, 0], [3, 50]), [[5, 0], [4, 25], [3, 50]]);
  deepEqual(passed([4, 9], [4, 70]), [[4, 70]]);
});

Deno.test("a stroke leaves the rest of a line as it was, and what was given", () => {
  const line = [500, 500, 500, 500, 500];
  deepEqual(stroked(line, [1, 0], [3, 200], false), [500, 500, 100, 200, 500], "the first was drawn before");
  deepEqual(stroked(line, [1, 0], [1, 40], false), [500, 40, 500, 500, 500]);
  deepEqual(line, [500, 500, 500, 500, 500]);
  equal(sum(stroked([250, 250, 250, 250], [0, 250], [3, 900], true)), FULL);
});

Deno.test("two drawings are the same level by level", () => {
  equal(same([1, 2], [1, 2]), true);
  equal(same([1, 2], [1, 2, 3]), false);
  equal(same(lifted([1, 2], 1, 3), [1, 2]), false);
});
