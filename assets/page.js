// What every page does in the browser besides what Streamlit does. Streamlit may run this again: once is enough.

(() => {
  if (window.glassformerPage) return;
  window.glassformerPage = true;

  // Streamlit's shortcuts fall silent while any input has the focus, also one that takes no letters.
  const WITHOUT_LETTERS = new Set(["range", "checkbox", "radio"]);
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
      if (target.type !== "number") return;
      const { value, min, max } = target;
      const held = max && Number(value) > Number(max) ? max : min && Number(value) < Number(min) ? min : value;
      if (held !== value) plain.set.call(target, held);
    },
    true,
  );

  // The menu's links lead to another page as Back and Forward do, without loading the app anew. A click that asks for a
  // new tab or window has it.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".menu > a");
    if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.pushState({}, "", link.href);
    dispatchEvent(new PopStateEvent("popstate"));
  });

  // Streamlit reports to the page around it. Where there is none it reports to itself, and looks at length who that is.
  if (window === window.parent) {
    const own = ({ source, data }) => source === window && data?.stCommVersion !== undefined;
    window.addEventListener("message", (event) => own(event) && event.stopImmediatePropagation(), true);
  }

  // A section that is to be read first: it stays at the top while the figures above it come, until the reader takes
  // over. A link names it, or a block of the map.
  // The address may have been written anew by now, without it: the navigation still knows.
  const [arrival] = performance.getEntriesByType("navigation");
  const hash = (location.hash || new URL(arrival.name).hash).slice(1);
  const decoded = () => {
    try {
      return decodeURIComponent(hash);
    } catch {
      return hash; // a lone %: no section is called so
    }
  };
  let section = decoded();
  window.holdSection = (name) => (section = name);
  // A section that is folded is opened, once, by its title: without its heading there is nothing to scroll to.
  const foldOf = (name) => {
    const alike = (word) => word?.replaceAll("_", "-");
    const named = (key) => alike(/^st-key-\w+-(.+)-section$/.exec(key)?.[1]) === alike(name);
    return [...document.querySelectorAll('[class*="-section"]')].find((box) => [...box.classList].some(named));
  };
  const unfold = (name) => {
    const folded = foldOf(name);
    const title = folded?.querySelector("details:not([open]) > summary");
    if (!title || title.dataset.unfolded) return;
    title.dataset.unfolded = "yes";
    title.click();
  };
  // The table of contents: a folded section opens and is read first, also one that was closed by hand.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.(".contents a");
    if (!link) return;
    section = link.hash.slice(1);
    foldOf(section)?.querySelector("details:not([open]) > summary")?.click();
    document.getElementById(section)?.scrollIntoView();
  });
  const held = new ResizeObserver(() => {
    if (!section) return;
    const heading = document.getElementById(section);
    if (heading) heading.scrollIntoView();
    else unfold(section);
  });
  held.observe(document.querySelector("[data-testid=stMainBlockContainer]"));
  for (const hand of ["wheel", "touchstart", "pointerdown", "keydown"]) {
    window.addEventListener(hand, () => (section = ""), { capture: true, passive: true });
  }
})();
