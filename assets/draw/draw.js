// A sheet on which a reader draws a curve, or bars that keep their sum.
import { Sheet } from "./sheet.js";

/** @type {WeakMap<Element, Sheet>} */
const sheets = new WeakMap();

/**
 * @param {{data: import("./sheet.js").SheetMessage[], parentElement: HTMLElement, setTriggerValue: import("./sheet.js").TellSheet}} component
 */
export default function ({ data: [message], parentElement, setTriggerValue }) {
  /** @type {HTMLElement} */
  const root = parentElement.querySelector(".draw");
  if (!sheets.has(root)) sheets.set(root, new Sheet(root));
  const sheet = sheets.get(root);
  sheet.receive(message, setTriggerValue);
  return () => sheet.leave();
}
