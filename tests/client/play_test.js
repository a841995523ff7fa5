import { deepEqual, equal, ok } from "node:assert/strict";
import { partsOf } from "../../assets/matrix/order.js";
import { Play } from "../../assets/matrix/play.js";
import { textOf, lineSoFar } from "../../assets/matrix/sums.js";
import { termsOf, withTerms } from "../../assets/matrix/terms.js";
import { atWork } from "../../assets/matrix/work.js";
import { operandsOf } from "../../assets/matrix/formula.js";
import { all, finder, I, J, panel, product } from "./made.js";
import { faults } from "./plays.js";

const zeros = (rows, cols) => Array.from({ length: rows }, () => Array(cols).fill(0));
const board = (...panels) => ({ panels, find: finder(...panels) });
const part = (cells, terms, name = "a") => ({ panel: name, cells: [...Array(cells).keys()], terms });
const number = (value) => ["number", value, ""];
const steps = (play) => Array.from({ length: play.steps }, (_, step) => play.at(step));

const a = panel("a", [[1, 2], [3, 4]]);
const b = panel("b", [[5, 6], [7, 8], [9, 10]]);
const c = panel("c", [[17, 23, 29], [39, 53, 67]], { made: all(product("a", "b", 2)) });
const half = panel("half", [[8.5, 11.5, 14.5], [19.5, 26.5, 33.5]], { made: all(["/", ["cell", "c", I, J], number(2)]) });

Deno.test("panels come after those that they are made of, wherever they stand, and given ones do not come", () => {
  const parts = partsOf(board(half, c, b, a));
  deepEqual(parts.map(({ panel, terms }) => [panel, terms]), [["c", 2], ["half", 1]]);
  deepEqual([...faults(board(half, c, b, a))], []);
});

Deno.test("cells come as one reads, but after those of the same panel that they are made of", () => {
  const shares = panel("shares", zeros(3, 2), {
    made: { axis: "j", table: [0, 1], formulas: [["cell", "a", 0, 0],
      ["/", ["cell", "shares", I, 0], ["fold", "sum", "k", 3, ["cell", "shares", ["k", 0], 0]]]] },
  });
  deepEqual(partsOf(board(a, c, b, shares)).map(({ cells }) => cells), [[0, 1, 2, 3, 4, 5], [0, 2, 4, 1, 3, 5]]);
  const backwards = panel("back", zeros(2, 3), {
    made: { axis: "j", table: [0, 0, -1], formulas: [["cell", "back", I, ["j", 1]]] },
  });
  deepEqual(partsOf(board(backwards))[0].cells, [1, 0, 4, 3], "the last column is given");
  deepEqual([...faults(board(a, b, c, shares, backwards))], []);
});

Deno.test("a play takes at most six seconds, however many cells and panels there are", () => {
  for (const cells of [1, 2, 20, 4096])
    for (const terms of [1, 5, 12, 13, 512])
      for (const panels of [1, 3, 48]) {
        const play = new Play(Array.from({ length: panels }, (_, at) => part(cells, terms, String(at))));
        ok(play.duration <= 6000);
        const times = Array.from({ length: play.steps }, (_, step) => play.start(step));
        ok(times.every((time, at) => time < play.duration && (!at || time >= times[at - 1])));
        equal(play.start(play.steps), play.duration);
      }
});

Deno.test("every cell is filled once, in order, and nothing that is there goes", () => {
  for (const [cells, terms] of [[1, 1], [7, 1], [7, 4], [30, 40]]) {
    const play = new Play([part(cells, terms, "a"), part(3, 2, "b")]);
    const moments = steps(play).filter(({ panel }) => panel === "a");
    deepEqual([...new Set(moments.map(({ filled }) => filled).filter(Boolean))], Array.from({ length: cells }, (_, at) => at + 1));
    deepEqual([...new Set(moments.map(({ cell }) => cell))], [...Array(cells).keys()]);
    ok(moments.every(({ filled }, at) => !at || filled >= moments[at - 1].filled));
    for (const moment of moments) {
      deepEqual(play.missing(moment, "b"), [0, 1, 2]);
      equal(play.missing(moment, "a").length, cells - Math.max(1, moment.filled));
    }
    equal(play.missing(steps(play).at(-1), "a"), null);
    equal(play.at(play.steps), null);
  }
});

