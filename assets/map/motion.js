// What moves: words along a way, and a picture that comes up. Only transform and opacity, which the browser animates by
// itself, sixty times a second; no element comes or goes.

/** @import { Point } from "./types.d.ts" */

const ARRIVED = 0.6; // of a moment

/** By element, what moves it: to ask the browser for it would have it work out all styles each time. @type {WeakMap<Element, Animation>} */
const moving = new WeakMap();

/** @param {Element} element */
export function halt(element) {
  moving.get(element)?.cancel();
  moving.delete(element);
}

/**
 * To where it stands, at an even pace along the corners of a way that ends there.
 * @param {Element} element @param {Point[]} way in pixels @param {number} milliseconds @param {{from?: number, until?: number, appears?: boolean}} [when] parts of that time
 */
export function along(element, way, milliseconds, { from = 0, until = ARRIVED, appears = false } = {}) {
  const frames = keyframes(way);
  if (appears) frames[0].opacity = 0;
  const timing = { delay: from * milliseconds, duration: (until - from) * milliseconds, easing: "ease-in-out" };
  moving.set(element, element.animate(frames, { ...timing, fill: "backwards" }));
}

/** @param {Element} element @param {number} from opacity @param {number} milliseconds @param {number} begins @param {number} to opacity */
export function comeUp(element, from, milliseconds, begins = ARRIVED / 2, to = 1) {
  halt(element);
  const frames = [{ opacity: from }, { opacity: from, offset: begins }, { opacity: to }];
  moving.set(element, element.animate(frames, { duration: milliseconds, easing: "ease-out" }));
}

/**
 * "0,0 3,4" -> [[0, 0], [3, 4]].
 * @param {string} points @returns {Point[]}
 */
export function corners(points) {
  return points.split(" ").map((point) => /** @type {Point} */ (point.split(",").map(Number)));
}

/**
 * A place for each corner, reached at an even pace, as the distance from the last one.
 * @param {Point[]} way @returns {{transform: string, opacity: number, offset: number}[]}
 */
export function keyframes(way) {
  const [endX, endY] = way.at(-1);
  const passed = [0];
  for (let at = 1; at < way.length; at += 1)
    passed.push(passed[at - 1] + Math.hypot(way[at][0] - way[at - 1][0], way[at][1] - way[at - 1][1]));
  const whole = passed.at(-1) || 1;
  return way.map(([x, y], at) => ({
    transform: `translate(${x - endX}px, ${y - endY}px)`,
    opacity: 1,
    offset: at === way.length - 1 ? 1 : passed[at] / whole,
  }));
}
