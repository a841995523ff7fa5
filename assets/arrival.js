// Runs first of all, and shows a page's poster until the page has its own: the same script draws it, of the same message.

import { hearTouches } from "./first_visit.js";

const LONGEST = 30_000; // ms that it stands, whatever comes
const OWN = ".stMain .story-stage[data-painted], .stMain .map[data-moment]";
const TROUBLE = "[role=dialog], [data-testid=stException]"; // which is to be seen
const DONE = ".stApp[data-test-script-state=notRunning] .stMain:not(:has([data-testid=stSkeleton])) h1"; // no poster

/** @param {{program: string, message: unknown} | null} poster */
export const arrive = (poster) => {
  hearTouches();
  const arrival = document.querySelector(".arrival");
  let leave = () => {};
  const end = () => {
    watch.disconnect();
    leave();
    arrival.remove();
  };
  const there = `${TROUBLE}, ${poster ? OWN : DONE}`;
  const watch = new MutationObserver(() => document.querySelector(there) && end());
  watch.observe(document.body, { subtree: true, childList: true, attributes: true });
  setTimeout(end, LONGEST);
  if (!poster) return;
  import(new URL(poster.program, location.href).href).then(({ default: mount }) => {
    if (!arrival.isConnected) return;
    const nothing = () => {};
    const parentElement = arrival.querySelector(".arrival-poster");
    leave = mount({ data: [poster.message], parentElement, setStateValue: nothing, setTriggerValue: nothing });
    requestAnimationFrame(() => performance.mark("poster"));
  });
};
