// What the base canvas shows: names, cells, labels, legends.

import { luminance } from "../colors.js";
import { CELL, EDGE, GLOSS, IDEOGRAPHS, rowNames } from "./layout.js";
import { decimalsOf, tabulated, tiny } from "./numbers.js";
import { forPaper } from "./paper.js";
import { cellBox } from "./places.js";

/** @import { Panel, Seen, TextStyle } from "./types.d.ts" */
/** @import { Layout } from "./layout.js" */
/** @import { Legend } from "./legend.js" */
/** @import { Look } from "./look.js" */
/** @import { Palette } from "./palette.js" */

const INK = ["#17191e", "#ffffff"]; // on a light cell, on a dark one

/** Draws panels where the layout has put them. */
export class Picture {
  /**
   * @param {HTMLCanvasElement} canvas @param {Look} look @param {Palette} palette @param {Layout} layout
   * @param {Legend} legend
   */
  constructor(canvas, look, palette, layout, legend) {
    this.canvas = canvas;
    this.look = look;
    this.palette = palette;
    this.layout = layout;
    this.legend = legend;
    this.painted = 0; // how often
    /** A pixel per cell, for each panel. @type {Map<string, {canvas: HTMLCanvasElement, image: ImageData}>} */
    this.small = new Map();
    /** How numbers are written in a panel's cells. @type {WeakMap<Panel, {places: (index: number) => number, longest: number}>} */
    this.writing = new WeakMap();
  }

  /** @param {Seen[]} panels */
  paint(panels) {
    const { look, layout, legend } = this;
    const brush = look.sized(this.canvas, layout.width, layout.height);
    for (const panel of [...panels].sort((one, other) => (one.opacity ?? 1) - (other.opacity ?? 1))) {
      brush.globalAlpha = panel.opacity ?? 1;
      this.paintNames(brush, panel);
      this.paintCells(brush, panel);
      this.paintMarks(brush, panel);
      this.paintLabels(brush, panel);
      const scaled = panel.settled ?? panel;
      if (panel.ownLegend) legend.paint(brush, scaled, panel.x, panel.bottom + 8 * look.unit, [scaled]);
    }
    brush.globalAlpha = 1;
    if (layout.sharedLegend) legend.paint(brush, panels[0].settled ?? panels[0], panels[0].x, layout.legendTop, panels);
    this.painted += 1;
    Object.assign(this.canvas.dataset, {
      mode: look.mode,
      summary: panels.map((panel) => `${panel.key} ${panel.rows}x${panel.cols}`).join("; "),
      painted: this.painted,
    });
  }

  /** The cells alone of a panel that lies where it lay. @param {Seen} panel */
  renew(panel) {
    const brush = this.canvas.getContext("2d");
    this.paintCells(brush, panel);
    this.paintMarks(brush, panel);
  }

  /** @param {CanvasRenderingContext2D} brush @param {Panel} panel */
  paintNames(brush, panel) {
    const start = panel.x - panel.left;
    const title = { size: panel.bare ? 12 : 13, weight: 600, color: panel.meaning ?? "text", most: panel.outer };
    this.look.write(brush, panel.title, start, panel.top + 9 * this.look.unit, title);
    if (panel.bare) return;
    const axis = panel.y - (panel.ticks.column.height || EDGE) - 10 * this.look.unit;
    this.look.write(brush, panel.axes.column, panel.x, axis, { most: panel.outer - panel.left });
    if (panel.follows || this.look.measure(panel.axes.row, this.look.font(12)) > panel.bottom - panel.y) return;
    brush.save();
    brush.translate(start + 7 * this.look.unit, panel.y);
    brush.rotate(-Math.PI / 2);
    this.look.write(brush, panel.axes.row, 0, 0, { align: "right" });
    brush.restore();
  }

