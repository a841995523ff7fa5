// The keys of a lecture: a clicker, or a hand on the keyboard, leads on whatever has the focus. Streamlit may run this
// again: once is enough.

(() => {
  if (window.glassformerLecture) return;
  window.glassformerLecture = true;

  /** @type {Record<string, "on" | "back">} */
  const LEADS = { ArrowRight: "on", PageDown: "on", " ": "on", ArrowLeft: "back", PageUp: "back" };
  /** @type {Record<string, number>} */
  const SCROLLS = { ArrowUp: -0.15, ArrowDown: 0.15, Home: -Infinity, End: Infinity }; // of the screen
  const WITHOUT_LETTERS = new Set(["range", "checkbox", "radio", "button"]);
  const LISTS = "[role=combobox][aria-expanded=true], [role=listbox], [role=listbox] *";
  const MOVED = "canvas, [role=slider], input[type=range], .mend-line"; // what has arrows of its own

  const bar = () => document.querySelector(".st-key-lecture");
  /** @param {EventTarget} target @param {string} selector */
  const is = (target, selector) => target instanceof Element && target.matches(selector);
  /** @param {EventTarget} target */
  const writing = (target) =>
    (target instanceof HTMLElement && target.isContentEditable) ||
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && !WITHOUT_LETTERS.has(target.type) && !target.readOnly) ||
    is(target, LISTS);

  /** @param {"on" | "back"} way */
  const lead = (way) => {
    /** @type {HTMLElement | null} */
    const button = bar().querySelector(`.st-key-lecture-${way} button:enabled`);
    button?.click();
  };

  /** @param {number} share of the screen */
  const scroll = (share) => {
    const main = document.querySelector(".stMain");
    const by = Number.isFinite(share) ? share * main.clientHeight : Math.sign(share) * main.scrollHeight;
    main.scrollBy({ top: by });
  };

  const turnControls = () => document.documentElement.toggleAttribute("data-controls");

  /** What the key does; false where it is none of ours. @param {KeyboardEvent} event */
  const act = ({ target, key, shiftKey, repeat }) => {
    if (key === "Escape") {
      if (!writing(target) || document.querySelector("[role=dialog]") || is(target, LISTS)) return false;
      /** @type {HTMLElement} */ (document.activeElement).blur();
      return true;
    }
    if (writing(target)) return false;
    if (shiftKey && key.startsWith("Arrow")) {
      if (!is(target, MOVED)) return false;
      target.dispatchEvent(new KeyboardEvent("keydown", { key, code: key, bubbles: true }));
    } else if (shiftKey) return false;
    else if (LEADS[key]) {
      if (!repeat) lead(LEADS[key]); // a key held down is one step
    } else if (SCROLLS[key]) scroll(SCROLLS[key]);
    else if (key === "m") turnControls();
    else if (key === "n") /** @type {HTMLElement | null} */ (document.querySelector(".presenter-open"))?.click();
    else return false;
    return true;
  };

  /** @param {Event} event */
  const held = (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  /** @param {KeyboardEvent} event */
  const plain = (event) => event.isTrusted && bar() && !event.ctrlKey && !event.altKey && !event.metaKey;
  window.addEventListener("keydown", (event) => plain(event) && act(event) && held(event), true);
  // A button with the focus is pressed when the key comes up.
  window.addEventListener("keyup", (event) => plain(event) && event.key === " " && !writing(event.target) && held(event), true);

  // The menu and the controls are away until asked for.
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element && event.target.closest(".lecture-controls"))) return;
    event.preventDefault();
    turnControls();
  });
})();
