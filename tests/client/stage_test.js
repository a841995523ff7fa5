import { deepEqual } from "node:assert/strict";
import { Stage } from "../../assets/story/stage.js";

const brush = () => {
  /** @type {unknown[]} */
  const drawn = [];
  return {
    drawn, beginPath() {}, fill() {}, setTransform() {}, clearRect() {},
    measureText: (/** @type {string} */ text) => ({ width: 6 * text.length }),
    arc: (/** @type {number} */ x, /** @type {number} */ y) => drawn.push([x, y]),
    fillText: (/** @type {string} */ text) => drawn.push(text),
  };
};
const cloud = (texts, points) => ({ name: texts.join(), kind: "cloud", x: 0, y: 0, size: 10, texts, points });

Deno.test("where the names of points would stand over each other the first is written, and each other one is a dot", () => {
  const on = brush();
  const stage = new Stage({ width: 100, height: 100, getContext: () => on });
  stage.colors = { text: "black" };
  const actors = [cloud(["first", "far"], [0, 0, 80, 0]), cloud(["beside", "below"], [20, 4, 0, 12])];
  stage.paint(actors);
  deepEqual(on.drawn, ["first", "far", [20, 4], "below"]);
  stage.paint(actors);
  deepEqual(on.drawn.slice(4), on.drawn.slice(0, 4), "each picture begins anew");
});
