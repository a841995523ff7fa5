// A search as a tree: draws the SVG it is given, shows the way to the node pointed at and how its score adds up, and
// says which one was chosen.
export default function ({ data, parentElement, setTriggerValue }) {
  const figure = parentElement.querySelector(".tree");
  const sum = figure.querySelector(".tree-sum");
  if (figure.dataset.svg !== data.svg) {
    figure.querySelector(".tree-window").innerHTML = data.svg;
    figure.dataset.svg = data.svg;
  }
  const nodeOf = (event) => event.target.closest?.(".token");
  const point = (node) => {
    const way = new Set();
    for (let at = node; at; at = figure.querySelector(`.token[data-at="${at.dataset.parent}"]`)) way.add(at.dataset.at);
    for (const part of figure.querySelectorAll("[data-at]"))
      part.classList.toggle("aside", way.size > 0 && !way.has(part.dataset.at));
    sum.textContent = node ? node.dataset.sum : data.hint;
  };
  const choose = (event) => {
    const node = nodeOf(event);
    if (!node || (event.type === "keydown" && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    setTriggerValue("node", Number(node.dataset.at));
  };
  point(null);
  figure.onpointerover = (event) => point(nodeOf(event));
  figure.onpointerleave = () => point(null);
  figure.onclick = choose;
  figure.onkeydown = choose;
  if (figure.dataset.heard) return; // there is no `onfocusin`, and a listener is to be added once
  figure.dataset.heard = "yes";
  figure.addEventListener("focusin", (event) => point(nodeOf(event)));
  figure.addEventListener("focusout", () => point(null));
}
