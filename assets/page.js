// What every page does in the browser besides what Streamlit does. Streamlit may run this again: once is enough.

(() => {
  if (window.glassformerPage) return;
  window.glassformerPage = true;

  /** What "#…" names; a lone % stands for itself. @param {string} hash */
  const named = (hash) => {
    try {
      return decodeURIComponent(hash.slice(1));
    } catch {
      return hash.slice(1);
    }
  };

  // Streamlit's shortcuts fall silent while any input has the focus, also one that takes no letters.
  const WITHOUT_LETTERS = new Set(["range", "checkbox", "radio"]);
  /** @param {EventTarget | null} target */
  const typing = (target) => !(target instanceof HTMLInputElement) || !WITHOUT_LETTERS.has(target.type);
  document.addEventListener(
    "keydown",
    ({ target, key, code, keyCode, ctrlKey, altKey, metaKey }) => {
      if (typing(target) || ctrlKey || altKey || metaKey || !/^[a-z]$/i.test(key)) return;
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key, code, keyCode, bubbles: true }));
    },
    true,
  );

  // A number that its field cannot hold becomes the last that it can, before Streamlit refuses it in English: then the
  // page says what is possible.
  const plain = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value"); // React watches the element's own
  document.addEventListener(
    "input",
    ({ target }) => {
      if (!(target instanceof HTMLInputElement) || target.type !== "number") return;
      const { value, min, max } = target;
      const held = max && Number(value) > Number(max) ? max : min && Number(value) < Number(min) ? min : value;
      if (held !== value) plain.set.call(target, held);
    },
    true,
  );

  /** @param {Event} event @param {string} selector @returns {HTMLAnchorElement | null} */
  const linkOf = ({ target }, selector) => (target instanceof Element ? target.closest(selector) : null);

  // The menu's links, and those of the search, lead to another page as Back and Forward do, without loading the app anew.
  // A click that asks for a new tab or window has it.
  document.addEventListener("click", (event) => {
    const link = linkOf(event, ".menu > a, .found-there");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    section = named(link.hash);
    history.pushState({}, "", link.href.split("#")[0]); // with it Streamlit would make two entries
    dispatchEvent(new PopStateEvent("popstate"));
  });

  // Streamlit reports to the page around it. Where there is none it reports to itself, and looks at length who that is.
  if (window === window.parent) {
    /** @param {MessageEvent} message */
    const own = ({ source, data }) => source === window && data?.stCommVersion !== undefined;
    window.addEventListener("message", (event) => own(event) && event.stopImmediatePropagation(), true);
  }

  // Who wants no motion sees its end at once. A duration in a stylesheet, for whatever may change, would have the browser
  // compare all of that after each change; without transitions Streamlit would wait for the end of some.
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  for (const begins of /** @type {const} */ (["transitionstart", "animationstart"]))
    document.addEventListener(begins, ({ target, pseudoElement }) => {
      if (!still.matches || !(target instanceof Element)) return;
      for (const moving of target.getAnimations({ subtree: Boolean(pseudoElement) })) {
        if (!(moving instanceof CSSTransition || moving instanceof CSSAnimation)) continue;
        moving.effect.updateTiming({ iterations: 1 });
        moving.finish();
      }
    });

  // A section that is to be read first: it stays at the top while the figures above it come, until the reader takes
  // over. A link names it.
  // The address may have been written anew by now, without it: the navigation still knows.
  const [arrival] = performance.getEntriesByType("navigation");
  let section = named(location.hash || new URL(arrival.name).hash);
  // A section that is folded is opened, once, by its title: without its heading there is nothing to scroll to.
  /** @param {string} name */
  const foldOf = (name) => {
    /** @param {string | undefined} word */
    const alike = (word) => word?.replaceAll("_", "-");
    /** @param {string} key */
    const its = (key) => alike(/^st-key-\w+-(.+)-section$/.exec(key)?.[1]) === alike(name);
    return [...document.querySelectorAll('[class*="-section"]')].find((box) => [...box.classList].some(its));
  };
  /** The title of a section that is folded. @param {string} name @returns {HTMLElement | null | undefined} */
  const titleOf = (name) => foldOf(name)?.querySelector("details:not([open]) > summary");
  // Whoever is led to a section takes one step: the link that says that it is open, now, takes the place of the last one.
  let opening = "";
  const push = history.pushState.bind(history);
  /** @param {unknown} state @param {string} unused @param {string | URL | null} [url] */
  history.pushState = (state, unused, url) => {
    const open = new URL(url ?? "", location.href).searchParams.get("open")?.split(",");
    const opened = opening && open?.some((name) => name.replaceAll("_", "-") === opening);
    opening = "";
    if (opened) history.replaceState(state, unused, url);
    else push(state, unused, url);
  };
  /** @param {string} name @param {HTMLElement | null | undefined} title */
  const open = (name, title) => {
    if (title) opening = name.replaceAll("_", "-");
    title?.click();
  };
  // A run of the page that is under way may fold it once more: until a hand takes over it is looked at a few times again.
  const LOOKS = 5;
  const BETWEEN = 3000; // milliseconds
  /** @param {string} name @param {number} [looks] */
  const unfold = (name, looks = LOOKS) => {
    const title = titleOf(name);
    if (title && looks === LOOKS && title.dataset.unfolded) return;
    if (title) {
      title.dataset.unfolded = "yes";
      open(name, title);
    }
    if ((title || looks < LOOKS) && looks > 1) setTimeout(() => section === name && unfold(name, looks - 1), BETWEEN);
  };
  // The table of contents: a folded section opens and is read first, also one that was closed by hand.
  document.addEventListener("click", (event) => {
    const link = linkOf(event, ".contents a, .found-here");
    if (!link) return;
    section = named(link.hash);
    open(section, titleOf(section));
    document.getElementById(section)?.scrollIntoView();
  });
  // What a reader unfolds under a figure, its numbers or its code, is brought into view as it comes.
  let unfolded = "";
  /** @param {Event} event */
  const unfolds = ({ target }) => {
    const caption = target instanceof Element && target.closest("button") && target.closest('[class*="st-key-caption-"]');
    const key = caption && [...caption.classList].find((name) => name.startsWith("st-key-caption-"));
    if (key) unfolded = key.replace("caption", "unfolded");
  };
  document.addEventListener("click", unfolds, true); // Streamlit's buttons keep it to themselves
  const held = new ResizeObserver(() => {
    if (unfolded) document.querySelector(`.${CSS.escape(unfolded)}`)?.scrollIntoView({ block: "nearest" });
    if (!section) return;
    const heading = document.getElementById(section);
    if (heading) heading.scrollIntoView();
    else unfold(section);
  });
  held.observe(document.querySelector(".stMainBlockContainer"));
  // Back leaves the section behind, or a closed one that is drawn anew would be opened once more.
  addEventListener("popstate", ({ isTrusted }) => {
    if (isTrusted) section = named(location.hash);
  });
  for (const hand of ["wheel", "touchstart", "pointerdown", "keydown"]) {
    window.addEventListener(hand, () => (section = unfolded = ""), { capture: true, passive: true });
  }
})();
