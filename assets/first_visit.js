// What is told begins by itself once: for who has just come, in a tab that has seen none begin, when the page is still.

const SEEN = "glassformer.begun"; // in the tab's storage
const EVERY = 250; // ms from one look at the page to the next
const LOOKS = 4; // at which nothing has moved: the page is still
const TOUCHES = ["pointerdown", "keydown", "wheel"];
const NAMED = ["scene", "present", "lesson"]; // a link says with these what is to be seen, or who leads

/** Whether nothing begins in this tab any more; one that keeps nothing cannot know it. */
function seen() {
  try {
    return sessionStorage.getItem(SEEN) !== null;
  } catch {
    return true;
  }
}

function never() {
  if (!seen()) sessionStorage.setItem(SEEN, "");
}

/** From now on who touches anything has the page to himself. */
export function hearTouches() {
  for (const touch of TOUCHES) window.addEventListener(touch, never, { capture: true, passive: true, once: true });
}

/** Whether something speaks against it for good. */
function refused() {
  const link = new URLSearchParams(performance.getEntriesByType("navigation")[0]?.name.split(/[?#]/)[1]);
  return (
    NAMED.some((name) => link.has(name)) ||
    window.matchMedia("(prefers-reduced-motion: reduce)").matches ||
    document.querySelector(".stMain")?.scrollTop > 0
  );
}

/**
 * Calls `begin` for a newcomer who lets the page come to rest. Gives what calls that off.
 * @param {Element} root what begins @param {() => void} begin
 */
export function onFirstVisit(root, begin) {
  /** @type {number | undefined} */
  let timer;
  let [looks, place] = [0, ""];
  const end = () => {
    clearTimeout(timer);
    document.removeEventListener("visibilitychange", look);
  };
  const look = () => {
    end();
    if (seen()) return;
    if (refused()) return never();
    if (document.hidden) return document.addEventListener("visibilitychange", look);
    const { top, height } = root.getBoundingClientRect();
    const there = document.querySelector(".stApp[data-test-script-state=notRunning]") ? `${top} ${height}` : "";
    looks = there && there === place ? looks + 1 : 0;
    place = there;
    if (looks < LOOKS) return (timer = setTimeout(look, EVERY));
    never();
    begin();
  };
  if (root.closest(".arrival")) return end; // what stands in for the page begins nothing
  hearTouches(); // as before, unless the app is served without what runs first
  look();
  return end;
}
