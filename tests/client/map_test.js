import { deepEqual, equal, ok } from "node:assert/strict";
import { lay } from "../../assets/map/line.js";
import { corners, keyframes } from "../../assets/map/motion.js";
import { levelsOf, sceneAt } from "../../assets/map/scene.js";
import { Story } from "../../assets/map/story.js";
import { rowsOf } from "../../assets/map/threads.js";

const picture = (side, rows, brief = false) => ({ side, size: [1, rows, 4], brief });
const TURNS = 3;
const decodes = [false, false, true, false].map((brief) => picture("decoder", TURNS, brief));
const pictures = [picture("encoder", 5), picture("encoder", 5), ...decodes];
const threads = [1, 3].map((block) => ({ block, keys: 1, bytes: "", told: [] }));
const beats = Array.from({ length: 30 }, () => "<b>as long</b> as another");
const told = (/** @type {number} */ turns, said = beats) =>
  new Story({ pictures, turns: Array(turns).fill(["a", "b"]), cross: 3, threads, beats: said });
const story = told(TURNS);
const lasts = (/** @type {Story} */ of) =>
  Array.from({ length: of.last + 1 }, (_, moment) => of.duration(moment)).reduce((sum, one) => sum + one, 0);
const boxes = [500, 400, 500, 400, 300, 200].map((top) => ({ left: 0, top, width: 250, height: 50 }));
const levels = levelsOf(boxes, story);
const moments = Array.from({ length: story.last + 1 }, (_, moment) => moment);

Deno.test("the encoder works once, the decoder block by block in its first turn and at once in each later one", () => {
  equal(story.last, 2 + 4 + (TURNS - 1) + 1);
  deepEqual(story.at(0), { turn: 0 });
  deepEqual([1, 2, 3, 6].map((moment) => story.at(moment)),
    [[0, 0], [0, 1], [1, 2], [1, 5]].map(([turn, block]) => ({ turn, block })));
  deepEqual([7, 8].map((moment) => story.at(moment).turn), [2, 3]);
  deepEqual(story.at(story.last), { turn: TURNS });
});

Deno.test("nothing is taken away on the way, and in the end all rows are there", () => {
  for (const [index, { size: [, rows] }] of pictures.entries()) {
    const seen = moments.map((moment) => story.rows(index, moment));
    deepEqual([seen[0], seen.at(-1)], [0, rows]);
    ok(seen.every((count, at) => !at || count >= seen[at - 1]));
  }
});

Deno.test("a block has its row at the moment at which it works", () => {
  for (const moment of [3, 4, 5, 6]) {
    const { turn, block } = story.at(moment);
    deepEqual([story.rows(block, moment - 1), story.rows(block, moment)], [turn - 1, turn]);
  }
  for (const block of story.decoder) deepEqual([6, 7, 8].map((moment) => story.rows(block, moment)), [1, 2, 3]);
});

Deno.test("every moment but the ends takes time, attention more than what is as long to read", () => {
  deepEqual([story.duration(0), story.duration(story.last)], [0, 0]);
  ok(moments.slice(1, -1).every((moment) => story.duration(moment) > 0));
  const times = moments.map((moment) => story.duration(moment));
  deepEqual(moments.filter((moment) => times[moment] === Math.max(...times)), [2, 4]);
});

Deno.test("the whole is told in twenty seconds, however much there is to read or to write", () => {
  const wordy = beats.map((said) => said.repeat(9));
  for (const turns of [1, 2, 9, 40, 200]) {
    for (const said of [beats, wordy]) ok(lasts(told(turns, said)) < 19_600);
  }
});

Deno.test("what is longer to read stands longer, and what a word means in tags is not read", () => {
  const timed = (/** @type {string} */ first) => told(TURNS, ["", first, ...beats]).duration(1);
  ok(timed("some words, and some more") > timed("some words"));
  ok(timed("两朵红花") > timed("abcd"));
  equal(timed('<b class="encoder">word</b>'), timed("word"));
});

