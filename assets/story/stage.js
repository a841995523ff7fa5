// Paints actors on a canvas, as ui/figures/actors.py describes them.

import { css, luminance, ramp } from "../colors.js";
import { tabulated, written } from "../matrix/numbers.js";
import { drawn } from "./tween.js";

/** @import { Color } from "../colors.js" */
/** @import { Actor } from "./types.d.ts" */

const DARK_INK = "#17191e";
const HEAD = 7; // of an arrow
const LINED = 9; // from so wide on cells are parted

export class Stage {
  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    /** @type {Record<string, any>} */
    this.colors = {};
    /** @type {Record<string, Color[]>} */
    this.ramps = {};
    this.unit = 1; // pixels of the page to one of the stage
    /** @type {number[][]} */
    this.written = []; // where names of points stand in the picture: left, right and middle height of each
  }

  /** @param {Record<string, any>} colors of the page's mode */
  dress(colors) {
    if (this.colors === colors) return;
    this.colors = colors;
    this.ramps = { signed: ramp(colors.scales.signed), probability: ramp(colors.scales.probability) };
  }

  /**
   * Room on the page for the stage.
   * @param {number} width @param {number} height of the stage @param {number} unit @param {number} density
   */
  fit(width, height, unit, density) {
    this.unit = unit;
    this.density = density;
    const [wide, tall] = [width * unit, height * unit];
    Object.assign(this.canvas, { width: Math.round(wide * density), height: Math.round(tall * density) });
    Object.assign(this.canvas.style, { width: `${wide}px`, height: `${tall}px` });
    this.family = getComputedStyle(this.canvas).fontFamily;
  }

  /** @param {Actor[]} actors in the order of their levels */
  paint(actors) {
    const brush = this.canvas.getContext("2d");
    brush.setTransform(1, 0, 0, 1, 0, 0);
    brush.clearRect(0, 0, this.canvas.width, this.canvas.height);
    const scale = this.unit * this.density;
    brush.setTransform(scale, 0, 0, scale, 0, 0);
    brush.textBaseline = "middle";
    this.written = [];
    for (const actor of actors) {
      const opacity = actor.opacity ?? 1;
      if (opacity <= 0.004) continue;
      brush.globalAlpha = opacity;
      this[/** @type {"word"} */ (actor.kind)](brush, actor);
    }
    brush.globalAlpha = 1;
  }

  /** @param {string | undefined} name @param {string} instead */
  color(name, instead = "text") {
    return this.colors[name ?? instead] ?? this.colors[instead];
  }

  /** @param {CanvasRenderingContext2D} brush @param {Actor} actor */
  word(brush, { x, y, text = "", value, digits = 2, size = 16, weight = 400, color, align = "center", chip, gloss, room }) {
    brush.font = `${weight} ${size}px ${this.family}`;
    brush.textAlign = align;
    const shown = value === undefined ? text : text.includes("#") ? text.replace("#", written(value, digits)) : written(value, digits);
    const width = brush.measureText(shown).width;
    if (chip) {
      const left = { center: x - width / 2, left: x, right: x - width }[/** @type {"left"} */ (align)];
      brush.beginPath();
      brush.roundRect(left - 0.5 * size, y - 0.82 * size, width + size, 1.64 * size, 0.4 * size);
      brush.fillStyle = this.color("background");
      brush.fill();
      brush.strokeStyle = this.color(chip);
      brush.lineWidth = 1.2;
      brush.stroke();
    }
    brush.fillStyle = this.color(color);
    brush.fillText(shown, x, y);
    if (!gloss) return;
    brush.font = `400 ${0.68 * size}px ${this.family}`;
    if (brush.measureText(gloss).width > (room ?? Infinity)) return;
    brush.fillStyle = this.color("quiet");
    brush.fillText(gloss, x, y + (chip ? 1.35 : 1) * size);
  }

  /** @param {CanvasRenderingContext2D} brush @param {Actor} actor */
  grid(brush, { x, y, width, height, rows, values, shares = false, end = 1, digits = 0, rim }) {
    const columns = values.length / rows;
    const [wide, tall] = [width / columns, height / rows];
    const gap = Math.min(wide, tall) >= LINED ? 0.5 : 0;
    const ramp = this.ramps[shares ? "probability" : "signed"];
    for (const [index, value] of values.entries()) {
      const [left, top] = [x + (index % columns) * wide, y + Math.floor(index / columns) * tall];
      if (value === null || value === undefined) {
        brush.strokeStyle = this.color("grid");
        brush.lineWidth = 0.8;
        brush.strokeRect(left + 0.5, top + 0.5, wide - 1, tall - 1);
        continue;
      }
      const part = shares ? value : 0.5 + value / (2 * (end || 1));
      const fill = ramp[Math.round(255 * Math.min(1, Math.max(0, part)))];
      brush.fillStyle = css(fill);
      // Cells overlap by a hair where nothing parts them: else the page shines through.
      brush.fillRect(left + gap, top + gap, wide - 2 * gap + (gap ? 0 : 0.4), tall - 2 * gap + (gap ? 0 : 0.4));
      if (digits) this.figure(brush, value, digits, fill, [left, top, wide, tall]);
    }
    brush.strokeStyle = rim ? this.color(rim) : this.color("grid");
    brush.lineWidth = rim ? 2 : 0.8;
    brush.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
  }

  /**
   * A number in its cell.
   * @param {CanvasRenderingContext2D} brush @param {number} value @param {number} digits @param {Color} fill
   * @param {[x: number, y: number, width: number, height: number]} box
   */
  figure(brush, value, digits, fill, [x, y, width, height]) {
    const size = Math.min(13, 0.62 * height, width / 3.1);
    brush.font = `400 ${size}px ${this.family}`;
    brush.textAlign = "center";
    brush.fillStyle = luminance(fill) > 0.2 ? DARK_INK : "#ffffff";
    brush.fillText(tabulated(value, digits), x + width / 2, y + height / 2 + 0.5);
  }

  /** @param {CanvasRenderingContext2D} brush @param {Actor} actor */
  box(brush, { x, y, width, height, color, filled = true, hatched = false, radius = 0 }) {
    brush.beginPath();
    if (radius) brush.roundRect(x, y, width, height, radius);
    else brush.rect(x, y, width, height);
    brush.fillStyle = this.color(color);
    if (filled) brush.fill();
    brush.strokeStyle = this.color(color);
    brush.lineWidth = 1.5;
    if (!filled) brush.stroke();
    if (hatched) this.hatch(brush, x, y, width, height);
  }

  /** @param {CanvasRenderingContext2D} brush @param {number} x @param {number} y @param {number} width @param {number} height */
  hatch(brush, x, y, width, height) {
    brush.save();
    brush.clip();
    brush.strokeStyle = this.color("masked");
    brush.lineWidth = 1;
    brush.beginPath();
    for (let at = -height; at < width; at += 7) {
      brush.moveTo(x + at, y + height);
      brush.lineTo(x + at + height, y);
    }
    brush.stroke();
    brush.restore();
  }

  /** @param {CanvasRenderingContext2D} brush @param {Actor} actor */
  dot(brush, { x, y, radius, color, filled = true }) {
    brush.beginPath();
    brush.arc(x, y, Math.max(0, radius), 0, 2 * Math.PI);
    brush.fillStyle = brush.strokeStyle = this.color(color);
    brush.lineWidth = 1.5;
    if (filled) brush.fill();
    else brush.stroke();
  }

  /** @param {CanvasRenderingContext2D} brush @param {Actor} actor */
  line(brush, { x, y, to_x, to_y, width = 1.5, color, bend = 0, arrow = false, dashed = false }) {
    const [along, across] = [to_x - x, to_y - y];
    const length = Math.hypot(along, across);
    if (!length || width <= 0) return;
    const [turnX, turnY] = [(x + to_x) / 2 - (bend * across) / length, (y + to_y) / 2 + (bend * along) / length];
    brush.strokeStyle = brush.fillStyle = this.color(color, "quiet");
    brush.lineWidth = width;
    brush.lineCap = "round";
    brush.setLineDash(dashed ? [4, 4] : []);
    brush.beginPath();
    brush.moveTo(x, y);
    brush.quadraticCurveTo(turnX, turnY, to_x, to_y);
    brush.stroke();
    brush.setLineDash([]);
    if (!arrow) return;
    const way = Math.atan2(to_y - turnY, to_x - turnX);
    const size = HEAD + width;
    brush.beginPath();
    brush.moveTo(to_x, to_y);
    for (const side of [-0.42, 0.42]) brush.lineTo(to_x - size * Math.cos(way + side), to_y - size * Math.sin(way + side));
    brush.fill();
  }

  /** @param {CanvasRenderingContext2D} brush @param {Actor} actor */
  curve(brush, { x, y, points, width = 2, color, until = Infinity }) {
    brush.beginPath();
    for (const [along, up] of drawn(points, until)) brush.lineTo(x + along, y + up);
    brush.strokeStyle = this.color(color);
    brush.lineWidth = width;
    brush.lineJoin = "round";
    brush.stroke();
  }

  /**
   * A name that others are in the way of is a dot.
   * @param {CanvasRenderingContext2D} brush @param {Actor} actor
   */
  cloud(brush, { x, y, points, texts, size = 10, weight = 400, color }) {
    brush.font = `${weight} ${size}px ${this.family}`;
    brush.textAlign = "center";
    brush.fillStyle = this.color(color);
    for (const [at, text] of texts.entries()) {
      const [middle, high] = [x + points[2 * at], y + points[2 * at + 1]];
      const half = brush.measureText(text).width / 2 + 1;
      const hidden = this.written.some(([left, right, other]) =>
        middle + half > left && middle - half < right && Math.abs(high - other) < 0.9 * size);
      if (hidden) {
        brush.beginPath();
        brush.arc(middle, high, 1.5, 0, 2 * Math.PI);
        brush.fill();
      } else {
        brush.fillText(text, middle, high);
        this.written.push([middle - half, middle + half, high]);
      }
    }
  }
}
