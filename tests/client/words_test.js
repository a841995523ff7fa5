import { deepEqual, equal } from "node:assert/strict";
import { wordless } from "../../assets/matrix/picture.js";
import { Words } from "../../assets/matrix/words.js";
import { panel } from "./made.js";

const told = (one, words = {}) => {
  const found = new Words({ querySelector: () => ({}) }, { colors: { text: "black", query: "blue" } });
  found.receive({ panels: [one], panel: () => one }, { row: "row", column: "column", ...words });
  return found;
};

Deno.test("a cell is told by its row, its column and its number", () => {
  const labels = { row: ["0", "1"], column: ["the", "cat"] };
  const one = panel("q", [[1, 2], [3, -0.5]], { labels, meaning: "query" });
  deepEqual(told(one).described({ panel: "q", row: 1, col: 1 }),
    { title: "q", color: "blue", text: "row 1 · column 1 “cat” · −0.500" });
});

Deno.test("what a label means is told after it", () => {
  const [labels, glosses] = [{ row: [], column: ["花"] }, { row: [], column: ["flower"] }];
  equal(told(panel("q", [[1]], { labels, glosses })).described({ panel: "q", row: 0, col: 0 }).text,
    "row 0 · column 0 “花” flower · 1");
});

Deno.test("what is masked, vacant or allowed is told instead of its number", () => {
  const words = { masked: "masked", vacant: "dropped", allowed: "allowed" };
  const instead = (more) => told(panel("m", [[1]], more), words).described({ panel: "m", row: 0, col: 0 }).text;
  equal(instead({ hidden: Uint8Array.of(1) }), "row 0 · column 0 · masked");
  equal(instead({ vacant: Uint8Array.of(1) }), "row 0 · column 0 · dropped");
  equal(instead({ scale: "mask" }), "row 0 · column 0 · allowed");
});

Deno.test("a vacant cell keeps the number that was thrown away, unless it is to be blank", () => {
  const cells = { vacant: Uint8Array.of(0, 1, 1), hidden: Uint8Array.of(0, 0, 0) };
  const silent = (more) => [0, 1, 2].map((at) => wordless({ ...cells, values: [1, 2, NaN], ...more }, at));
  deepEqual(silent({}), [false, false, true]);
  deepEqual(silent({ blank: true }), [false, true, true]);
});

Deno.test("where there is no mouse the hint speaks of a tap", () => {
  const one = panel("q", [[1]], { label_events: true });
  const words = { hint: "Point.", tap: "Tap.", labels: "Shift.", tap_labels: "Tap a label." };
  const hints = [true, false].map((touch) => {
    globalThis.matchMedia = (query) => ({ matches: touch && query === "(hover: none)" });
    return told(one, words).hint();
  });
  delete globalThis.matchMedia;
  deepEqual(hints, ["Tap. Tap a label.", "Point. Shift."]);
});

Deno.test("the hint tells of labels where they can be pressed", () => {
  const words = { hint: "Point.", labels: "Press." };
  deepEqual([false, true].map((label_events) => told(panel("q", [[1]], { label_events }), words).hint()), ["Point.", "Point. Press."]);
});

Deno.test("who hears the page is told the two tokens and the weight, and the sum when it is asked for", () => {
  const labels = { row: ["she", "drinks"], column: ["她", "喝"] };
  const glosses = { row: [], column: ["she", "drink"] };
  const found = told(panel("weights", [[0.25, 0.75], [0.125, 0.875]], { labels, glosses }));
  found.sum = { textContent: "0.750 = exp(…)" };
  const cell = { panel: "weights", row: 0, col: 1 };
  found.speak(cell);
  equal(found.spoken.textContent, "weights row 0 “she” · column 1 “喝” drink · 0.750");
  found.aloud = { ...cell };
  found.speak(cell);
  equal(found.spoken.textContent, "weights row 0 “she” · column 1 “喝” drink · 0.750 0.750 = exp(…)");
  found.speak({ ...cell, row: 1 });
  equal(found.spoken.textContent, "weights row 1 “drinks” · column 1 “喝” drink · 0.875");
  found.speak(null);
  equal(found.spoken.textContent, "");
});

Deno.test("what has been said is not said again, as when the server answers", () => {
  const [found, cell] = [told(panel("q", [[1, 2]])), { panel: "q", row: 0, col: 0 }];
  const written = [];
  found.spoken = { get textContent() { return written.at(-1) ?? ""; }, set textContent(text) { written.push(text); } };
  for (const one of [cell, { ...cell }, { ...cell, col: 1 }, { ...cell, col: 1 }, null, null]) found.speak(one);
  deepEqual(written, ["q row 0 · column 0 · 1", "q row 0 · column 1 · 2", ""]);
});
