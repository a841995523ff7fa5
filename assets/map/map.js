// Figure 1 on the page: plays what it is given, and says which block the reader chose, by click or Enter.

import { followPaper } from "./paper.js";
import { Player } from "./player.js";

/** @import { MapMessage } from "./types.d.ts" */
/** @typedef {HTMLElement & {player?: Player}} Root the player stays with its drawing */

/**
 * @param {{data: [MapMessage], parentElement: HTMLElement, setTriggerValue: (name: string, value: unknown) => void}} component
 */
export default function ({ data: [data], parentElement, setTriggerValue }) {
  const root = /** @type {Root} */ (parentElement.querySelector(".map"));
  if (!root.player) followPaper((root.player = new Player(root)));
  root.player.update(data);
  const figure = /** @type {HTMLElement} */ (root.querySelector(".figure-one"));
  /** @param {Event} event */
  const choose = (event) => {
    const block = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest(".block"));
    if (!block || (event instanceof KeyboardEvent && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    setTriggerValue("block", Number(block.dataset.block));
  };
  figure.onclick = choose;
  figure.onkeydown = choose;
  return () => root.player.leave();
}
