// A story as its moments: every beat of every scene, one after the other. Pure.

import { casts } from "./tween.js";

/** @import { BeatMessage, Moment, SceneMessage } from "./types.d.ts" */

/** @type {BeatMessage} */
const STILL_TO_COME = { glide: 0, rest: 0, actors: [], gone: [] }; // a beat

/**
 * The moments, and of each scene the first one and the last.
 * @param {SceneMessage[]} scenes @param {"wide" | "narrow"} kind of the stage
 */
export function momentsOf(scenes, kind) {
  /** @type {Moment[]} */
  const moments = [];
  /** @type {number[]} */
  const starts = [];
  /** @type {number[]} */
  const ends = [];
  for (const [scene, told] of scenes.entries()) {
    const how = told[kind];
    const beats = typeof how === "number" ? Array(how).fill(STILL_TO_COME) : how;
    const every = casts(beats);
    starts.push(moments.length);
    for (const [at, { glide, rest }] of beats.entries())
      moments.push({ scene, glide, rest, cast: every[at], last: at === beats.length - 1 });
    ends.push(moments.length - 1);
  }
  return { moments, starts, ends };
}
