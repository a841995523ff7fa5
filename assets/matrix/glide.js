// What is seen between two states of a board: numbers, the ends of scales, places and sizes on their way.

/** @import { Panel, Seen } from "./types.d.ts" */

const NEAR = 0.25; // px; what lies nearer has not moved
const UNCOUNTED = new Set(["plain", "mask"]); // numbers that nothing lies between

/** The way from what is seen to other panels. */
export class Glide {
  /** @param {Seen[]} from @param {Panel[]} panels */
  constructor(from, panels) {
    const before = new Map(from.map((panel) => [panel.key, panel]));
    this.panels = panels;
    this.from = panels.map((panel) => before.get(panel.key) ?? null);
    this.moving = panels.some((panel, at) => moved(this.from[at], panel)); // of their places, or into sight
    this.counting = panels.map((panel, at) => counted(this.from[at], panel)); // of their numbers
    this.still = !this.moving && !this.counting.includes(true);
  }

  /** What is seen `part` of the way; in the end the panels themselves. @param {number} part @returns {Seen[]} */
  at(part) {
    if (part >= 1) return this.panels;
    return this.panels.map((panel, index) => {
      const was = this.from[index];
      if (!was) return { ...panel, opacity: part ** 3, settled: panel }; // once the others have made room
      /** @param {number} a @param {number} b */
      const mixed = (a, b) => a + (b - a) * part;
      const sized = sameShape(was, panel);
      const [x, y] = [mixed(was.x, panel.x), mixed(was.y, panel.y)];
      const [cw, ch] = sized ? [mixed(was.cw, panel.cw), mixed(was.ch, panel.ch)] : [panel.cw, panel.ch];
      const counting = this.counting[index];
      return {
        ...panel, x, y, cw, ch,
        top: panel.top + y - panel.y,
        right: x + cw * panel.cols,
        bottom: y + ch * panel.rows,
        values: counting ? numbers(was, panel, mixed) : panel.values,
        ends: counting ? [mixed(was.ends[0], panel.ends[0]), mixed(was.ends[1], panel.ends[1])] : panel.ends,
        opacity: mixed(was.opacity ?? 1, 1),
        settled: panel,
      };
    });
  }
}

/** @param {Panel} one @param {Panel} other */
function sameShape(one, other) {
  return one.rows === other.rows && one.cols === other.cols;
}

/** @param {Seen | null} was @param {Panel} panel */
function moved(was, panel) {
  if (!was || (was.opacity ?? 1) < 1) return true;
  const sizes = sameShape(was, panel) ? [was.cw - panel.cw, was.ch - panel.ch] : [];
  return [was.x - panel.x, was.y - panel.y, ...sizes].some((by) => Math.abs(by) > NEAR);
}

/** Whether numbers of a panel glide: other ones of the same kind. @param {Seen | null} was @param {Panel} panel */
function counted(was, panel) {
  if (!was || !sameShape(was, panel) || was.scale !== panel.scale || UNCOUNTED.has(panel.scale)) return false;
  return was.ends.some((end, at) => end !== panel.ends[at]) || was.values.some((value, at) => value !== panel.values[at]);
}

/** @param {Seen} was @param {Panel} panel @param {(a: number, b: number) => number} mixed */
function numbers(was, panel, mixed) {
  return panel.values.map((value, at) => {
    const known = !hides(was, at) && !hides(panel, at) && Number.isFinite(value) && Number.isFinite(was.values[at]);
    return known ? mixed(was.values[at], value) : value;
  });
}

/** Whether a cell shows no number. @param {Seen} panel @param {number} at */
function hides(panel, at) {
  return Boolean(panel.hidden?.[at] || panel.vacant?.[at] || panel.empty?.[at]);
}
