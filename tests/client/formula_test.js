import { deepEqual, equal } from "node:assert/strict";
import { entry, formulaOf, furthest, lookedUpBy, operandsOf, placed, resultsOf, valueOf } from "../../assets/matrix/formula.js";
import { all, finder, I, J, panel, product } from "./made.js";

const a = panel("a", [[1, 2], [3, 4]]);
const b = panel("b", [[5, 6], [7, 8], [9, 10]]);
const c = panel("c", [[17, 23, 29], [39, 53, 67]], { made: all(product("a", "b", 2)) });
const find = finder(a, b, c);

Deno.test("a formula gives the number of its cell", () => {
  equal(valueOf(c.made.formulas[0], { i: 1, j: 2 }, find), 3 * 9 + 4 * 10);
  deepEqual(furthest([a, b, c], find), { c: 0 });
});

Deno.test("a number that is not its formula's is found, beside the largest of the panel", () => {
  const wrong = panel("c", [[17, 23, 29], [39, 53, 50]], { made: c.made });
  equal(furthest([wrong], find).c, 17 / 53);
});

Deno.test("the operands of a product are a row and a row", () => {
  deepEqual(operandsOf(c, 1, 2, find), [
    { panel: "a", row: 1, lastRow: 1, col: 0, lastCol: 1 },
    { panel: "b", row: 2, lastRow: 2, col: 0, lastCol: 1 },
  ]);
});

Deno.test("what was computed from a cell is what has it among its operands", () => {
  deepEqual(resultsOf(c, "a", 1, 0, find), [{ panel: "c", row: 1, lastRow: 1, col: 0, lastCol: 2 }]);
  deepEqual(resultsOf(c, "b", 2, 1, find), [{ panel: "c", row: 0, lastRow: 1, col: 2, lastCol: 2 }]);
  for (const key of ["a", "b"])
    for (let row = 0; row < find(key).rows; row += 1)
      for (let col = 0; col < 2; col += 1)
        for (let r = 0; r < 2; r += 1)
          for (let s = 0; s < 3; s += 1) {
            const within = (block, i, j) => i >= block.row && i <= block.lastRow && j >= block.col && j <= block.lastCol;
            const back = operandsOf(c, r, s, find).some((block) => block.panel === key && within(block, row, col));
            equal(resultsOf(c, key, row, col, find).some((block) => within(block, r, s)), back);
          }
});

Deno.test("of a part of a matrix the formula speaks of the whole", () => {
  const part = panel("part", [[53, 67]], { first: [1, 1], size: [2, 3], made: c.made });
  deepEqual(furthest([part], find), { part: 0 });
  deepEqual(operandsOf(part, 0, 1, find)[1], { panel: "b", row: 2, lastRow: 2, col: 0, lastCol: 1 });
  equal(entry(part, 1, 2), 67);
});

Deno.test("an id looks up a row of its table, both ways", () => {
  const ids = panel("ids", [[2, 0, 2]]);
  const rows = panel("rows", [[9, 10], [5, 6], [9, 10]], {
    made: all(["cell", "b", ["i", 0, [2, 0, 2], "id", ["ids", 0]], J]),
  });
  const found = finder(b, ids, rows);
  deepEqual(furthest([rows], found), { rows: 0 });
  deepEqual(lookedUpBy([rows], "ids", 0, 2, found), [{ panel: "b", row: 2, lastRow: 2, col: 0, lastCol: 1 }]);
  deepEqual(operandsOf(rows, 1, 1, found).map(({ panel }) => panel), ["b", "ids"]);
});

Deno.test("a choice reads the branch that is taken", () => {
  const keep = panel("keep", [[1, 0]]);
  const made = all(["choose", ["cell", "keep", 0, J], ["cell", "a", I, J], ["number", 0, ""]]);
  const kept = panel("kept", [[1, 0], [3, 0]], { made });
  const found = finder(a, keep, kept);
  deepEqual(furthest([kept], found), { kept: 0 });
  deepEqual(operandsOf(kept, 1, 1, found).map(({ panel }) => panel), ["keep"]);
  deepEqual(resultsOf(kept, "a", 0, 1, found), [], "it was passed over");
});

Deno.test("a panel may have a formula per row, and given rows", () => {
  const made = { axis: "i", table: [0, -1], formulas: [["cell", "a", I, J]] };
  const mixed = panel("mixed", [[1, 2], [0, 0]], { made });
  deepEqual(formulaOf(mixed, 0, 1), ["cell", "a", I, J]);
  equal(formulaOf(mixed, 1, 1), null);
});

Deno.test("a place is a number, an index that is moved, or one that is looked up", () => {
  deepEqual([placed(3, {}), placed(["i", -1], { i: 4 }), placed(["j", 0, [7, 8]], { j: 1 })], [3, 3, 8]);
});
