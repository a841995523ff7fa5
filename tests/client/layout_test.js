import { deepEqual, equal, ok } from "node:assert/strict";
import { CELL, Layout, rowNames } from "../../assets/matrix/layout.js";
import { at, box, covers, neighbour, same } from "../../assets/matrix/places.js";
import { Sight } from "../../assets/matrix/sight.js";
import { look, panel } from "./made.js";

const zeros = (rows, cols) => Array.from({ length: rows }, () => Array(cols).fill(0));
const laid = (width, ...panels) => {
  const layout = new Layout(look(width), () => 90);
  layout.arrange(panels);
  return layout;
};

Deno.test("panels of one place stand side by side in their order, on whole pixels, within the page", () => {
  const [a, b] = [panel("a", zeros(4, 6), { place: [0, 1] }), panel("b", zeros(4, 3), { place: [0, 0] })];
  const layout = laid(800, a, b);
  ok(b.right < a.x);
  equal(a.y, b.y);
  ok(layout.width <= 800);
  for (const { x, y, cw, ch } of [a, b]) ok([x, y, cw, ch].every(Number.isInteger));
});

Deno.test("places below each other do not meet", () => {
  const [a, b] = [panel("a", zeros(4, 4)), panel("b", zeros(4, 4), { place: [1, 0] })];
  const { height } = laid(800, a, b);
  ok(b.top >= a.bottom);
  ok(height >= b.bottom);
});

Deno.test("what is too wide goes to the next line, in groups on a wall", () => {
  const wide = [0, 1, 2].map((at) => panel(String(at), zeros(4, 20), { place: [0, at] }));
  laid(390, ...wide);
  equal(new Set(wide.map(({ y }) => y)).size, 3);
  const wall = Array.from({ length: 8 }, (_, at) => panel(String(at), zeros(9, 9), { place: [0, at], wall: 4 }));
  laid(200, ...wall);
  deepEqual([...new Set(wall.map(({ y }) => y))].map((y) => wall.filter((one) => one.y === y).length), [4, 4]);
  equal(new Set(wall.slice(0, 4).map(({ x }, at) => x - wall[at + 4].x)).size, 1, "columns stand below each other");
});

Deno.test("cells are square, but those of a long thin matrix, and never smaller than can be seen", () => {
  const [square, long] = [panel("a", zeros(5, 5)), panel("b", zeros(2, 90))];
  laid(800, square);
  laid(400, long);
  equal(square.cw, square.ch);
  ok(long.ch > long.cw && long.cw >= CELL.least);
});

Deno.test("a board that may take a part of the screen ends there, however long its words, and stretches to it", () => {
  const words = Array(6).fill("transformer");
  const tall = [0, 1].map((at) => panel(String(at), zeros(6, 6), { place: [at, 0], labels: { row: words, column: words } }));
  const layout = new Layout(look(500, { part: 0.7, height: 900 }), () => 90);
  layout.arrange(tall);
  ok(layout.height <= 0.7 * 900 + CELL.least && layout.height > 0.6 * 900, String(layout.height));
  const one = panel("a", zeros(4, 6));
  new Layout(look(600, { part: 0.9, height: 1000 }), () => 90).arrange([one]);
  ok(one.ch > one.cw && one.ch <= CELL.tall * one.cw);
  for (const screen of [390, 1280]) { // a phone scrolls; a narrow column of a wide screen has the same bar below it
    const column = new Layout(look(360, { part: 0.7, screen }), () => 90);
    column.arrange([panel("code", zeros(100, 20))]);
    equal(column.height <= 0.7 * 800 + CELL.least, screen === 1280);
  }
});

Deno.test("a board wider than its window fades at the right until it is scrolled to its end", () => {
  const window = { scrollLeft: 0, clientWidth: 358, scrollWidth: 834, toggleAttribute: (_, on) => (window.fades = on) };
  const sight = new Sight({ querySelector: () => window }, null);
  const fades = [0, 200, 476].map((scrollLeft) => {
    window.scrollLeft = scrollLeft;
    sight.fade();
    return window.fades;
  });
  deepEqual(fades, [true, true, false]);
});

Deno.test("one legend serves panels of one scale; others have their own, but those without colours", () => {
  equal(laid(800, panel("a", zeros(2, 2)), panel("b", zeros(2, 2))).sharedLegend, true);
  const [a, b] = [panel("a", zeros(2, 2)), panel("b", zeros(2, 2), { scale: "plain" })];
  equal(laid(800, a, b).sharedLegend, false);
  deepEqual([a.ownLegend, b.ownLegend], [true, false]);
});

