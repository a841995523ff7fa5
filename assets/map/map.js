// Figure 1: draws the SVG it is given and says which block the reader chose, by click or Enter.
export default function ({ data, parentElement, setTriggerValue }) {
  const figure = parentElement.querySelector(".figure-one");
  if (figure.dataset.svg !== data.svg) {
    figure.innerHTML = data.svg;
    figure.dataset.svg = data.svg;
  }
  const choose = (event) => {
    const block = event.target.closest(".block");
    if (!block || (event.type === "keydown" && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    window.holdSection?.(block.dataset.section);
    setTriggerValue("block", Number(block.dataset.block));
  };
  figure.onclick = choose;
  figure.onkeydown = choose;
}
