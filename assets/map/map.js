// Figure 1 on the page: plays what it is given, and says which block the reader chose, by click or Enter.
export default function ({ data: [data], parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".map");
  if (!root.player) followPaper((root.player = new Player(root)));
  root.player.update(data);
  const figure = root.querySelector(".figure-one");
  const choose = (event) => {
    const block = event.target.closest(".block");
    if (!block || (event.type === "keydown" && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    window.holdSection?.(block.dataset.section);
    setTriggerValue("block", Number(block.dataset.block));
  };
  figure.onclick = choose;
  figure.onkeydown = choose;
  return () => root.player.pause();
}