Deno.test("a brief moment leaves the sentence of the one before", () => {
  deepEqual(moments.map((moment) => story.tells(moment)), [0, 1, 2, 3, 4, 4, 6, 7, 8, 9]);
  ok(story.duration(5) < story.duration(4));
});

Deno.test("where nothing can be read there is one moment", () => {
  const none = new Story({ pictures, turns: [], cross: 3, threads: [], beats: [""] });
  equal(none.last, 0);
  deepEqual(none.at(0), { turn: 0 });
  deepEqual(pictures.map((_, index) => none.rows(index, 0)), pictures.map(() => 0));
});

Deno.test("words climb from block to block and never down within a turn", () => {
  const scenes = moments.map((moment) => sceneAt(story, levels, moment));
  deepEqual(scenes.slice(0, 3).map(({ source }) => source), [570, 475, 390]);
  ok(scenes.slice(3, -1).every(({ source }) => source === 390), "they wait for the decoder at the top");
  const ys = scenes.slice(3, 7).map(({ read }) => read.y);
  ok(ys.every((y, at) => !at || y <= ys[at - 1]));
  deepEqual(scenes.slice(3, -1).map(({ read }) => read.count), [1, 1, 1, 1, 2, 3]);
  deepEqual([scenes[0], scenes.at(-1)].map(({ source, read }) => [source, read.count]), [[570, 0], [570, TURNS]]);
});

Deno.test("a word comes out at the end of each turn, and there is one to collect from in attention alone", () => {
  const scenes = moments.map((moment) => sceneAt(story, levels, moment));
  deepEqual(scenes.map(({ out }) => out), [0, 0, 0, 0, 0, 0, 1, 2, 3, 0]);
  deepEqual(scenes.map(({ keys }) => keys?.line ?? ""), ["", "", "source", "", "source", "", "", "source", "source", ""]);
  deepEqual(scenes.map(({ keys }) => keys?.side ?? "").filter(Boolean), ["encoder", "decoder", "decoder", "decoder"]);
});

Deno.test("words stand in their order, none over another, within their room", () => {
  const widths = [2, 0.9, 3.4, 2.5, 2.4, 4.1, 3.2, 2.1, 2.2];
  for (const [room, smallest, largest] of [[280, 9, 12], [280, 16, 20], [160, 9, 12], [600, 9, 12]]) {
    const { x, lane, lanes, size } = lay(widths, room, smallest, largest);
    ok(size >= smallest && size <= largest);
    ok(x.every((middle, at) => !at || middle > x[at - 1]));
    for (const [at, middle] of x.entries()) {
      ok(middle - (size * widths[at]) / 2 >= -1e-9 && middle + (size * widths[at]) / 2 <= room + 1e-9);
      const before = at - lanes;
      if (before >= 0) ok(middle - (size * widths[at]) / 2 > x[before] + (size * widths[before]) / 2);
    }
    deepEqual(lane, widths.map((_, at) => at % lanes));
  }
});

Deno.test("as few lines as can be read; words that cannot are dots, side by side", () => {
  const widths = Array(9).fill(3);
  deepEqual([400, 200, 125].map((room) => lay(widths, room, 9, 12).lanes), [1, 2, 3]);
  const dots = lay(widths, 60, 9, 12);
  equal(dots.size, 0);
  ok(dots.x.every((x, at) => x > 0 && x < 60 && (!at || x > dots.x[at - 1])));
});

Deno.test("a word runs along the corners at an even pace, to where it stands", () => {
  deepEqual(corners("0,0 3,4 3,10"), [[0, 0], [3, 4], [3, 10]]);
  const frames = keyframes([[0, 0], [6, 8], [6, 28]]);
  deepEqual(frames.map(({ offset }) => offset), [0, 10 / 30, 1]);
  deepEqual([frames[1].transform, frames[2].transform], ["translate(0px, -20px)", "translate(0px, 0px)"]);
});

Deno.test("weights are read row by row, from none to all", () => {
  deepEqual(rowsOf({ bytes: btoa(String.fromCodePoint(0, 255, 51, 204)), keys: 2 }), [[0, 1], [0.2, 0.8]]);
});
