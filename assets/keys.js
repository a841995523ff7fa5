// All keys of the page in one list: `?` shows it and puts it away. Once is enough; the page says the words anew whenever
// its language changes.

import { typing } from "./typing.js";

(() => {
  if (window.glassformerKeys) return;

  const dialog = document.createElement("dialog");
  dialog.className = "keys";

  /** @param {string} name @param {string} [text] @param {Node[]} inside */
  const made = (name, text = "", ...inside) => {
    const part = document.createElement(name);
    part.append(text, ...inside);
    return part;
  };

  const turn = () => {
    if (dialog.open) dialog.close();
    else if (!document.querySelector("dialog[open]")) dialog.showModal();
  };
  document.addEventListener(
    "keydown",
    (event) => {
      const { key, target, ctrlKey, altKey, metaKey } = event;
      if (key !== "?" || ctrlKey || altKey || metaKey || typing(target)) return;
      event.preventDefault();
      event.stopPropagation();
      turn();
    },
    true,
  );
  dialog.addEventListener("keydown", (event) => event.stopPropagation()); // what is behind keeps still
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog || (target instanceof Element && target.closest("button"))) dialog.close();
  });
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element && event.target.closest(".keys-open"))) return;
    event.preventDefault();
    turn();
  });

  window.glassformerKeys = ({ title, close, groups }) => {
    const lists = groups.map(({ name, keys }) => {
      const rows = keys.map(([pressed, done]) => {
        const each = pressed.split(" ").map((key) => made("kbd", key));
        return made("div", "", made("dt", "", ...each), made("dd", done));
      });
      return made("section", "", made("h3", name), made("dl", "", ...rows));
    });
    const button = Object.assign(made("button", "✕"), { type: "button", ariaLabel: close });
    dialog.replaceChildren(made("div", "", made("h2", title), button, ...lists));
    dialog.setAttribute("aria-label", title);
    if (!dialog.isConnected) document.querySelector(".stAppViewContainer").append(dialog);
  };
})();
