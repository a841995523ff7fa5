// What the tests ask of the scripts in `assets`, a JSON line each: {"ask": name, "given": [...]}; answered in order.

import { finder } from "../assets/search_ranking.js";
import { Matrices } from "../assets/matrix/matrices.js";
import { short } from "../assets/matrix/numbers.js";
import { faults } from "./client/plays.js";
import { misread } from "./client/sums.js";

const ASKED = {
  /** Of each thing looked for in the file of the search, what is found, the best first. */
  finds: (found, typed) => typed.map(finder(found)),
  /** Of each [value, digits], the value as the text that Python writes of it. */
  short: (numbers) => numbers.map(([value, digits]) => short(Number(value.replace("inf", "Infinity")), digits)),
  /** Per panel with a formula, how far it is from the numbers; the sums that do not add up; what its play breaks. */
  board: (message) => {
    const matrices = new Matrices(message);
    return { furthest: matrices.furthest(), misread: [...misread(matrices)], faults: [...faults(matrices)] };
  },
};

const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream()).pipeThrough(split());
for await (const line of lines) {
  const { ask, given } = JSON.parse(line);
  let answer;
  try {
    answer = { found: ASKED[ask](...given) };
  } catch (error) {
    answer = { error: error.stack };
  }
  await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify(answer)}\n`));
}

function split() {
  let rest = "";
  return new TransformStream({
    transform(text, to) {
      const parts = (rest + text).split("\n");
      rest = parts.pop();
      for (const part of parts) to.enqueue(part);
    },
  });
}
