// The search: `/`, or the button above the menu. What is found are links, so that they open as links do; arrows lead from
// one to the next, and what is typed goes on into the field. Once is enough. The page says where the file of what can be
// found is, and says it again whenever its language changes.

import { finder } from "./search_ranking.js";
import { typing } from "./typing.js";

(() => {
  if (window.glassformerSearches) return;

  /** @typedef {import("./search_ranking.js").Entry} Entry */
  /** @type {((typed: string) => Entry[]) | null} */
  let find = null; // before the entries are there
  let file = ""; // of the entries
  let asked = ""; // the file that is on its way
  let away = false; // whether it did not come
  let stirred = false; // whether the reader has done anything here yet
  /** @type {Record<string, string>} */
  let words = {};
  let lang = "";

  const dialog = document.createElement("dialog");
  dialog.className = "search";
  const box = document.createElement("div");
  dialog.append(box);
  const field = document.createElement("input");
  Object.assign(field, { type: "text", maxLength: 200, autocomplete: "off", spellcheck: false, enterKeyHint: "go" });
  field.setAttribute("role", "searchbox");
  const close = document.createElement("button");
  Object.assign(close, { type: "button", className: "search-close", textContent: "✕" });
  const said = document.createElement("p");
  said.setAttribute("role", "status");
  const list = document.createElement("ul");
  const every = document.createElement("a");
  every.className = "found-there";
  box.append(field, close, said, list, every);
  const float = document.createElement("button"); // where the menu is away
  Object.assign(float, { type: "button", className: "search-open search-float" });
  const icon = document.createElement("span");
  Object.assign(icon, { className: "icon", textContent: "search", translate: false, ariaHidden: "true" });
  float.append(icon);

  /** The menu's link to a chapter: as the reader has left it. @param {string} chapter @returns {HTMLAnchorElement | null} */
  const inMenu = (chapter) => document.querySelector(`.menu > [data-chapter=${CSS.escape(chapter)}]`);
  /** Let a link lead to a chapter, at a section. @param {HTMLAnchorElement} link @param {string} chapter @param {string} [section] */
  const lead = (link, chapter, section) => {
    const there = inMenu(chapter);
    const hash = section ? `#${section}` : "";
    // where one section stands alone, and none is listed, the others are on the whole page
    const here = hash && there?.hasAttribute("aria-current") && document.querySelector(".menu .contents");
    link.className = here ? "found-here" : "found-there";
    link.href = here ? hash : (there?.getAttribute("href") ?? `${chapter === "map" ? "./" : chapter}?lang=${lang}`) + hash;
  };

  /** @param {Entry} entry */
  const result = ({ kind, title, text, link, chapter, section }) => {
    const found = document.createElement("a");
    if (link) Object.assign(found, { href: link, target: "_blank", rel: "noopener" }); // it sets all that there is to set
    else lead(found, chapter, section);
    for (const [name, told] of Object.entries({ small: words[kind] + (link ? " ↗" : ""), b: title, span: text })) {
      const part = document.createElement(name);
      part.textContent = told;
      found.append(part);
    }
    const item = document.createElement("li");
    item.append(found);
    return item;
  };

  /** What is said of a search for what is typed. @param {Entry[]} found */
  const told = (found) => {
    if (!field.value.trim()) return words.hint;
    if (!find) return away ? words.away : "";
    if (!found.length) return words.none;
    return found.length === 1 ? words.one : words.many.replace("#", String(found.length));
  };

  const show = () => {
    fetchEntries();
    const found = find?.(field.value) ?? [];
    list.replaceChildren(...found.map(result));
    said.textContent = told(found);
  };

  const fetchEntries = async () => {
    if (find || asked === file) return;
    const from = (asked = file);
    const typed = field.value;
    /** @type {{entries: Entry[], synonyms: string[][]} | null} */
    let found = null;
    try {
      const answer = await fetch(from);
      if (answer.ok) found = await answer.json();
    } catch {} // without a network: what is typed next asks again
    if (from !== file) return; // the language has changed meanwhile
    asked = "";
    away = !found;
    if (found) find = finder(found);
    if (!dialog.open) return;
    if (found || field.value !== typed) show();
    else said.textContent = told([]);
  };

  const open = () => {
    if (dialog.open || !words.name) return;
    lead(every, "questions");
    dialog.showModal();
    field.select();
    show();
  };

  const links = () => [...dialog.querySelectorAll("a")];
  /** @param {1 | -1} by */
  const move = (by) => {
    /** @type {HTMLElement[]} */
    const stops = [field, ...links()];
    const at = stops.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + by;
    stops[Math.max(0, Math.min(at, stops.length - 1))].focus();
  };

  field.addEventListener("input", show);
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) dialog.close(); // beside the box
    else if (target instanceof Element && target.closest("a:not([target])")) dialog.close();
  });
  dialog.addEventListener("keydown", (event) => {
    event.stopPropagation(); // Streamlit's shortcuts are for the page behind
    const { key } = event;
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    if (key === "ArrowDown") move(1);
    else if (key === "ArrowUp") move(-1);
    else if (key === "Escape") dialog.close();
    else if (key === "Enter" && event.target === field) list.querySelector("a")?.click();
    else {
      if (event.target instanceof HTMLAnchorElement && (key.length === 1 || key === "Backspace")) field.focus();
      return;
    }
    event.preventDefault();
  });

  const elsewhere = () => document.querySelector(".st-key-lecture, [role=dialog], dialog[open]");
  document.addEventListener(
    "keydown",
    (event) => {
      const { key, target, ctrlKey, altKey, metaKey } = event;
      if (key !== "/" || ctrlKey || altKey || metaKey || typing(target) || elsewhere()) return;
      event.preventDefault();
      event.stopPropagation();
      open();
    },
    true,
  );
  document.addEventListener("click", ({ target }) => {
    if (target instanceof Element && target.closest(".search-open")) open();
  });

  // It shall be there when it is wanted, also without a network; but who only looks at the page does not load it.
  const fetchSoon = () => (window.requestIdleCallback ?? setTimeout)(fetchEntries);
  const signs = ["pointerdown", "keydown", "wheel"];
  const stir = () => {
    stirred = true;
    for (const sign of signs) removeEventListener(sign, stir, true);
    fetchSoon();
  };
  for (const sign of signs) addEventListener(sign, stir, { capture: true, passive: true });

  window.glassformerSearches = (from, given) => {
    if (from !== file) [file, find, asked, away] = [from, null, "", false];
    if (stirred) fetchSoon();
    words = given;
    lang = document.documentElement.lang;
    dialog.setAttribute("aria-label", words.name);
    field.setAttribute("aria-label", words.name);
    field.placeholder = words.placeholder;
    close.setAttribute("aria-label", words.close);
    every.textContent = words.every;
    for (const part of [float, dialog]) if (!part.isConnected) document.querySelector(".stAppViewContainer").append(part);
    float.setAttribute("aria-label", words.name);
    if (dialog.open) show();
  };
})();
