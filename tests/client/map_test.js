import { deepEqual, equal, ok } from "node:assert/strict";
import { corners, keyframes } from "../../assets/map/motion.js";
import { Story } from "../../assets/map/story.js";

const picture = (side, rows) => ({ side, size: [1, rows, 4] });
const TURNS = 3;
const pictures = [picture("encoder", 5), picture("encoder", 5), ...Array(4).fill(picture("decoder", TURNS))];
const story = new Story({ pictures, turns: Array(TURNS).fill(["a", "b"]), cross: 3 });

Deno.test("the encoder works once, the decoder in every turn, and the last moment is the whole", () => {
  equal(story.last, 2 + 4 * TURNS + 1);
  deepEqual(story.at(0), { turn: 0 });
  deepEqual([1, 2, 3, 6, 7].map((moment) => story.at(moment)),
    [[0, 0], [0, 1], [1, 2], [1, 5], [2, 2]].map(([turn, block]) => ({ turn, block })));
  deepEqual(story.at(story.last), { turn: TURNS });
});

Deno.test("nothing is taken away on the way, and in the end all rows are there", () => {
  for (const [index, { size: [, rows] }] of pictures.entries()) {
    const seen = Array.from({ length: story.last + 1 }, (_, moment) => story.rows(index, moment));
    deepEqual([seen[0], seen.at(-1)], [0, rows]);
    ok(seen.every((count, at) => !at || count >= seen[at - 1]));
  }
});

Deno.test("a block has its row at the moment at which it works", () => {
  for (let moment = 3; moment < story.last; moment += 1) {
    const { turn, block } = story.at(moment);
    deepEqual([story.rows(block, moment - 1), story.rows(block, moment)], [turn - 1, turn]);
  }
});

Deno.test("every moment but the ends takes time, and long stories hurry", () => {
  const long = new Story({ pictures, turns: Array(200).fill(["a", "b"]), cross: 3 });
  deepEqual([story.duration(0), story.duration(story.last)], [0, 0]);
  ok(Array.from({ length: story.last - 1 }, (_, at) => story.duration(at + 1)).every((time) => time > 0));
  let later = 0;
  for (let moment = 3 + 4; moment < long.last; moment += 1) later += long.duration(moment);
  ok(later <= 20_100);
});

Deno.test("a dot runs along the corners at an even pace", () => {
  deepEqual(corners("0,0 3,4 3,10", 2), [[0, 0], [6, 8], [6, 20]]);
  const frames = keyframes([[0, 0], [6, 8], [6, 28]], "-50%");
  deepEqual(frames.map(({ offset }) => offset), [0, 10 / 30, 1]);
  equal(frames[1].transform, "translate(6px, 8px) translate(-50%, -50%)");
});
