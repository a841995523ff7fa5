// How a board is computed before the reader's eyes: which cells are there at which time. One step is one term of the first
// sum of a panel, or one cell more.

import { sum } from "./indices.js";

/** @import { Moment, Part } from "./types.d.ts" */

const LONGEST = 5900; // ms, of a whole board: less than six seconds
const SLOWLY = 0.5; // of that at the most for first cells
const FIRST = { look: 700, again: 400, term: 240, terms: 12 }; // ms for a first cell, and for each further term of it
const OTHERS = { cell: 80, panel: 2400, hurry: 1.6 }; // ms for a cell, for all of a panel; they come ever faster

export class Play {
  /** @param {Part[]} parts in the order in which they are computed */
  constructor(parts) {
    this.parts = parts.map((part) => ({ ...part, slow: Math.min(part.terms, FIRST.terms + 1) }));
    const slow = within(SLOWLY * LONGEST, this.parts.map(({ slow }, at) =>
      (at ? FIRST.again : FIRST.look) + (slow - 1) * FIRST.term));
    const fast = within(LONGEST - sum(slow), this.parts.map(({ cells }) =>
      Math.min((cells.length - 1) * OTHERS.cell, OTHERS.panel)));
    /** @type {number[]} */
    this.starts = []; // ms, of each step
    this.duration = 0;
    for (const [at, part] of this.parts.entries()) {
      for (let step = 0; step < part.slow; step += 1) this.starts.push(this.duration + (slow[at] * step) / part.slow);
      const others = part.cells.length - 1;
      for (let cell = 0; cell < others; cell += 1)
        this.starts.push(this.duration + slow[at] + fast[at] * (cell / others) ** (1 / OTHERS.hurry));
      this.duration += slow[at] + fast[at];
    }
    this.steps = this.starts.length;
  }

  /** What there is at a step, null once all is. @param {number} step @returns {Moment | null} */
  at(step) {
    let before = 0;
    for (const [index, { panel, cells, slow }] of this.parts.entries()) {
      const own = step - before;
      before += slow + cells.length - 1;
      if (step >= before) continue;
      const filled = Math.max(0, own - slow + 2);
      return { part: index, panel, filled, cell: cells[Math.max(0, filled - 1)], terms: filled ? Infinity : own + 1 };
    }
    return null;
  }

  /** The step at a time, as many as there are once it is over. @param {number} time ms */
  stepAt(time) {
    if (time >= this.duration) return this.steps;
    let [low, high] = [0, this.steps - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.starts[middle] <= time) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** When a step begins. @param {number} step */
  start(step) {
    return this.starts[step] ?? this.duration;
  }

  /** Where who wants no motion is led to: the first cell of each panel, and the whole of it. @param {number} step */
  next(step) {
    let end = 0;
    for (const { cells, slow } of this.parts) {
      const whole = end + slow - 1;
      end += slow + cells.length - 1;
      for (const stop of [whole, end - 1]) if (stop > step) return stop;
    }
    return this.steps;
  }

  /**
   * Which cells of a panel are not there yet at a moment, null where all are.
   * @param {Moment} moment @param {string} key @returns {number[] | null}
   */
  missing(moment, key) {
    const at = this.parts.findIndex(({ panel }) => panel === key);
    if (at < moment.part) return null;
    const { cells } = this.parts[at];
    return at > moment.part ? cells : cells.slice(Math.max(moment.filled, 1));
  }
}

/** The times as they are, or all of them shorter, so that they take no longer together. @param {number} most @param {number[]} times */
function within(most, times) {
  const all = sum(times);
  return all > most ? times.map((time) => (time * most) / all) : times;
}
