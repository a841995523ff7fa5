// How a board is set: the room it has, its colours, its letters.

import { modeOf } from "../colors.js";
import { onPaper, SHARP } from "./paper.js";

/** @import { TextStyle } from "./types.d.ts" */
/**
 * @typedef {Record<string, string> & {scales: Record<string, string[]>}} Colors by meaning, as ui/theme.py names them
 */

export class Look {
  /** @param {HTMLElement} root @param {CanvasRenderingContext2D} brush what texts are measured with */
  constructor(root, brush) {
    this.root = root;
    this.brush = brush;
    this.width = 0;
  }

  /** As the page is now. @param {Record<string, any>} colors of both modes */
  read(colors) {
    const style = getComputedStyle(this.root);
    this.width = this.root.clientWidth;
    this.height = innerHeight;
    this.screen = innerWidth;
    this.density = onPaper() ? SHARP : window.devicePixelRatio || 1;
    this.unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    this.family = style.fontFamily;
    this.part = parseFloat(style.getPropertyValue("--board-share")); // of the screen, where it has to leave room
    this.mode = modeOf(this.root);
    /** @type {Colors} */
    this.colors = colors[this.mode];
  }

  /** Whether the page has changed since, so that the board would lie otherwise. */
  get stale() {
    return this.root.clientWidth !== this.width || (this.part && innerHeight !== this.height);
  }

  /** A length that is a whole number of the screen's pixels. @param {number} size @param {number} least */
  snapped(size, least) {
    return Math.max(least, Math.floor(size * this.density) / this.density);
  }

  /** @param {number} size */
  font(size, weight = 400) {
    return `${weight} ${size * this.unit}px ${this.family}`;
  }

  /** @param {string} text @param {string} font */
  measure(text, font) {
    this.brush.font = font;
    return this.brush.measureText(text).width;
  }

  /**
   * A clean canvas, drawn in CSS pixels.
   * @param {HTMLCanvasElement} canvas @param {number} wide @param {number} tall
   */
  sized(canvas, wide, tall) {
    const [width, height] = [wide, tall].map((size) => Math.round(size * this.density));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    canvas.style.width = `${wide}px`;
    canvas.style.height = `${tall}px`;
    const brush = canvas.getContext("2d");
    brush.setTransform(this.density, 0, 0, this.density, 0, 0);
    brush.clearRect(0, 0, wide, tall);
    return brush;
  }

  /**
   * @param {CanvasRenderingContext2D} brush @param {string} text @param {number} x @param {number} y
   * @param {TextStyle} style
   */
  write(brush, text, x, y, { size = 12, weight = 400, color = "quiet", align = "left", most = Infinity } = {}) {
    brush.font = this.font(size, weight);
    brush.fillStyle = this.colors[color] ?? color;
    brush.textAlign = align;
    brush.textBaseline = "middle";
    brush.fillText(shortened(brush, text, most), x, y);
  }

  /** @param {CanvasRenderingContext2D} brush @param {[x: number, y: number, width: number, height: number]} box */
  dashed(brush, ...box) {
    brush.strokeStyle = this.colors.padding;
    brush.lineWidth = 1;
    brush.setLineDash([2, 2]);
    brush.strokeRect(...box);
    brush.setLineDash([]);
  }
}

/** @param {CanvasRenderingContext2D} brush @param {string} text @param {number} most pixels */
function shortened(brush, text, most) {
  if (brush.measureText(text).width <= most) return text;
  const letters = [...text];
  while (letters.length > 1 && brush.measureText(`${letters.join("")}…`).width > most) letters.pop();
  return `${letters.join("")}…`;
}
