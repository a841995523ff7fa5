// Figure 1 on the page: plays what it is given, and says which block the reader chose, by click or Enter.
export default function ({ data: [data], parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".map");
  root.player ??= new Player(root);
  root.player.update(data);
  const figure = root.querySelector(".figure-one");
  const blockOf = (event) => event.target.closest?.(".block");
  const choose = (event) => {
    const block = blockOf(event);
    if (!block || (event.type === "keydown" && event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    window.holdSection?.(block.dataset.section);
    setTriggerValue("block", Number(block.dataset.block));
  };
  const look = (event) => {
    const block = blockOf(event);
    root.player.look(block ? Number(block.dataset.block) : undefined);
  };
  figure.onclick = choose;
  figure.onkeydown = choose;
  figure.onpointerover = look;
  figure.onfocusin = look;
  figure.onpointerleave = () => root.player.look();
  figure.onfocusout = () => root.player.look();
  return () => root.player.pause();
}
