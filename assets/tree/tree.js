// A search as a tree: draws the SVG it is given, shows the way to the node pointed at and how its score adds up, and
// says which one was chosen.
import { draw } from "../drawing.js";
import { hear } from "../tokens.js";

/** @typedef {{svg: string, hint: string}} TreeMessage */

/**
 * @param {{data: TreeMessage, parentElement: HTMLElement, setTriggerValue: (name: string, value: unknown) => void}} component
 */
export default function ({ data, parentElement, setTriggerValue }) {
  /** @type {HTMLElement} */
  const figure = parentElement.querySelector(".tree");
  const sum = figure.querySelector(".tree-sum");
  if (figure.dataset.svg !== data.svg) {
    draw(figure.querySelector(".tree-window"), data.svg);
    figure.dataset.svg = data.svg;
  }
  /** @param {string | undefined} at @returns {HTMLElement | null} */
  const named = (at) => figure.querySelector(`.token[data-at="${CSS.escape(at ?? "")}"]`);
  /** @param {HTMLElement | null} node */
  const point = (node) => {
    const way = new Set();
    for (let at = node; at; at = named(at.dataset.parent)) way.add(at.dataset.at);
    for (const part of /** @type {NodeListOf<SVGElement>} */ (figure.querySelectorAll("[data-at]")))
      part.classList.toggle("aside", way.size > 0 && !way.has(part.dataset.at));
    sum.textContent = node ? node.dataset.sum : data.hint;
  };
  point(null);
  hear(figure, point, ({ dataset }) => setTriggerValue("node", Number(dataset.at)));
}
