// Weights as lines: draws the SVG it is given, shows the lines of the token pointed at, and says which one was chosen.
import { draw } from "../drawing.js";
import { hear } from "../tokens.js";

/**
 * @param {{data: {svg: string}, parentElement: HTMLElement, setTriggerValue: (name: string, value: unknown) => void}} component
 */
export default function ({ data, parentElement, setTriggerValue }) {
  /** @type {HTMLElement} */
  const figure = parentElement.querySelector(".lines");
  if (figure.dataset.svg !== data.svg) {
    draw(figure, data.svg);
    figure.dataset.svg = data.svg;
  }
  /** @param {HTMLElement | null} token */
  const point = (token) => {
    const [side, index] = token ? [token.dataset.side, token.dataset.index] : [];
    for (const line of figure.querySelectorAll("line"))
      line.classList.toggle("aside", side !== undefined && line.dataset[side] !== index);
  };
  hear(figure, point, ({ dataset }) => setTriggerValue("token", { side: dataset.side, index: Number(dataset.index) }));
}
