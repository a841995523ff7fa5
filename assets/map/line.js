// Words side by side in a column of the figure: on one line, on up to three in turns, or as dots where there are too many.

/** @import { Laid } from "./types.d.ts" */

const LANES = 3;
const GAP = 0.3; // between two words, in sizes of a letter

/**
 * @param {number[]} widths of the words, in sizes of a letter
 * @param {number} room in which they stand, from 0 @param {number} smallest letters that can be read @param {number} largest
 * @returns {Laid}
 */
export function lay(widths, room, smallest, largest) {
  const spread = (/** @type {number} */ at) => (room * (at + 0.5)) / widths.length;
  for (let lanes = 1; lanes <= LANES; lanes += 1) {
    const { middles, needed } = inLanes(widths, lanes);
    const size = Math.min(largest, room / needed);
    if (size < smallest) continue;
    const slack = room - size * needed;
    const x = middles.map((middle, at) => size * middle + (slack * (at + 0.5)) / widths.length);
    return { x, lane: widths.map((_, at) => at % lanes), lanes, size };
  }
  return { x: widths.map((_, at) => spread(at)), lane: widths.map(() => 0), lanes: 1, size: 0 };
}

/**
 * As close together as they go, one after the other from left to right, each on the next line.
 * @param {number[]} widths @param {number} lanes
 */
function inLanes(widths, lanes) {
  const ends = Array.from({ length: lanes }, () => 0);
  let before = 0;
  const middles = widths.map((width, at) => {
    before = Math.max(before + (at ? GAP : 0), ends[at % lanes] + width / 2);
    ends[at % lanes] = before + width / 2 + GAP;
    return before;
  });
  return { middles, needed: Math.max(...ends) - GAP };
}
