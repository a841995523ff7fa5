// A slider along given numbers that tells where it is while it is dragged: the next place once the last one is drawn.

const PAUSE = 80; // milliseconds between two places at the least

/**
 * A place that has not been told yet waits; `sent` is the number of the last one.
 * @typedef {HTMLInputElement & {waiting?: number, sent?: number}} Slider
 * @typedef {{label: string, stops: number[], at: number, heard: number}} ScrubMessage
 */

/**
 * @param {{data: ScrubMessage, parentElement: HTMLElement, setStateValue: (name: string, value: unknown) => void}} component
 */
export default function ({ data, parentElement, setStateValue }) {
  /** @type {Slider} */
  const slider = parentElement.querySelector("input");
  const shown = parentElement.querySelector("output");
  parentElement.querySelector(".scrub-name").textContent = data.label;
  slider.max = String(data.stops.length - 1);
  slider.sent ??= data.heard;

  const show = () => {
    const stop = String(data.stops[Number(slider.value)]);
    shown.textContent = stop;
    slider.setAttribute("aria-valuetext", stop);
  };
  /** @param {boolean} done whether the hand has let go */
  const send = (done) => {
    clearTimeout(slider.waiting);
    if (document.querySelector(".stApp[data-test-script-state=running]")) {
      slider.waiting = setTimeout(send, PAUSE, done);
      return;
    }
    slider.waiting = undefined;
    slider.sent += 1;
    setStateValue("moved", { number: slider.sent, stop: data.stops[Number(slider.value)], done });
  };
  slider.oninput = () => {
    show();
    slider.waiting ??= setTimeout(send, PAUSE, false);
  };
  slider.onchange = () => send(true);
  // What comes with an answer that is still on its way to the server is older than the hand.
  if (data.heard === slider.sent && slider.waiting === undefined) slider.value = String(data.stops.indexOf(data.at));
  show();
}
