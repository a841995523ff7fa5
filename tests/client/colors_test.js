import { deepEqual, equal, ok } from "node:assert/strict";
import { channels, css, luminance, ramp } from "../../assets/colors.js";

Deno.test("a colour is read however a browser writes it, and is white where it is none", () => {
  deepEqual(["#17191e", "rgb(23 25 30)", "rgba(23, 25, 30, 0.5)", "rgb(23, 25, 30)"].map(channels),
    Array(4).fill([23, 25, 30]));
  deepEqual(channels(""), [255, 255, 255]);
  equal(css([1, 2, 3]), "rgb(1 2 3)");
});

Deno.test("luminance runs from black to white, and green is lighter than blue", () => {
  deepEqual([luminance([0, 0, 0]), Number(luminance([255, 255, 255]).toFixed(6))], [0, 1]);
  ok(luminance([0, 255, 0]) > luminance([0, 0, 255]));
});

Deno.test("a ramp meets its stops", () => {
  const colors = ramp(["#000000", "#ff0000", "#ffffff"]);
  equal(colors.length, 256);
  deepEqual([colors[0], colors[255]], [[0, 0, 0], [255, 255, 255]]);
  ok(colors.every(([red], at) => !at || red >= colors[at - 1][0]));
});
