// What is seen of the panels of a board: on the way from the last message to this one, or as far as they are computed.

import { Glide } from "./glide.js";

/** @import { Moment, Panel, Seen } from "./types.d.ts" */
/** @import { Picture } from "./picture.js" */
/** @import { Play } from "./play.js" */

const LASTS = 200; // ms
const FRAME = 16; // ms; the first look already moves

export class Motion {
  /** @param {Picture} picture */
  constructor(picture) {
    this.picture = picture;
    /** @type {Seen[]} */
    this.seen = [];
    this.frame = 0;
    /** How much of each panel is computed, as far as it is not all. @type {Map<string, string>} */
    this.states = new Map();
  }

  get gliding() {
    return this.frame !== 0;
  }

  /** Shows panels; from what is seen now they glide. @param {Panel[]} panels @param {boolean} gliding */
  to(panels, gliding) {
    this.stop();
    const glide = gliding && this.seen.length ? new Glide(this.seen, panels) : null;
    this.states.clear();
    if (!glide || glide.still) {
      this.show(panels);
      return this.settle();
    }
    const begun = performance.now() - FRAME;
    /** @param {number} now */
    const tick = (now) => {
      const part = Math.min(1, Math.max(0, now - begun) / LASTS);
      this.frame = part < 1 ? requestAnimationFrame(tick) : 0;
      const seen = glide.at(1 - (1 - part) ** 3);
      if (glide.moving || part >= 1) this.show(seen);
      else this.renew(seen, glide.counting);
      this.settle();
    };
    this.show(glide.at(1 - (1 - FRAME / LASTS) ** 3));
    this.frame = requestAnimationFrame(tick);
    this.settle();
  }

  /** Browser tests ask the canvas whether it is at rest. */
  settle() {
    this.picture.canvas.dataset.settled = String(!this.frame && !this.states.size);
  }

  stop() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  /**
   * As much of the panels as there is at a moment, all where it is null.
   * @param {Panel[]} panels @param {Play} play @param {Moment | null} moment @param {number} value of the cell at work, so far
   */
  fill(panels, play, moment, value) {
    if (!moment && !this.states.size) return;
    if (this.frame) this.to(panels, false);
    const renewed = panels.map((panel) => {
      const missing = moment && play.missing(moment, panel.key);
      const state = missing ? `${missing.length} ${panel.key === moment.panel ? value : ""}` : "";
      if (state === (this.states.get(panel.key) ?? "")) return false;
      if (missing) this.states.set(panel.key, state);
      else this.states.delete(panel.key);
      return true;
    });
    const seen = panels.map((panel, at) => {
      if (!renewed[at]) return this.seen[at];
      const missing = moment && play.missing(moment, panel.key);
      return missing ? partly(panel, missing, panel.key === moment.panel && moment.filled === 0 ? [moment.cell, value] : null) : panel;
    });
    this.renew(seen, renewed);
    this.settle();
  }

  /** @param {Seen[]} panels */
  show(panels) {
    this.seen = panels;
    this.picture.paint(panels);
  }

  /** @param {Seen[]} panels @param {boolean[]} which */
  renew(panels, which) {
    this.seen = panels;
    for (const [at, panel] of panels.entries()) if (which[at]) this.picture.renew(panel);
  }
}

/**
 * A panel of which cells are missing, one of them computed so far.
 * @param {Panel} panel @param {number[]} missing @param {[cell: number, value: number] | null} begun @returns {Seen}
 */
function partly(panel, missing, begun) {
  const empty = new Uint8Array(panel.values.length);
  for (const cell of missing) empty[cell] = 1;
  const values = begun ? panel.values.with(...begun) : panel.values;
  return { ...panel, values, empty, settled: panel };
}
