// The tokens of a drawing: which one is pointed at, by mouse or keyboard, and which is chosen.

/**
 * @param {HTMLElement} figure
 * @param {(token: HTMLElement | null) => void} point
 * @param {(token: HTMLElement) => void} choose
 */
export function hear(figure, point, choose) {
  /** @param {Event} event @returns {HTMLElement | null} */
  const tokenOf = (event) => /** @type {Element} */ (event.target).closest(".token");
  /** @param {Event} event */
  const chosen = (event) => {
    const token = tokenOf(event);
    if (!token || (event instanceof KeyboardEvent && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    choose(token);
  };
  figure.onpointerover = (event) => point(tokenOf(event));
  figure.onpointerleave = () => point(null);
  figure.onclick = chosen;
  figure.onkeydown = chosen;
  if (figure.dataset.heard) return; // there is no `onfocusin`, and a listener is to be added once
  figure.dataset.heard = "yes";
  figure.addEventListener("focusin", (event) => figure.onpointerover(/** @type {any} */ (event)));
  figure.addEventListener("focusout", (event) => figure.onpointerleave(/** @type {any} */ (event)));
}
