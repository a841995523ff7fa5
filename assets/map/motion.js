// What moves: dots along arrows, and a picture that comes up. Only transform and opacity, which the browser animates by
// itself, sixty times a second; no element comes or goes.

const DOTS = 3; // that are on their way at a time
const ARRIVED = 0.7; // of a moment

export class Motion {
  /** @param {HTMLElement} home where the dots are */
  constructor(home) {
    this.home = home;
    this.dots = Array.from({ length: DOTS }, () => {
      const dot = document.createElement("div");
      dot.className = "map-dot";
      return dot;
    });
    home.replaceChildren(...this.dots);
  }

  /**
   * Along the corners of each arrow, given in the drawing's units.
   * @param {Element[]} arrows @param {string} side @param {string} word carried by the last word's way back
   * @param {number} width of the drawing @param {number} milliseconds
   */
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
      dot.animate(keyframes(corners(arrow.getAttribute("points"), unit), before), { duration: ARRIVED * milliseconds, easing: "ease-in-out" });
    }
  }

  /** @param {HTMLElement} canvas @param {number} from opacity @param {number} milliseconds */
  comeUp(canvas, from, milliseconds) {
    for (const animation of canvas.getAnimations()) animation.cancel();
    const frames = [{ opacity: from }, { opacity: from, offset: ARRIVED / 2 }, { opacity: 1 }];
    canvas.animate(frames, { duration: milliseconds, easing: "ease-out" });
  }
}

/**
 * "0,0 3,4" -> [[0, 0], [3, 4]], in pixels.
 * @param {string} points @param {number} unit @returns {[x: number, y: number][]}
 */
export function corners(points, unit) {
  return points.split(" ").map((point) => {
    const [x, y] = point.split(",").map((part) => unit * Number(part));
    return [x, y];
  });
}

/**
 * A place for each corner, reached at an even pace.
 * @param {[x: number, y: number][]} points @param {string} before where a dot has its place
 */
export function keyframes(points, before) {
  const passed = [0];
  for (let at = 1; at < points.length; at += 1)
    passed.push(passed[at - 1] + Math.hypot(points[at][0] - points[at - 1][0], points[at][1] - points[at - 1][1]));
  return points.map(([x, y], at) => ({
    transform: `translate(${x}px, ${y}px) translate(${before}, -50%)`,
    opacity: 1,
    offset: passed[at] / passed.at(-1),
  }));
}