  /** @param {CanvasRenderingContext2D} brush @param {Seen} panel */
  paintCells(brush, panel) {
    const [width, height] = [panel.right - panel.x, panel.bottom - panel.y];
    brush.imageSmoothingEnabled = false;
    brush.drawImage(forPaper(this.pixels(panel), width, height), panel.x, panel.y, width, height);
    const { empty } = panel;
    if (panel.hidden) {
      brush.beginPath();
      for (const [index, hidden] of panel.hidden.entries())
        if (hidden && !empty?.[index]) brush.rect(...cellBox(panel, index));
      brush.fillStyle = this.palette.hatch(brush);
      brush.fill();
    }
    if (Math.min(panel.cw, panel.ch) >= CELL.lined) {
      brush.beginPath();
      for (let col = 1; col < panel.cols; col += 1) brush.rect(panel.x + col * panel.cw - 0.5, panel.y, 1, height);
      for (let row = 1; row < panel.rows; row += 1) brush.rect(panel.x, panel.y + row * panel.ch - 0.5, width, 1);
      brush.fillStyle = this.look.colors.background;
      brush.fill();
    }
    if (panel.vacant && Math.min(panel.cw, panel.ch) >= CELL.lined)
      for (const [index, vacant] of panel.vacant.entries())
        if (vacant && !empty?.[index]) this.outlined(brush, cellBox(panel, index));
    brush.strokeStyle = this.look.colors.grid;
    brush.lineWidth = 1;
    brush.strokeRect(panel.x - 0.5, panel.y - 0.5, width + 1, height + 1);
    brush.fillStyle = this.look.colors.text;
    for (const col of panel.borders) brush.fillRect(panel.x + col * panel.cw - 1, panel.y - 3, 2, height + 6);
  }

  /**
   * No number stands here: a dashed border, or a dot where that would be too much.
   * @param {CanvasRenderingContext2D} brush @param {[x: number, y: number, width: number, height: number]} box
   */
  outlined(brush, [x, y, width, height]) {
    if (Math.min(width, height) >= CELL.roomy) return this.look.dashed(brush, x + 1.5, y + 1.5, width - 3, height - 3);
    brush.fillStyle = this.look.colors.padding;
    brush.fillRect(x + width / 2 - 1.5, y + height / 2 - 1.5, 2, 2);
  }

  /** One pixel per cell; the canvas enlarges it. @param {Seen} panel */
  pixels(panel) {
    const { key, rows, cols } = panel;
    let small = this.small.get(key);
    if (small?.canvas.width !== cols || small.canvas.height !== rows) {
      const canvas = Object.assign(document.createElement("canvas"), { width: cols, height: rows });
      small = { canvas, image: new ImageData(cols, rows) };
      small.image.data.fill(255);
      this.small.set(key, small);
    }
    const fill = this.palette.fills(panel);
    for (let index = 0; index < panel.values.length; index += 1) small.image.data.set(fill(index), 4 * index);
    small.canvas.getContext("2d").putImageData(small.image, 0, 0);
    return small.canvas;
  }

  /**
   * Numbers inside large cells, and a mark on those that no colour stands for.
   * @param {CanvasRenderingContext2D} brush @param {Seen} panel
   */
  paintMarks(brush, panel) {
    const { values, settled = panel } = panel;
    if (panel.scale === "mask" || (!panel.print && values.every(Number.isFinite))) return;
    const { places: by, longest } = this.written(settled);
    const size = Math.min(12, (12 * (settled.cw - 4)) / longest);
    const least = this.look.unit > 1 ? 11.75 : 8; // what is set larger is to be read from further away
    const print = panel.print && size >= least && settled.ch >= 14 * this.look.unit;
    const fill = this.palette.fills(panel);
    for (const [index, value] of values.entries()) {
      if (wordless(panel, index) || panel.empty?.[index] || (Number.isFinite(value) && !print)) continue;
      const [x, y, width, height] = cellBox(panel, index);
      const places = by(index);
      const paper = luminance(fill(index)) > 0.2 ? INK[0] : INK[1];
      const color = Number.isNaN(value) ? this.look.colors.wrong : panel.vacant?.[index] ? this.look.colors.quiet : paper;
      const few = panel.scale === "plain" ? this.few(value, places, settled.cw - 4) : undefined;
      const text = few && few.size >= least ? few.text : tabulated(value, places);
      const font = few && few.size >= least ? few.size : Math.min(size, 12);
      const fits = height >= 14 && this.look.measure(text, this.look.font(font)) <= width - 2;
      if (fits || (panel.settled && Number.isFinite(value))) // on its way to one that fits
        this.look.write(brush, text, x + width / 2, y + height / 2 + 0.5, { size: font, color, align: "center" });
      else cross(brush, color, x, y, width, height);
    }
  }

  /**
   * The decimals of each of a panel's numbers, and how wide the longest of them is, at 12 px.
   * @param {Panel} panel @returns {{places: (index: number) => number, longest: number}}
   */
  written(panel) {
    let found = this.writing.get(panel);
    if (!found) {
      const written = [...panel.values.keys()].filter((at) => Number.isFinite(panel.values[at]) && !wordless(panel, at));
      const places = decimalsOf(panel, written);
      const font = this.look.font(12);
      const longest = Math.max(0, ...written.map((at) => this.look.measure(tabulated(panel.values[at], places(at)), font)));
      found = { places, longest };
      this.writing.set(panel, found);
    }
    return found;
  }