Deno.test("the first cell is slow, with a term more at a time, and the others come ever faster", () => {
  const play = new Play([part(50, 4)]);
  deepEqual(steps(play).slice(0, 5).map(({ terms }) => terms), [1, 2, 3, Infinity, Infinity]);
  const times = steps(play).map((_, step) => play.start(step + 1) - play.start(step));
  ok(Math.min(...times.slice(0, 4)) > Math.max(...times.slice(5)));
  ok(times.slice(6).every((time, at) => time <= times[at + 5] + 1e-9));
  const long = new Play([part(2, 100)]);
  deepEqual(steps(long).slice(11, 14).map(({ terms }) => terms), [12, Infinity, Infinity], "twelve terms, then all");
});

Deno.test("at each time there is a step, the last one to have begun", () => {
  const play = new Play([part(9, 3, "a"), part(1, 1, "b"), part(40, 2, "c")]);
  for (let step = 0; step < play.steps; step += 1) {
    equal(play.stepAt(play.start(step) + 1e-6), step);
    if (step) equal(play.stepAt(play.start(step) - 1e-6), step - 1);
  }
  equal(play.stepAt(play.duration), play.steps);
});

Deno.test("who wants no motion is led to the first cell of each panel and to the whole of it, and to the end", () => {
  const play = new Play([part(9, 3, "a"), part(1, 1, "b"), part(4, 2, "c")]);
  const stops = [];
  for (let step = play.next(-1); step < play.steps; step = play.next(step)) stops.push(step);
  deepEqual(stops.map((step) => play.at(step)).map(({ panel, filled }) => [panel, filled]),
    [["a", 1], ["a", 9], ["b", 1], ["c", 1], ["c", 4]]);
});

Deno.test("the terms of a sum add up to it, where the sum is what the formula is", () => {
  const scaled = ["/", product("a", "b", 2), number(4)];
  const biased = ["+", product("a", "b", 2), ["cell", "a", I, 0]];
  const softmax = ["/", ["cell", "a", I, 0], ["fold", "sum", "k", 3, number(1)]];
  deepEqual([scaled, biased, softmax, ["call", "exp", scaled], ["call", "−", scaled]].map(termsOf), [2, 2, 1, 1, 2]);
  deepEqual(withTerms(scaled, 0, 1)[1][3], [0]);
  deepEqual(withTerms(scaled, 1, 2)[1][3], [1]);
  equal(withTerms(softmax, 0, 1), softmax);
});

Deno.test("the cell at work has the value of its first terms, and then its own", () => {
  const { panels, find } = board(a, b, c);
  const matrices = { panel: find, find, formula: () => c.made.formulas[0] };
  const play = new Play(partsOf({ panels, find }));
  const works = steps(play).map((moment) => atWork(matrices, moment));
  deepEqual(works.slice(0, 3).map(({ value }) => value), [1 * 5, 17, 23]);
  deepEqual(works[0].cell, { panel: "c", row: 0, col: 0 });
  deepEqual(works[0].last, operandsOf({ ...c, made: all(["·", ["cell", "a", 0, 0], ["cell", "b", 0, 0]]) }, 0, 0, find));
  deepEqual(works.slice(1).map(({ begun, last }) => [begun, last.length]), Array(6).fill([null, 0]));
  const { sides, result } = lineSoFar(c, 0, 0, works[0].begun, find);
  equal([...sides.map(textOf), result].join(" = "), "1·5 + … = 5");
});
