// What a page owes to those who hear it or have no mouse: its language, and that of the words in it which are of another;
// what Streamlit names in English alone; a way past menu and controls to the figure. Streamlit may run this again: once is
// enough. The page tells its language anew whenever that changes.

(() => {
  if (window.glassformerSpeaks) return;

  const FIGURES = [".story", ".matrix", ".figure-one", ".lines", ".tree", ".stEChartsChart"].map((kind) => `.stMain ${kind}`).join();
  const SKIP = "[data-testid=stSkipToContent]";
  // React keeps its own account of its texts; in these, which are not React's, a text may be taken to pieces.
  const OURS = ".stHtml, .story, .matrix, .map, .lines, .tree";
  const UNSPOKEN = "script, style, pre, code, math, .katex, [translate=no]";
  const SYMBOL = /⟨[^⟩]*⟩/g; // a start or an end, in every language
  /** @type {Record<string, {every: RegExp, run: RegExp}>} */
  const TONGUES = {
    zh: { every: /[\u3400-\u9fff]/, run: /[\u3400-\u9fff]+/g },
    en: { every: /[A-Za-z]{2}/, run: /(?<=“)[A-Za-z][A-Za-z ']*(?=”)/g }, // in Chinese, a token; others are terms
  };

  let own = "en";
  /** @type {Record<string, any> & {named: Record<string, string>}} */
  let words = { named: {} };
  const other = () => (own === "zh" ? "en" : "zh");

  /** Whether a text is of the other language, all of it. @param {string} text */
  const foreign = (text) => {
    const letters = text.replace(SYMBOL, "");
    return TONGUES[other()].every.test(letters) && !(own === "zh" ? TONGUES.zh.every : /[A-Za-z]/).test(letters);
  };

  /**
   * `lang` on an element, and off again when its text has changed.
   * @param {HTMLElement} element @param {string} text
   */
  const mark = (element, text) => {
    const is = foreign(text);
    if (is && !element.closest(`[lang=${other()}]`)) {
      element.setAttribute("lang", other()); // of an SVG's parts too
      element.dataset.tongue = "";
    } else if (!is && "tongue" in element.dataset) unmark(element);
  };
  /** @param {HTMLElement} element */
  const unmark = (element) => {
    element.removeAttribute("lang");
    delete element.dataset.tongue;
  };

  /** @param {Text} text */
  const read = (text) => {
    const parent = text.parentElement;
    if (!parent || parent.closest(UNSPOKEN)) return;
    const whole = parent.childNodes.length === 1 ? text.data : parent.textContent;
    mark(parent, whole);
    const { run } = TONGUES[other()];
    if (text.data.search(run) < 0 || parent.closest(`[lang=${other()}]`) || !parent.closest(OURS)) return;
    const pieces = [];
    let at = 0;
    for (const found of text.data.matchAll(run)) {
      const piece = document.createElementNS(parent.namespaceURI, parent.namespaceURI.endsWith("svg") ? "tspan" : "span");
      piece.textContent = found[0];
      piece.setAttribute("lang", other());
      pieces.push(text.data.slice(at, found.index), piece);
      at = found.index + found[0].length;
    }
    text.replaceWith(...pieces, text.data.slice(at));
  };

  const UPLOAD = "[data-testid=stFileUploaderDropzone]";
  // The name that Streamlit gives, or what it begins with: "Help for", "Fullscreen:"
  /** By element: that name, and what it has become. @type {WeakMap<Element, {english: string, said: string}>} */
  const given = new WeakMap();
  /** @param {HTMLElement} element */
  const rename = (element) => {
    if (element.closest(UPLOAD)) return; // our words, or each of us would put its own in the place of the other's for ever
    const label = element.getAttribute("aria-label");
    const before = given.get(element);
    const english = label === before?.said ? before.english : label;
    const found = Object.keys(words.named).find((name) => english === name || english.startsWith(`${name} `));
    const said = found ? words.named[found] + english.slice(found.length) : english;
    if (said !== label) element.setAttribute("aria-label", said);
    if (said !== english) given.set(element, { english, said });
    mark(element, said);
  };

  // The place for a file is a group, and its button has a name: the words that ui/frame/style.py puts there are for the eye.
  /** @param {Element} place */
  const nameUpload = (place) => {
    place.setAttribute("role", "group");
    const said = getComputedStyle(place).getPropertyValue("--choose");
    const button = place.querySelector("button");
    if (said && button && button.ariaLabel !== JSON.parse(said)) button.ariaLabel = JSON.parse(said);
  };

  /** @param {Node} root */
  const look = (root) => {
    if (root instanceof Text) {
      read(root);
      return;
    }
    if (!(root instanceof Element)) return;
    /** @param {string} selector @returns {HTMLElement[]} */
    const there = (selector) =>
      /** @type {HTMLElement[]} */ ([...(root.matches(selector) ? [root] : []), ...root.querySelectorAll(selector)]);
    there("[aria-label]").forEach(rename);
    for (const input of there("input[type=text], input[role=combobox]"))
      mark(input, /** @type {HTMLInputElement} */ (input).value);
    for (const program of there("pre:not([tabindex])")) program.tabIndex = 0; // the arrows move one that is too wide
    /** @type {Text[]} */
    const texts = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = /** @type {Text} */ (walker.currentNode);
      if (text.data.trim()) texts.push(text);
    }
    texts.forEach(read);
  };

  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) {
      if (type === "characterData") read(/** @type {Text} */ (target));
      else if (type === "attributes" && /** @type {Element} */ (target).ariaLabel) rename(/** @type {HTMLElement} */ (target));
      for (const node of addedNodes) if (node.isConnected) look(node);
    }
    document.querySelectorAll(UPLOAD).forEach(nameUpload);
    sayWhere();
  }).observe(document.body, { subtree: true, childList: true, characterData: true, attributeFilter: ["aria-label"] });

  document.addEventListener("input", ({ target }) => {
    if (target instanceof HTMLInputElement && target.matches("input[type=text]")) mark(target, target.value);
  });

  // The first link of the page leads to its first figure, on whose next Tab its cells or blocks are; where there is no
  // figure, to its text, as Streamlit has it. The second one leads past the menu.
  const sayWhere = () => {
    const link = document.querySelector(SKIP);
    /** @type {string} */
    const said = words[document.querySelector(FIGURES) ? "skip" : "skip_to_text"];
    if (link && said && link.textContent !== said) link.textContent = said;
  };
  /** @param {HTMLElement} place */
  const goTo = (place) => {
    if (!place.hasAttribute("tabindex")) place.tabIndex = -1;
    place.focus();
  };
  document.addEventListener(
    "click",
    (event) => {
      const link = event.target instanceof Element && event.target.closest(`${SKIP}, .skip-menu`);
      /** @type {HTMLElement | null} */
      const place = link && document.querySelector(link.matches(SKIP) ? FIGURES : ".stMain");
      if (!place) return;
      event.preventDefault();
      event.stopPropagation();
      goTo(place);
    },
    true,
  );

  window.glassformerSpeaks = (lang, said) => {
    words = { named: {}, ...said };
    own = lang;
    document.documentElement.lang = lang;
    for (const marked of document.querySelectorAll("[data-tongue]")) unmark(/** @type {HTMLElement} */ (marked));
    look(document.body);
    sayWhere();
  };
})();
