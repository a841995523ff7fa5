// Mixed-up lines of a function: a bench on which a reader puts them in order.
import { Bench } from "./bench.js";

/** @type {WeakMap<Element, Bench>} */
const benches = new WeakMap();

/**
 * @param {{data: import("./bench.js").MendMessage[], parentElement: HTMLElement, setTriggerValue: import("./bench.js").TellMend}} component
 */
export default function ({ data: [message], parentElement, setTriggerValue }) {
  /** @type {HTMLElement} */
  const root = parentElement.querySelector(".mend");
  if (!benches.has(root)) benches.set(root, new Bench(root));
  benches.get(root).receive(message, setTriggerValue);
}
