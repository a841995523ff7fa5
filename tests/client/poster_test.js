// A story on a page that is made up: it stands at its poster until it is played, and begins by itself at most once.

import { deepEqual, equal, ok } from "node:assert/strict";
import { anew, elapse, painted, part } from "./made_page.js";

const listening = new Map();
const tab = new Map();
const quiet = { state: "notRunning", top: 10, scrolled: 0, link: "http://here/attention", keeps: true };
const page = { ...quiet };
const { document } = globalThis;
Object.assign(document, {
  querySelector: (selector) =>
    selector === ".stMain" ? { scrollTop: page.scrolled } : page.state === "notRunning" ? {} : null,
  addEventListener: (name, act) => listening.set(name, act),
  removeEventListener: (name) => listening.delete(name),
});
Object.assign(globalThis, {
  addEventListener: (name, act) => listening.set(name, act),
  removeEventListener: (name) => listening.delete(name),
});
Object.defineProperties(globalThis, {
  sessionStorage: {
    get: () => {
      if (!page.keeps) throw new Error("nothing is kept");
      return { getItem: (key) => tab.get(key) ?? null, setItem: (key, value) => tab.set(key, value) };
    },
  },
  performance: { value: { now: () => 0, getEntriesByType: () => [{ name: page.link }] } },
});
const { Teller } = await import("../../assets/story/teller.js");
const { onFirstVisit } = await import("../../assets/first_visit.js");

const LONG = 30_000; // ms
const word = (text) => ({ name: "said", kind: "word", x: 1, y: 1, text });
const beats = (name) =>
  ["first", "last"].map((which) => ({ glide: 100, rest: 200, actors: [word(`${name} ${which}`)], gone: [] }));
const scene = (name) => ({ sentence: name, origin: "o", wide: beats(name), narrow: beats(name), asks: false });
const scenes = ["one", "two", "three", "four"].map(scene);
const mode = { scales: { signed: ["#000000", "#ffffff"], probability: ["#000000", "#ffffff"] } };
const message = {
  name: "story", scenes: JSON.stringify(scenes), cue: 0, number: 1, poster: 2,
  sizes: { wide: [960, 400], narrow: [360, 430] },
  words: { play: "Play", pause: "Pause", keys: "", place: "" }, colors: { light: mode, dark: mode },
};

/** A story that has just come to a tab, and what it tells. */
const opened = (more = {}, { seen = false, ...there } = {}) => {
  anew();
  tab.clear();
  listening.clear();
  if (seen) tab.set("glassformer.begun", "");
  Object.assign(page, quiet, there);
  document.hidden = Boolean(there.hidden);
  const told = [];
  const teller = new Teller(part("story"));
  const set = (name, value) => told.push([name, value]);
  teller.root.getBoundingClientRect = () => ({ top: page.top, height: 500 });
  for (const [at] of scenes.entries()) teller.find("sentences").children[at] = part("sentence");
  teller.receive({ ...message, ...more }, set, set);
  return { teller, told };
};
const shows = (teller) => [painted.at(-1), teller.find("count").textContent, teller.root.dataset.state];

Deno.test("a story stands at its poster, and Play, Next and Space tell it from its first scene on", () => {
  for (const press of ["play", "on", " "]) {
    const { teller, told } = opened({}, { seen: true });
    deepEqual(shows(teller), ["three last", "1 / 4", "paused"]);
    equal(teller.find("place").value, "0");
    elapse(LONG);
    deepEqual([shows(teller), told], [["three last", "1 / 4", "paused"], []], "nothing moves");
    if (press === " ") teller.root.onkeydown({ key: " ", target: teller.canvas, preventDefault() {} });
    else teller.find(press).onclick();
    const before = painted.length;
    elapse(16);
    ok(painted.length > before, "the next frame has moved");
    elapse(100);
    deepEqual(shows(teller).slice(0, 2), ["one first", "1 / 4"]);
    elapse(400);
    equal(painted.at(-1), "one last");
    deepEqual(told, [], "the server knows it to be there");
  }
});

Deno.test("who explores the poster explores the scene that it shows", () => {
  const { teller, told } = opened({}, { seen: true });
  teller.find("take").onclick();
  deepEqual(told, [["take", [2, 1, "wide"]]]);
});

