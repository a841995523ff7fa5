// The scenes of stories come in parts, each once: what has come is kept, by the story's name.

import { deepEqual, equal } from "node:assert/strict";
import { gathered, whole } from "../../assets/story/held.js";

const known = (at) => ({ sentence: `s${at}`, wide: at + 1, narrow: at + 2 });
const told = (at) => ({ ...known(at), wide: [`w${at}`], narrow: [`n${at}`] });
const message = (name, scenes) => ({ name, scenes: scenes && JSON.stringify(scenes) });

Deno.test("the scene that is told comes first, the others when they are asked for", () => {
  const first = gathered(message("one", [known(0), told(1), known(2)]));
  deepEqual(first.map(whole), [false, true, false]);
  const all = gathered(message("one", [told(0), told(1), told(2)]));
  deepEqual(all.map(whole), [true, true, true]);
  equal(gathered(message("one", "")), all, "nothing comes again");
  deepEqual(gathered(message("one", [known(0), known(1), told(2)])), all, "and what is there stays");
});

Deno.test("a story that is unknown, and of which nothing comes, is lacking", () => {
  deepEqual(gathered(message("another", "")), []);
  deepEqual(gathered(message("another", [told(0)])), [told(0)]);
});

Deno.test("the longest unused story goes", () => {
  gathered(message("old", [told(0)]));
  for (let at = 0; at < 7; at += 1) gathered(message(`story ${at}`, [told(at)]));
  deepEqual(gathered(message("old", "")), [told(0)]);
  for (let at = 0; at < 8; at += 1) gathered(message(`story ${at}`, [told(at)]));
  deepEqual(gathered(message("old", "")), []);
});

Deno.test("a time-lapse, which has no name, comes whole", () => {
  deepEqual(gathered(message("", [told(3)])), [told(3)]);
  deepEqual(gathered(message("", [told(4)])), [told(4)]);
});