Deno.test("on a phone columns whose numbers are printed stand beside each other, without legends", () => {
  const columns = () =>
    [1, 20, 300].map((high, at) =>
      panel(String(at), zeros(9, 1), { place: [0, at], print: true, beside: at > 0, scale: "signed", ends: [-high, high] }),
    );
  const [phone, page] = [columns(), columns()];
  laid(358, ...phone);
  laid(900, ...page);
  equal(new Set(phone.map(({ y }) => y)).size, 1);
  deepEqual([...phone, ...page].map(({ ownLegend }) => ownLegend), [false, false, false, true, true, true]);
});

Deno.test("of numbers every k-th label is drawn, of words each, upright where they are long", () => {
  const numbers = panel("a", zeros(2, 60), { labels: { row: [], column: [...Array(60).keys()].map(String) } });
  const words = panel("b", zeros(2, 6), { labels: { row: [], column: Array(6).fill("transformer") } });
  laid(400, numbers);
  laid(200, words);
  ok([2, 5, 10, 20].includes(numbers.ticks.column.every));
  deepEqual([words.ticks.column.every, words.ticks.column.upright], [1, true]);
});

Deno.test("a panel beside another has its row labels from it", () => {
  const labels = { row: ["one", "two"], column: [] };
  const [a, b] = [panel("a", zeros(2, 2), { labels }), panel("b", zeros(2, 2), { labels, beside: true, place: [0, 1] })];
  laid(800, a, b);
  deepEqual([a.labelRoom > 0, b.labelRoom], [true, 0]);
});

Deno.test("a point is in a cell or on a label that can be pressed, or nowhere", () => {
  const one = panel("a", zeros(3, 4), { labels: { row: ["x", "y", "z"], column: [] }, label_events: true });
  laid(800, one);
  for (let row = 0; row < 3; row += 1)
    for (let col = 0; col < 4; col += 1) {
      const [x, y, width, height] = box(one, { row, col });
      deepEqual(at([one], { x: x + width / 2, y: y + height / 2 }), { panel: "a", row, col });
    }
  deepEqual(at([one], { x: one.x - 8, y: one.y + 1.5 * one.ch }), { panel: "a", axis: "row", index: 1 });
  equal(at([one], { x: one.right + 5, y: one.y }), null);
});

Deno.test("an arrow leads to the next cell, over an edge into the panel that lies there, and stays at the end", () => {
  const [a, b] = [panel("a", zeros(2, 2)), panel("b", zeros(4, 3), { place: [0, 1] })];
  laid(800, a, b);
  deepEqual(neighbour([a, b], { panel: "a", row: 0, col: 0 }, 1, 0), { panel: "a", row: 1, col: 0 });
  equal(neighbour([a, b], { panel: "a", row: 1, col: 1 }, 0, 1).panel, "b");
  deepEqual(neighbour([a, b], { panel: "b", row: 0, col: 0 }, 0, -1), { panel: "a", row: 0, col: 1 });
  deepEqual(neighbour([a, b], { panel: "a", row: 0, col: 0 }, 0, -1), { panel: "a", row: 0, col: 0 });
});

Deno.test("a block covers its cells, and a cell is the same as itself alone", () => {
  const block = { panel: "a", row: 1, lastRow: 2, col: 0, lastCol: 3 };
  deepEqual([[1, 0], [2, 3], [0, 0], [1, 4]].map(([row, col]) => covers(block, { panel: "a", row, col })),
    [true, true, false, false]);
  equal(covers(block, { panel: "b", row: 1, col: 0 }), false);
  deepEqual([same(block, { ...block }), same(block, null), same(null, null)], [true, false, false]);
});

Deno.test("what labels mean stands beside rows where the page is no phone, and under columns where it fits", () => {
  const labels = { row: ["花", "花 → 红"], column: ["花", "漂亮"] };
  const glosses = { row: ["flower", "flower → red"], column: ["it", "beautiful"] };
  const one = panel("a", zeros(2, 2), { labels, glosses });
  const layout = laid(800, one);
  deepEqual(rowNames(one), ["花 flower", "花 → 红"]);
  equal(one.ticks.column.below, true);
  deepEqual(glosses.column.map((gloss) => layout.meansWithin(gloss, one.cw)), [true, false]);
  const plain = panel("a", zeros(2, 2), { labels });
  laid(800, plain);
  equal(one.ticks.column.height - plain.ticks.column.height, 12);
  laid(390, one);
  deepEqual(rowNames(one), labels.row);
});
