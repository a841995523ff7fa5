// What moves: dots along arrows, and a picture that comes up. Only transform and opacity, which the browser animates by
// itself, sixty times a second; no element comes or goes.

const DOTS = 3; // that are on their way at a time
const ARRIVED = 0.7; // of a moment

class Motion {
  constructor(home) {
    this.home = home;
    this.dots = Array.from({ length: DOTS }, () => {
      const dot = document.createElement("div");
      dot.className = "map-dot";
      return dot;
    });
    home.replaceChildren(...this.dots);
  }

  // Along the corners of each arrow, given in the drawing's units
  send(arrows, side, word, width, milliseconds) {
    const unit = this.home.clientWidth / width;
    for (const [at, dot] of this.dots.entries()) {
      for (const animation of dot.getAnimations()) animation.cancel();
      const arrow = arrows[at];
      if (!arrow) continue;
      const carried = arrow.classList.contains("again") ? word : "";
      dot.textContent = carried;
      dot.className = `map-dot ${arrow.classList.contains("memory") ? "encoder" : side}${carried ? " carries" : ""}`;
      const before = carried ? "-100%" : "-50%"; // a word stands before its arrow, which runs along the edge
      dot.animate(keyframes(corners(arrow, unit), before), { duration: ARRIVED * milliseconds, easing: "ease-in-out" });
    }
  }

  comeUp(canvas, from, milliseconds) {
    for (const animation of canvas.getAnimations()) animation.cancel();
    const frames = [{ opacity: from }, { opacity: from, offset: ARRIVED / 2 }, { opacity: 1 }];
    canvas.animate(frames, { duration: milliseconds, easing: "ease-out" });
  }
}

function corners(arrow, unit) {
  return arrow
    .getAttribute("points")
    .split(" ")
    .map((point) => point.split(",").map((part) => unit * Number(part)));
}

// A place for each corner, reached at an even pace
function keyframes(points, before) {
  const passed = [0];
  for (let at = 1; at < points.length; at += 1)
    passed.push(passed[at - 1] + Math.hypot(points[at][0] - points[at - 1][0], points[at][1] - points[at - 1][1]));
  return points.map(([x, y], at) => ({
    transform: `translate(${x}px, ${y}px) translate(${before}, -50%)`,
    opacity: 1,
    offset: passed[at] / passed.at(-1),
  }));
}
