// A time-lapse on a page that is made up: the slider is followed at once, and the server told where a hand came to rest.

import { deepEqual, equal, ok } from "node:assert/strict";
import { anew, elapse, painted, part } from "./made_page.js";

const { Teller } = await import("../../assets/story/teller.js");

const STOPS = [0, 5, 6, 10];
const word = (at) => ({ name: "loss", ...(at ? {} : { kind: "word", x: 1, y: 1, text: "#" }), value: STOPS[at] });
const beats = STOPS.map((_, at) => ({ glide: 100, rest: 0, actors: [word(at)], gone: [] }));
const scenes = JSON.stringify([{ sentence: "s", origin: "o", wide: beats, narrow: beats, asks: false }]);
const mode = { scales: { signed: ["#000000", "#ffffff"], probability: ["#000000", "#ffffff"] } };
const message = {
  scenes, cue: 2, number: 1, stops: STOPS, sizes: { wide: [960, 400], narrow: [360, 430] },
  words: { moment: "step #", play: "Play", pause: "Pause", keys: "", place: "" }, colors: { light: mode, dark: mode },
};

/** A time-lapse that has just come, what it is told, and what it tells. */
const opened = (more = {}) => {
  anew();
  const told = [];
  const teller = new Teller(part("story"));
  teller.receive({ ...message, ...more }, () => told.push("a scene"), (name, value) => told.push([name, value]));
  const place = teller.find("place");
  const drag = (moment) => {
    place.value = String(moment);
    place.oninput();
  };
  return { teller, told, place, drag };
};

Deno.test("it stands at the moment that it is told, and does not play", () => {
  const { teller, told, place } = opened();
  equal(painted.at(-1), "6");
  equal(place.attributes["aria-valuetext"], "step 6");
  equal(teller.find("count").textContent, "step 6");
  elapse(10_000);
  deepEqual([teller.at, told], [2, []]);
});

Deno.test("each move of the slider is painted at once, and one at which it stays is told, once", () => {
  const { told, drag } = opened();
  for (const [at, stop] of [[0, "0"], [3, "10"], [1, "5"]]) {
    const before = painted.length;
    drag(at);
    deepEqual(painted.slice(before), [stop], "without any frame or answer in between");
    elapse(50);
  }
  deepEqual(told, []);
  elapse(1000);
  deepEqual(told, [["moment", 1]]);
  drag(3);
  drag(1);
  elapse(1000);
  deepEqual(told, [["moment", 1]], "where the server knows it to be");
});

Deno.test("it plays from its first moment where it is told of none, and tells nothing of an end that is known", () => {
  const { teller, told } = opened({ cue: -1 });
  equal(painted.at(-1), "0");
  equal(teller.root.dataset.state, "playing");
  elapse(10_000);
  equal(painted.at(-1), "10");
  deepEqual([teller.root.dataset.state, teller.root.dataset.ended, told], ["paused", "true", []]);
});

Deno.test("it plays on from where it stands, and again from the beginning once it is over", () => {
  const { teller, told } = opened();
  teller.find("play").onclick();
  elapse(10_000);
  deepEqual(told, [["moment", 3]]);
  teller.find("play").onclick();
  elapse(50);
  ok(teller.at < 3);
  teller.find("play").onclick();
  elapse(1000);
  equal(told.length, 2, "where it was stopped is told");
  equal(told[1][1], teller.at);
});

Deno.test("arrows go from record to record", () => {
  const { teller, told, place } = opened();
  const press = (key, target = teller.canvas) => teller.root.onkeydown({ key, target, preventDefault() {} });
  press("ArrowLeft", place);
  equal(teller.at, 2, "the slider moves by itself");
  press("ArrowRight");
  press("ArrowRight");
  equal(teller.at, 3, "and no further than the last");
  for (let step = 0; step < 5; step += 1) press("ArrowLeft");
  equal(teller.at, 0);
  elapse(1000);
  deepEqual(told, [["moment", 0]]);
});

Deno.test("the same message changes nothing under the hand, a new cue leads, and other words keep the moment", () => {
  const { teller, drag } = opened();
  const again = (more) => teller.receive({ ...message, ...more }, () => {}, () => {});
  drag(1);
  again({});
  equal(teller.at, 1);
  again({ number: 2, cue: 3 });
  equal(teller.at, 3);
  again({ number: 2, cue: 3, scenes: scenes.replace('"s"', '"t"') });
  equal(teller.at, 3);
  again({ number: 2, cue: 3, scenes: JSON.stringify([{ ...JSON.parse(scenes)[0], wide: beats.slice(0, 2) }]) });
  equal(teller.at, 1, "or the last one there is");
});

Deno.test("one that is fixed is played, and no moment of it is chosen or told", () => {
  const { teller, told } = opened({ fixed: true });
  equal(teller.root.attributes["data-fixed"], true);
  teller.root.onkeydown({ key: "ArrowLeft", target: teller.canvas, preventDefault() {} });
  equal(teller.at, 2);
  teller.find("play").onclick();
  elapse(10_000);
  deepEqual([teller.at, told], [3, []]);
});

Deno.test("a reader who wants no motion sees its end, and goes on step by step", () => {
  globalThis.matchMedia = () => ({ matches: true });
  const { teller } = opened({ cue: -1 });
  equal(painted.at(-1), "10");
  teller.scrub(0);
  teller.find("play").onclick();
  equal(painted.at(-1), "5");
  globalThis.matchMedia = () => ({ matches: false });
});