  /**
   * As large as fits; undefined where nothing is to be written instead of the decimals of all.
   * @param {number} value @param {number} places @param {number} room
   */
  few(value, places, room) {
    const text = tiny(value, places);
    return text ? { text, size: Math.min(12, (12 * room) / this.look.measure(text, this.look.font(12))) } : undefined;
  }

  /** Letters may be others now than when they were measured. */
  forget() {
    this.writing = new WeakMap();
  }

  /** @param {CanvasRenderingContext2D} brush @param {Panel} panel */
  paintLabels(brush, panel) {
    const { row: rows, column: columns } = panel.ticks;
    for (let row = 0; rows.every && row < panel.rows; row += rows.every)
      this.label(brush, panel, "row", row, panel.x - 8, panel.y + (row + 0.5) * panel.ch, {
        align: "right",
        most: panel.labelRoom,
      });
    for (let col = 0; columns.every && col < panel.cols; col += columns.every) {
      const x = panel.x + (col + 0.5) * panel.cw;
      if (columns.upright) this.upright(brush, panel, col, x, columns.height - 8);
      else this.level(brush, panel, col, x);
    }
  }

  /**
   * A name above its column and, where there is room, what it means between the two.
   * @param {CanvasRenderingContext2D} brush @param {Panel} panel @param {number} col @param {number} x
   */
  level(brush, panel, col, x) {
    const { below, size } = panel.ticks.column;
    const y = panel.y - 10 * this.look.unit;
    this.label(brush, panel, "column", col, x, y - (below ? GLOSS.line * this.look.unit : 0), { align: "center", size });
    const gloss = panel.glosses.column[col];
    if (below && gloss && this.layout.meansWithin(gloss, panel.cw))
      this.look.write(brush, gloss, x, y + 1, { align: "center", size: GLOSS.size, color: "quiet" });
  }

  /**
   * Words turn their head; Chinese is written downwards.
   * @param {CanvasRenderingContext2D} brush @param {Panel} panel @param {number} col @param {number} x @param {number} most
   */
  upright(brush, panel, col, x, most) {
    const label = panel.labels.column[col];
    if (!IDEOGRAPHS.test(label)) {
      brush.save();
      brush.translate(x, panel.y - 7);
      brush.rotate(-Math.PI / 2);
      this.label(brush, panel, "column", col, 0, 0, { align: "left", most });
      brush.restore();
      return;
    }
    const line = 13 * this.look.unit;
    const letters = [...label].slice(0, Math.floor(most / line));
    const color = panel.padded.column.includes(col) ? "padding" : "quiet";
    letters.reverse().forEach((letter, at) =>
      this.look.write(brush, letter, x, panel.y - 7 - (at + 0.5) * line, { align: "center", color }),
    );
    const height = letters.length * line;
    if (color === "padding") this.look.dashed(brush, x - 0.6 * line, panel.y - 7 - height, 1.2 * line, height);
  }

  /**
   * @param {CanvasRenderingContext2D} brush @param {Panel} panel @param {"row" | "column"} axis
   * @param {number} index @param {number} x @param {number} y @param {TextStyle} style
   */
  label(brush, panel, axis, index, x, y, style) {
    const padded = panel.padded[axis].includes(index);
    const text = axis === "row" ? rowNames(panel)[index] : panel.labels.column[index];
    this.look.write(brush, text, x, y, { ...style, color: padded ? "padding" : "quiet" });
    if (!padded) return;
    const width = Math.min(style.most ?? Infinity, brush.measureText(text).width) + 6;
    const start = { left: -3, center: -width / 2, right: 3 - width }[style.align];
    this.look.dashed(brush, x + start, y - 8 * this.look.unit, width, 15 * this.look.unit);
  }
}

/** Whether nothing is written in a cell. @param {Panel} panel @param {number} index */
export function wordless(panel, index) {
  const vacant = panel.vacant?.[index] && (panel.blank || !Number.isFinite(panel.values[index]));
  return Boolean(panel.hidden?.[index] || vacant);
}

/**
 * @param {CanvasRenderingContext2D} brush @param {string} color @param {number} x @param {number} y @param {number} width
 * @param {number} height
 */
function cross(brush, color, x, y, width, height) {
  brush.strokeStyle = color;
  brush.lineWidth = 1;
  brush.beginPath();
  for (const [from, to] of [[0.2, 0.8], [0.8, 0.2]]) {
    brush.moveTo(x + 0.2 * width, y + from * height);
    brush.lineTo(x + 0.8 * width, y + to * height);
  }
  brush.stroke();
}