Deno.test("a link to a scene opens at its end, Play tells this scene again, Next the one after it", () => {
  const { teller, told } = opened({ cue: 1 }, { link: "http://here/attention?scene=2" });
  elapse(LONG);
  deepEqual(shows(teller), ["two last", "2 / 4", "paused"]);
  teller.find("play").onclick();
  elapse(120);
  equal(painted.at(-1), "two first");
  const other = opened({ cue: 1 }, { seen: true });
  other.teller.find("on").onclick();
  elapse(120);
  deepEqual([painted.at(-1), other.told], ["three first", [["scene", 2]]]);
  deepEqual(told, []);
});

Deno.test("who has asked for the story sees it played from its first scene on", () => {
  const { teller } = opened({ cue: -1 }, { seen: true });
  deepEqual(shows(teller), ["one first", "1 / 4", "playing"]);
  elapse(LONG);
  deepEqual(shows(teller), ["four last", "4 / 4", "paused"]);
});

Deno.test("a newcomer sees it begin by itself once, when the page is still", () => {
  const { teller } = opened({}, { state: "running" });
  elapse(LONG);
  equal(teller.root.dataset.state, "paused", "while the page is still being made");
  page.state = "notRunning";
  for (let at = 0; at < 9; at += 1) {
    page.top += 20;
    elapse(250);
  }
  equal(teller.root.dataset.state, "paused", "while the page still moves");
  elapse(1000);
  equal(teller.root.dataset.state, "playing");
  elapse(200);
  equal(painted.at(-1), "one first");
  ok(tab.has("glassformer.begun"), "never again in this tab");
  ok(!listening.has("visibilitychange"));
});

Deno.test("it does not begin where a link names what to see, nor for who has touched anything or wants no motion", () => {
  const links = ["scene=1", "lang=en&present=1", "lesson=first&stop=2"].map((link) => ({ link: `http://here/masks?${link}#a` }));
  for (const there of [...links, { scrolled: 3 }, { seen: true }, { keeps: false }]) {
    const { teller } = opened({}, there);
    elapse(LONG);
    equal(teller.root.dataset.state, "paused", JSON.stringify(there));
    ok(!page.keeps || tab.has("glassformer.begun"));
  }
  for (const touch of ["pointerdown", "keydown", "wheel"]) {
    const { teller } = opened();
    elapse(600);
    listening.get(touch)({});
    elapse(LONG);
    equal(teller.root.dataset.state, "paused", touch);
  }
  globalThis.matchMedia = () => ({ matches: true });
  const { teller } = opened();
  elapse(LONG);
  deepEqual(shows(teller), ["three last", "1 / 4", "paused"]);
  teller.find("on").onclick();
  deepEqual(shows(teller), ["one last", "1 / 4", "paused"]);
  globalThis.matchMedia = () => ({ matches: false });
});

Deno.test("what stands in for a page while it loads begins nothing", () => {
  tab.clear();
  const root = { closest: (selector) => (selector === ".arrival" ? {} : null), getBoundingClientRect: () => ({ top: 1, height: 2 }) };
  onFirstVisit(root, () => ok(false));
  elapse(LONG);
  equal(tab.size, 0);
});

Deno.test("in a hidden tab nothing begins until it is looked at", () => {
  const { teller } = opened({}, { hidden: true });
  elapse(LONG);
  equal(teller.root.dataset.state, "paused");
  document.hidden = false;
  listening.get("visibilitychange")();
  elapse(2000);
  equal(teller.root.dataset.state, "playing");
});

Deno.test("a story that is closed, before it begins or while it plays, is silent", () => {
  for (const after of [600, 2000, 5000]) {
    const { teller, told } = opened();
    elapse(after);
    teller.release();
    const [before, said] = [painted.length, told.length];
    elapse(LONG);
    deepEqual([painted.length, told.length], [before, said]);
    ok(!listening.has("visibilitychange"));
  }
});

Deno.test("Pause stops at the beat that is on its way, and Play goes on from there, in the middle of it too", () => {
  for (const after of [0, 500]) {
    const { teller } = opened({}, { seen: true });
    teller.find("play").onclick();
    elapse(50);
    teller.find("play").onclick();
    equal(teller.root.dataset.moving, "true");
    elapse(after);
    equal(painted.at(-1), "one first");
    teller.find("play").onclick();
    elapse(400);
    equal(painted.at(-1), "one last");
  }
});

Deno.test("another story in its place stands at its own poster", () => {
  const { teller } = opened({}, { seen: true });
  const other = JSON.stringify(scenes.map((one, at) => (at === 2 ? scene("other") : one)));
  teller.receive({ ...message, name: "other", scenes: other }, () => {}, () => {});
  deepEqual(shows(teller), ["other last", "1 / 4", "paused"]);
});
