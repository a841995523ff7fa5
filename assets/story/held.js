// The scenes of stories, which come once: the scene that is told first, the others when they are asked for.

/** @import { SceneMessage, StoryMessage } from "./types.d.ts" */

const HELD = 8; // stories, ui/components/story.py
/** @type {Map<string, SceneMessage[]>} */
const held = new Map();

/** Whether the beats of a scene are there. @param {SceneMessage} scene */
export function whole({ wide }) {
  return Array.isArray(wide);
}

/**
 * The scenes of a story with those that a message brings; none where it is unknown and the message brings none.
 * @param {StoryMessage} message @returns {SceneMessage[]}
 */
export function gathered({ name, scenes }) {
  const known = held.get(name) ?? [];
  /** @type {SceneMessage[]} */
  const come = scenes ? JSON.parse(scenes) : [];
  const all = come.length ? come.map((scene, at) => (whole(scene) ? scene : (known[at] ?? scene))) : known;
  if (!name) return all; // of a time-lapse, which comes whole
  held.delete(name);
  if (all.length) held.set(name, all);
  if (held.size > HELD) held.delete(held.keys().next().value);
  return all;
}
