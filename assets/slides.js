// A lesson as slides: each of its stops as it is on the wall, one a page, which the browser prints or saves as PDF. The
// stops are opened one after the other, for a server has other readers. Once is enough.

(() => {
  if (window.glassformerSlides) return;
  window.glassformerSlides = true;

  const [LOOKS, STILL, PATIENCE] = [100, 700, 90_000]; // ms: between two looks, at rest, and until a stop is given up
  const root = document.documentElement;
  const called = document.title;
  let made = 0; // counts what was begun: what is not the last has been stopped

  /** @param {number} milliseconds */
  const pause = (milliseconds) => new Promise((then) => setTimeout(then, milliseconds));

  /** Whether a stop is drawn: its script has run, no run is under way, and nothing has changed for a while.
   * @param {HTMLIFrameElement} frame @param {() => boolean} ended */
  const drawn = async (frame, ended) => {
    let [left, still, count] = [PATIENCE, 0, -1];
    for (; left > 0 && !ended(); left -= LOOKS) {
      await pause(LOOKS);
      const page = frame.contentDocument;
      if (!page) return false; // the browser's own, which says why there is none
      const idle =
        page.querySelector(".stApp[data-test-script-state=notRunning]") &&
        page.querySelector(".st-key-slide") &&
        !page.querySelector("[data-stale=true], [data-testid=stSkeleton], .stMain .stProgress");
      const now = page.querySelectorAll("*").length;
      still = idle && now === count ? still + LOOKS : 0;
      count = now;
      if (still >= STILL) return true;
    }
    return false;
  };

  /** In the light colours and sharp; what a page does for paper is not done to it. @param {HTMLIFrameElement} frame */
  const dress = ({ contentDocument: page, contentWindow: view }) => {
    page.documentElement.toggleAttribute("data-slide", true);
    for (const { cssRules } of page.styleSheets)
      for (const rule of /** @type {Iterable<any>} */ (cssRules))
        if (rule.media?.mediaText === "print") rule.media.mediaText = "not all";
    view.dispatchEvent(new Event("beforeprint"));
  };

  const clear = () => {
    made += 1;
    document.title = called;
    root.toggleAttribute("data-slides", false);
    document.querySelector(".slides")?.remove();
    for (const ways of document.querySelectorAll(".slides-ways")) ways.toggleAttribute("data-made", false);
  };

  /** @param {HTMLElement} link @param {(text: string) => void} tell */
  const make = async (link, tell) => {
    clear();
    const mine = made;
    const ended = () => mine !== made;
    const { stops, title, failed, ready } = link.dataset;
    link.parentElement.toggleAttribute("data-made", true);
    const place = Object.assign(document.createElement("div"), { className: "slides", inert: true });
    document.body.append(place);
    const every = stops.split(" ");
    for (const [at, src] of every.entries()) {
      tell(`${at + 1} / ${every.length}`);
      const frame = Object.assign(document.createElement("iframe"), { src });
      place.append(document.createElement("div"));
      place.lastElementChild.append(frame);
      if (!(await drawn(frame, ended))) return ended() || (clear(), tell(failed.replace("#", String(at + 1))));
      dress(frame);
    }
    await pause(STILL);
    if (ended()) return;
    root.toggleAttribute("data-slides", true);
    document.title = title; // the name of the file
    tell(ready);
    window.print();
  };

  document.addEventListener("click", (event) => {
    /** @type {HTMLElement | null} */
    const link = event.target instanceof Element ? event.target.closest(".slides-save, .slides-end") : null;
    if (!link) return;
    event.preventDefault();
    /** @param {string} text */
    const tell = (text) => (link.parentElement.querySelector(".slides-said").textContent = text);
    if (link.matches(".slides-save")) make(link, tell);
    else {
      clear();
      tell("");
    }
  });
  window.addEventListener("afterprint", () => root.hasAttribute("data-slides") && clear());
})();
