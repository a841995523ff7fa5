// The colour of a number, by its panel's scale.

import { channels, ramp } from "../colors.js";

/** @import { Decoded } from "./types.d.ts" */
/** @import { Look } from "./look.js" */
/** @import { Color } from "../colors.js" */

const ALLOWED = 150; // where on the scale a cell that may attend stands

export class Palette {
  /** @param {Look} look */
  constructor(look) {
    this.look = look;
    /** @type {Record<string, Color[]>} */
    this.ramps = {};
  }

  /** @param {Decoded} panel */
  stops(panel) {
    return this.look.colors.scales[panel.scale === "signed" ? "signed" : "probability"];
  }

  /** @param {Decoded} panel */
  ramp(panel) {
    const name = this.look.mode + panel.scale;
    this.ramps[name] ??= ramp(this.stops(panel));
    return this.ramps[name];
  }

  /** Of a cell that may attend. @param {Decoded} panel */
  allowed(panel) {
    return this.ramp(panel)[ALLOWED];
  }

  /** The colours of a panel's cells. @param {Decoded & {empty?: Uint8Array}} panel @returns {(index: number) => Color} */
  fills(panel) {
    const { colors } = this.look;
    const [none, given, ramp] = [channels(colors.background), channels(colors.panel), this.ramp(panel)];
    const { values, vacant, empty, hidden, scale, ends: [low, high] } = panel;
    return (index) => {
      const value = values[index];
      if (vacant?.[index] || empty?.[index]) return none;
      if (hidden?.[index] || Number.isNaN(value) || scale === "plain") return given;
      if (scale === "mask") return this.allowed(panel);
      const part = high > low ? (value - low) / (high - low) : 0.5;
      return ramp[Math.round(255 * Math.min(1, Math.max(0, part)))];
    };
  }

  /** What lies over a cell that is masked. @param {CanvasRenderingContext2D} brush */
  hatch(brush) {
    const step = 6;
    const tile = document.createElement("canvas");
    tile.width = tile.height = step * Math.ceil(this.look.density);
    const lines = tile.getContext("2d");
    lines.scale(tile.width / step, tile.width / step);
    lines.strokeStyle = this.look.colors.masked;
    lines.globalAlpha = 0.55;
    for (const shift of [-step, 0, step]) {
      lines.moveTo(shift - 1, step + 1);
      lines.lineTo(shift + step + 1, -1);
    }
    lines.stroke();
    const pattern = brush.createPattern(tile, "repeat");
    pattern.setTransform(new DOMMatrix().scale(step / tile.width));
    return pattern;
  }
}
