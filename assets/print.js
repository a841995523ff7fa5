// Paper: what a page is before it is printed, and the button that opens every section first.

(() => {
  if (window.glassformerPaper) return;
  window.glassformerPaper = true;

  const STILL = 400; // ms without a change, before it is printed
  const PATIENCE = 30_000; // ms; a run that is being trained never stands still
  const root = document.documentElement;
  const SETTINGS = ".st-key-training-settings, .st-key-training-parts"; // controls, which are not on paper
  const folded = () =>
    [...document.querySelectorAll(".stMain .stExpander details:not([open]) > summary p")].filter(
      (title) => !title.closest(SETTINGS),
    );

  // Curves are drawn a frame later than their place changes: where there is no time for that, the paper shrinks them.
  const scaled = () => {
    for (const curves of document.querySelectorAll(".stEChartsChart svg")) {
      const [width, height] = ["width", "height"].map((side) => curves.getAttribute(side));
      curves.setAttribute("viewBox", `0 0 ${width} ${height}`);
    }
  };

  // At once, for the canvases are drawn anew right after: the paper's width and colours, the address, what is folded.
  const dress = () => {
    if (root.hasAttribute("data-slide")) return; // it is printed as it is on the wall
    root.toggleAttribute("data-paper", true);
    scaled();
    const foot = document.querySelector(".printed");
    if (!foot) return;
    const titles = folded().map((title) => title.textContent.trim());
    foot.querySelector(".printed-address").textContent = location.href;
    foot.querySelector(".printed-folded").textContent = titles.join(" · ");
    foot.querySelector(".printed-folded").parentElement.hidden = !titles.length;
  };
  const undress = () => root.toggleAttribute("data-paper", false);
  window.addEventListener("beforeprint", dress, true);
  window.addEventListener("afterprint", undress, true);
  window.matchMedia("print").addEventListener("change", ({ matches }) => (matches ? dress() : undress()));

  // The server opens the sections, a click on its title what else is folded; once all is there and drawn for the paper,
  // the browser prints.
  const busy = () =>
    !document.querySelector(".stApp[data-test-script-state=notRunning]") ||
    document.querySelector("[data-stale=true], [data-testid=stSkeleton]");
  /** @param {() => void} then */
  const whenStill = (then) => {
    const begun = performance.now();
    let since = begun;
    let drawn = -1;
    const look = () => {
      const now = performance.now();
      const count = document.querySelectorAll(".stElementContainer, canvas, .stEChartsChart svg").length;
      if (busy() || count !== drawn) since = now;
      drawn = count;
      if (now - since >= STILL || now - begun >= PATIENCE) then();
      else setTimeout(look, 50);
    };
    look();
  };
  const unfold = () => folded().forEach((title) => title.closest("summary").click());
  document.addEventListener("click", ({ target }) => {
    if (!(target instanceof Element && target.closest(".st-key-print button"))) return;
    const steps = [unfold, dress, () => window.print()];
    const go = () => whenStill(() => (steps.shift()(), steps.length && go()));
    go();
  });
})();
