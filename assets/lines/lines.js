// Weights as lines: draws the SVG it is given, shows the lines of the token pointed at, and says which one was chosen.
import { draw } from "../drawing.js";

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
  /** @param {Event} event @returns {HTMLElement | null} */
  const tokenOf = (event) => /** @type {Element} */ (event.target).closest(".token");
  /** @param {HTMLElement | null} token */
  const point = (token) => {
    const [side, index] = token ? [token.dataset.side, token.dataset.index] : [];
    for (const line of figure.querySelectorAll("line"))
      line.classList.toggle("aside", side !== undefined && line.dataset[side] !== index);
  };
  /** @param {Event} event */
  const choose = (event) => {
    const token = tokenOf(event);
    if (!token || (event instanceof KeyboardEvent && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    setTriggerValue("token", { side: token.dataset.side, index: Number(token.dataset.index) });
  };
  figure.onpointerover = (event) => point(tokenOf(event));
  figure.onpointerleave = () => point(null);
  figure.onclick = choose;
  figure.onkeydown = choose;
  if (figure.dataset.heard) return; // there is no `onfocusin`, and a listener is to be added once
  figure.dataset.heard = "yes";
  figure.addEventListener("focusin", (event) => point(tokenOf(event)));
  figure.addEventListener("focusout", () => point(null));
}
