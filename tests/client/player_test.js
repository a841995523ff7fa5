// The clock and the bar that the map, the stories and the matrices share, on a page that is made up.

import { deepEqual, equal, ok } from "node:assert/strict";
import { anew, elapse, part } from "./made_page.js";

const { Clock } = await import("../../assets/player/clock.js");
const { Bar } = await import("../../assets/player/bar.js");
const SPEEDS = [1, 4, 0.5];

/** A clock, whether no motion is wanted, and what it has done. */
const wound = () => {
  anew();
  document.hidden = false;
  const motion = { matches: false };
  globalThis.matchMedia = () => motion;
  const done = [];
  const clock = new Clock(SPEEDS, () => done.push("halt"));
  return { clock, motion, done, act: () => done.push("act") };
};
/** A bar with its clock, and what it has led to. */
const barred = () => {
  const { clock } = wound();
  const done = [];
  const note = (what) => (by) => done.push([what, by]);
  const [root, told] = [part("root"), part("told")];
  const find = (name) => (name === "back" ? null : root.querySelector(name));
  const bar = new Bar(root, find, clock, { toggle: note("toggle"), step: note("step"), scrub: note("scrub") }, told);
  bar.name({ play: "Play", pause: "Pause", speed: "Speed", on: "Next", place: "where" }, { key: "K" });
  return { bar, clock, done, told };
};

Deno.test("it waits as long as its speed says, and only for the last that it was told", () => {
  for (const [presses, milliseconds] of [[0, 400], [1, 100], [2, 800], [3, 400]]) {
    const { clock, done, act } = wound();
    for (let press = 0; press < presses; press += 1) clock.hurry();
    clock.wait(10, () => done.push("another"));
    clock.wait(400, act);
    elapse(milliseconds - 1);
    deepEqual(done, []);
    elapse(1);
    deepEqual(done, ["act"]);
  }
});

Deno.test("a tab that nobody looks at stands still", () => {
  const { clock, done, act } = wound();
  clock.wait(400, act);
  document.hidden = true;
  elapse(9000);
  deepEqual(done, []);
  document.hidden = false;
  elapse(500);
  deepEqual(done, ["act"]);
  clock.run((passed) => done.push(passed));
  clock.hurry();
  elapse(32);
  deepEqual(done.slice(1), [64, 128], "the first frame has moved, and its speed counts at once");
  const later = globalThis.requestAnimationFrame;
  globalThis.requestAnimationFrame = (look) => setTimeout(() => look(1e6), 16);
  elapse(32);
  ok(done.at(-1) < 5000, "no more than a second of what it was hidden");
  globalThis.requestAnimationFrame = later;
});

Deno.test("what is stopped does not come, and who wants no motion any more is heard until it is put away", () => {
  const { clock, motion, done, act } = wound();
  clock.wait(10, act);
  clock.stop();
  clock.run(act);
  clock.stop();
  elapse(1000);
  motion.onchange();
  deepEqual([clock.still, done], [false, []]);
  motion.matches = true;
  motion.onchange();
  deepEqual([clock.still, done], [true, ["halt"]]);
  clock.release();
  equal(motion.onchange, null);
});

Deno.test("a bar says whether it plays, how fast, and what its parts are called", () => {
  const { bar, clock, told } = barred();
  const says = () => [bar.root.dataset.state, bar.play.querySelector("span").textContent, bar.play.title, told.ariaLive];
  deepEqual(says(), ["paused", "Play", "Play (K)", "polite"]);
  clock.playing = true;
  bar.tell();
  deepEqual(says(), ["playing", "Pause", "Pause (K)", "off"]);
  bar.speed.onclick();
  deepEqual([clock.speed, bar.speed.textContent, bar.speed.ariaLabel], [4, "4×", "Speed 4×"]);
  deepEqual([bar.steps[1].title, bar.steps[1].ariaLabel, bar.slider.attributes["aria-label"]], ["Next", "Next", "where"]);
});

Deno.test("buttons, the slider and keys lead, but for a key that is the browser's own", () => {
  const { bar, done } = barred();
  bar.steps[1].onclick();
  bar.slider.value = "7";
  bar.slider.oninput();
  const prevented = [];
  const press = (key, more = {}, keys = undefined) =>
    bar.press({ key, target: { tagName: "CANVAS" }, preventDefault: () => prevented.push(key), ...more }, keys);
  deepEqual([press("ArrowLeft"), press("ArrowRight"), press(" ")], [true, true, true]);
  for (const more of [{ ctrlKey: true }, { altKey: true }, { metaKey: true }]) equal(press("ArrowLeft", more), false);
  deepEqual([press(" ", { target: { tagName: "BUTTON" } }), press("x")], [false, false]);
  deepEqual([press("k", {}, { k: 0 }), press(" ", {}, { k: 0 })], [true, false]);
  deepEqual(done, [["step", 1], ["scrub", 7], ["step", -1], ["step", 1], ["toggle", undefined], ["toggle", undefined]]);
  deepEqual(prevented, ["ArrowLeft", "ArrowRight", " ", "k"]);
});
