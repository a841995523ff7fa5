// The lecturer's notes in a window of their own: they follow the wall, and lead it. Both windows have the same name for
// their channel: the one that is opened gets a copy of what the other keeps for its tab. Once is enough.

(() => {
  if (window.glassformerPresenter) return;
  window.glassformerPresenter = true;

  const [ASKS, LOOKS, PATIENCE] = [2000, 400, 6000]; // ms
  /** @type {Record<string, string>} */
  const LEADS = { ArrowRight: "on", PageDown: "on", " ": "on", ArrowLeft: "back", PageUp: "back" };
  const KEY = "glassformer.lecture";

  /** @type {{lecture: string}} */
  const kept = { lecture: "" };
  try {
    kept.lecture = sessionStorage.getItem(KEY) ?? crypto.randomUUID();
    sessionStorage.setItem(KEY, kept.lecture);
  } catch {
    // a browser that keeps nothing: all its lectures share a channel
  }
  const channel = new BroadcastChannel(`${KEY}.${kept.lecture}`);
  const isWall = () => Boolean(document.querySelector(".st-key-lecture"));
  /** @returns {HTMLElement | null} */
  const notes = () => document.querySelector(".presenter");

  let [told, followed] = ["", ""];
  let heard = Date.now();
  const began = Date.now();

  /** The wall says where it is. */
  const tell = (anew = false) => {
    const at = location.pathname + location.search;
    if (!isWall() || (at === told && !anew)) return;
    told = at;
    channel.postMessage({ at });
  };

  /** The notes go there, as Back and Forward do. @param {string} at */
  const follow = (at) => {
    heard = Date.now();
    const to = new URL(at, location.origin);
    if (at === followed || to.origin !== location.origin) return;
    followed = at;
    to.searchParams.set("presenter", "1");
    history.pushState({}, "", to.pathname + to.search);
    dispatchEvent(new PopStateEvent("popstate"));
  };

  /** @param {string} way */
  const lead = (way) => channel.postMessage({ way });

  channel.addEventListener("message", ({ data }) => {
    const { at, way, where } = data ?? {};
    if (isWall()) {
      if (where) tell(true);
      /** @type {HTMLElement | null} */
      const button = way in { on: 0, back: 0 } ? document.querySelector(`.st-key-lecture-${way} button:enabled`) : null;
      button?.click();
    } else if (notes() && typeof at === "string") follow(at);
  });

  /** @param {number} milliseconds */
  const minutes = (milliseconds) => {
    const seconds = Math.floor(milliseconds / 1000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  };

  setInterval(tell, LOOKS);
  setInterval(() => notes() && channel.postMessage({ where: true }), ASKS);
  setInterval(() => {
    const clock = notes()?.querySelector(".presenter-clock");
    if (!clock) return;
    const now = new Date().toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
    clock.textContent = `${now} · ${minutes(Date.now() - began)}`;
    notes().toggleAttribute("data-alone", Date.now() - heard > PATIENCE);
  }, LOOKS);

  document.addEventListener("click", (event) => {
    /** @type {HTMLElement | null} */
    const link = event.target instanceof Element ? event.target.closest(".presenter-open, .presenter [data-lead]") : null;
    if (!link) return;
    event.preventDefault();
    if (link.dataset.lead) return lead(link.dataset.lead);
    const to = new URL(location.href);
    to.searchParams.set("presenter", "1");
    if (!to.searchParams.has("lesson")) to.searchParams.set("present", "1");
    window.open(to, `${KEY}.${kept.lecture}`, "popup,width=960,height=760");
  });
  window.addEventListener(
    "keydown",
    (event) => {
      const { target, key, ctrlKey, altKey, metaKey, shiftKey, repeat } = event;
      const typing = target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
      if (!notes() || !LEADS[key] || typing || ctrlKey || altKey || metaKey || shiftKey) return;
      if (key === " " && target instanceof Element && target.closest("button, a")) return;
      event.preventDefault();
      if (!repeat) lead(LEADS[key]);
    },
    true,
  );
})();
