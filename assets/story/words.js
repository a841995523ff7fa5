// What a story says: its sentences, each with where its numbers are from, and the names of its parts.

import { draw } from "../drawing.js";

/** @import { SceneMessage } from "./types.d.ts" */

/** @param {SceneMessage[]} scenes */
export function sentencesOf(scenes) {
  return scenes.map(({ sentence, origin }) => {
    const place = document.createElement("div");
    const said = document.createElement("p");
    draw(said, sentence);
    const from = document.createElement("code");
    from.textContent = origin;
    place.append(said, from);
    return place;
  });
}

/** @param {HTMLElement} root @param {(part: string) => HTMLElement} find @param {Record<string, string>} words */
export function nameParts(root, find, words) {
  root.setAttribute("aria-label", words.name);
  find("stage").setAttribute("aria-label", words.keys);
  find("take").title = find("take").textContent = words.take;
  find("film").textContent = words.film ?? "";
  find("kind").ariaLabel = words.film_kind ?? "";
}
