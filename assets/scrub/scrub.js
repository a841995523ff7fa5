// A slider along given numbers that tells where it is while it is dragged: the next place once the last one is drawn.

const PAUSE = 80; // milliseconds between two places at the least

export default function ({ data, parentElement, setStateValue }) {
  const [slider, shown] = ["input", "output"].map((tag) => parentElement.querySelector(tag));
  parentElement.querySelector(".scrub-name").textContent = data.label;
  slider.max = data.stops.length - 1;
  slider.sent ??= data.heard;

  const show = () => {
    const stop = String(data.stops[slider.value]);
    shown.textContent = stop;
    slider.setAttribute("aria-valuetext", stop);
  };
  const send = (done) => {
    clearTimeout(slider.waiting);
    if (document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "running") {
      slider.waiting = setTimeout(send, PAUSE, done);
      return;
    }
    slider.waiting = undefined;
    slider.sent += 1;
    setStateValue("moved", { number: slider.sent, stop: data.stops[slider.value], done });
  };
  slider.oninput = () => {
    show();
    slider.waiting ??= setTimeout(send, PAUSE, false);
  };
  slider.onchange = () => send(true);
  // What comes with an answer that is still on its way to the server is older than the hand.
  if (data.heard === slider.sent && slider.waiting === undefined) slider.value = data.stops.indexOf(data.at);
  show();
}
