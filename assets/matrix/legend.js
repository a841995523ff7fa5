// A legend: the ends of a scale, what hatching and dashes mean.

import { css } from "../colors.js";
import { written } from "./numbers.js";

/** @import { Decoded } from "./types.d.ts" */
/** @import { Look } from "./look.js" */
/** @import { Palette } from "./palette.js" */

const SIZE = 12;

export class Legend {
  /** @param {Look} look @param {Palette} palette */
  constructor(look, palette) {
    this.look = look;
    this.palette = palette;
    /** @type {Record<string, string>} */
    this.words = {};
  }

  /** @param {Decoded} panel */
  width(panel) {
    return this.paint(null, panel, 0, 0, [panel]);
  }

  /**
   * Of a panel's scale, and of all cells of the panels that it is `about`; returns its width, and draws only with a brush.
   * @param {CanvasRenderingContext2D | null} brush @param {Decoded} panel @param {number} x @param {number} y
   * @param {Decoded[]} about
   */
  paint(brush, panel, x, y, about) {
    const { look, palette, words } = this;
    const middle = y + 7 * look.unit;
    let at = x;
    /** @param {string} content */
    const text = (content) => {
      if (brush) look.write(brush, content, at, middle, { size: SIZE });
      at += look.measure(content, look.font(SIZE)) + 6;
    };
    /** @param {(string | CanvasPattern)[]} fills */
    const swatch = (...fills) => {
      for (const fill of brush ? fills : []) {
        brush.fillStyle = fill;
        brush.fillRect(at, middle - 5, 10, 10);
      }
      at += 15;
    };
    /** @param {string[]} stops @param {number} length */
    const bar = (stops, length) => {
      if (brush) {
        const across = brush.createLinearGradient(at, 0, at + length, 0);
        for (const [index, tint] of stops.entries()) across.addColorStop(index / (stops.length - 1), tint);
        brush.fillStyle = across;
        brush.fillRect(at, middle - 3, length, 6);
      }
      at += length + 6;
    };
    if (panel.scale === "mask") {
      swatch(css(palette.allowed(panel)));
      text(words.allowed ?? "");
    } else {
      text(written(panel.ends[0], 3));
      bar(palette.stops(panel), 56 * look.unit);
      text(written(panel.ends[1], 3));
    }
    if (about.some((other) => other.hidden?.includes(1))) {
      at += 8;
      swatch(look.colors.panel, palette.hatch(look.brush));
      text(words.masked ?? "");
    }
    if (words.vacant && about.some((other) => other.vacant?.includes(1))) {
      at += 8;
      if (brush) look.dashed(brush, at + 0.5, middle - 4.5, 9, 9);
      swatch();
      text(words.vacant);
    }
    return at - x;
  }
}
