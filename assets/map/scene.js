// Where the words stand at a moment: the source's beside the encoder, those that the decoder reads beside the decoder.

/** @import { Box } from "./types.d.ts" */
/** @import { Story } from "./story.js" */
/**
 * Heights in the drawing: of the input of either side, and above and below every block.
 * @typedef {{input: {encoder: number, decoder: number}, above: number[], below: number[]}} Levels
 */
/**
 * `keys` are the words from which those of a block of attention collect; `out` is the turn whose word is just written.
 * @typedef {{source: number, read: {count: number, y: number}, out: number,
 *   keys?: {line: "source" | "read", side: "encoder" | "decoder", count: number, y: number}}} Scene
 */

const BELOW = 20; // the first block

/** @param {Box[]} boxes of the blocks @param {Pick<Story, "encoder" | "decoder">} story @returns {Levels} */
export function levelsOf(boxes, { encoder, decoder }) {
  const bottom = (/** @type {number} */ index) => boxes[index].top + boxes[index].height;
  const above = boxes.map(({ top }, index) => {
    const side = encoder.includes(index) ? encoder : decoder;
    return index === side.at(-1) ? top - BELOW / 2 : (top + bottom(index + 1)) / 2;
  });
  above[decoder.at(-1)] = above[decoder.at(-2)]; // into the last one, out of which comes another word
  const input = { encoder: bottom(encoder[0]) + BELOW, decoder: bottom(decoder[0]) + BELOW };
  const below = boxes.map((_, index) =>
    index === encoder[0] ? input.encoder : index === decoder[0] ? input.decoder : above[index - 1],
  );
  return { input, above, below };
}

/** @param {Story} story @param {Levels} levels @param {number} moment @returns {Scene} */
export function sceneAt(story, levels, moment) {
  const { turn, block } = story.at(moment);
  const { input, above, below } = levels;
  if (block === undefined) return { source: input.encoder, read: { count: turn, y: input.decoder }, out: 0 };
  /** @type {Scene} */
  const scene = {
    source: above[turn ? story.encoder.at(-1) : block],
    read: { count: turn, y: above[block] },
    out: turn > 1 || block === story.decoder.at(-1) ? turn : 0,
  };
  if (story.attention.has(block)) {
    const line = turn && block !== story.cross ? "read" : "source";
    const count = line === "read" ? turn : Infinity;
    scene.keys = { line, side: turn ? "decoder" : "encoder", count, y: below[block] };
  }
  return scene;
}
