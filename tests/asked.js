// What the tests ask of the scripts in `assets`, a JSON line each: {"ask": name, "given": [...]}; answered in order.

import { finder } from "../assets/search_ranking.js";
import { Matrices } from "../assets/matrix/matrices.js";
import { short } from "../assets/matrix/numbers.js";
import { Gif, matcher, paletteOf } from "../assets/story/gif.js";
import { faults } from "./client/plays.js";
import { misread } from "./client/sums.js";

const ASKED = {
  /** Of each thing looked for in the file of the search, what is found, the best first. */
  finds: (found, typed) => typed.map(finder(found)),
  /** Of each [value, digits], the value as the text that Python writes of it. */
  short: (numbers) => numbers.map(([value, digits]) => short(Number(value.replace("inf", "Infinity")), digits)),
  /** Of pictures, each with the time when it is first seen, the bytes of a GIF that ends at a time. */
  gif: (width, height, palette, pictures, end) => {
    const file = new Gif(width, height, palette);
    for (const [picture, at] of pictures) file.add(Uint8Array.from(picture), at);
    return file.end(end).flatMap((part) => [...part]);
  },
  /** Of the colours of a theme the palette, and of each colour asked for the nearest in it. */
  matched: (colors, asked) => {
    const palette = paletteOf(colors);
    const found = matcher(palette)(Uint8ClampedArray.from(asked.flatMap((color) => [...color, 255])));
    return { palette, found: [...found].map((at) => palette[at]) };
  },
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
