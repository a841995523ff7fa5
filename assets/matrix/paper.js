// On paper a board is drawn anew: as wide as the paper lets it be, in the light colours, and sharp. Its lights are
// drawn on it: a browser may print again all that was done to a canvas, and clearing one clears what is printed below it.

export const SHARP = 3; // pixels of the canvas to a CSS pixel: 288 to an inch
const MOMENTS = ["beforeprint", "afterprint"];

export function onPaper() {
  return ["data-paper", "data-slide"].some((name) => document.documentElement.hasAttribute(name));
}

/**
 * A browser may print what was drawn instead of the canvas: then nobody keeps the edges between enlarged pixels.
 * @param {HTMLCanvasElement} small @param {number} width @param {number} height
 */
export function forPaper(small, width, height) {
  if (!onPaper()) return small;
  const large = document.createElement("canvas");
  Object.assign(large, { width: Math.round(width * SHARP), height: Math.round(height * SHARP) });
  const brush = large.getContext("2d");
  brush.imageSmoothingEnabled = false;
  brush.drawImage(small, 0, 0, large.width, large.height);
  return large;
}

/** @param {() => void} repaint */
export function followPaper(repaint) {
  for (const moment of MOMENTS) window.addEventListener(moment, repaint);
}

/** @param {() => void} repaint */
export function leavePaper(repaint) {
  for (const moment of MOMENTS) window.removeEventListener(moment, repaint);
}
