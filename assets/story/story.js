// A story on the page: tells what it is given, and says which scene the reader has gone to, or takes over.

import { followPaper, leavePaper } from "../matrix/paper.js";
import { Teller } from "./teller.js";

/** @import { StoryMessage } from "./types.d.ts" */
/** @typedef {(name: string, value: unknown) => void} Tell */

/** @type {WeakMap<Element, Teller>} */
const tellers = new WeakMap();

/** @param {{data: [StoryMessage], parentElement: HTMLElement, setStateValue: Tell, setTriggerValue: Tell}} component */
export default function ({ data: [data], parentElement, setStateValue, setTriggerValue }) {
  /** @type {HTMLElement} */
  const root = parentElement.querySelector(".story");
  let teller = tellers.get(root);
  if (!teller) tellers.set(root, (teller = new Teller(root)));
  const refit = () => teller.refit();
  followPaper(refit);
  teller.receive(data, setStateValue, setTriggerValue);
  return () => {
    leavePaper(refit);
    teller.release();
    tellers.delete(root);
  };
}
