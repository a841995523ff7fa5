// Where everything goes, in CSS pixels: panels side by side as their place says, as large as the page allows.

import { rounded, sum } from "./indices.js";

/** @import { Decoded, Panel, Ticks } from "./types.d.ts" */
/** @import { Look } from "./look.js" */

export const CELL = { least: 3, most: 44, wall: 130, easy: 12, lined: 10, roomy: 20, thin: 20, stretch: 4, wide: 1.6, tall: 1.4 };
const FIRST_SCREEN = { tall: 460, shared: 560 }; // height of one matrix; of all rows of a board together, at 16 px a rem
const NAMES = 70; // of a matrix and its axes, with its legend, where the height of the board is a part of the screen
const PHONE = 480;
const WALL = 7; // from so many panels in a row they are small multiples, without labels
export const GLOSS = { size: 10, line: 12 }; // of what the labels of columns mean, under them
export const EDGE = 2; // room for an outline
export const IDEOGRAPHS = /^[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]+$/;

/** Sets the geometry of panels, and has the size of the whole. It needs of the look what it measures with. */
export class Layout {
  /** @param {Look} look @param {(panel: Decoded) => number} legendWidth */
  constructor(look, legendWidth) {
    this.look = look;
    this.legendWidth = legendWidth;
    this.width = 0;
    this.height = 0;
    this.legendTop = 0;
    this.sharedLegend = false; // one for all panels
    /** @type {Map<number, number>} */
    this.pitches = new Map();
  }

  /**
   * A board whose height is a part of the screen is laid again where its names take more of that than was expected.
   * @param {Panel[]} panels @param {number} names how much more, in pixels @param {number} again how often at most
   */
  arrange(panels, names = 0, again = 3) {
    this.panels = panels;
    const places = [...new Set(this.panels.map((panel) => panel.place[0]))].sort((a, b) => a - b);
    const scales = new Set(this.panels.map((panel) => JSON.stringify([panel.scale, panel.ends])));
    this.sharedLegend = scales.size === 1 && this.panels.length > 1 && this.panels[0].scale !== "plain";
    const rows = places.map((place) =>
      this.panels.filter((panel) => panel.place[0] === place).sort((a, b) => a.place[1] - b.place[1]),
    );
    this.share(rows, names);
    this.width = this.look.width;
    this.height = 0;
    this.pitches = new Map();
    for (const row of rows) for (const panel of row) this.prepare(panel, row.length >= WALL);
    const wall = rows.filter((row) => row[0].wall);
    if (wall.some((row) => this.fitting(row) < CELL.easy)) {
      for (const panel of wall.flat()) this.prepare(panel, true);
      this.pitches.clear();
    }
    for (const row of rows) for (const [panels, cell] of this.wrapped(row)) this.setLine(panels, cell);
    this.legendTop = this.height;
    this.height = Math.ceil(this.height + (this.sharedLegend ? 20 * this.look.unit : 0));
    this.width = Math.ceil(this.width);
    const over = this.height - this.look.part * this.look.height;
    if (over > 1 && again) this.arrange(panels, names + over, again - 1);
  }

  /**
   * How tall the matrices of each row of the board may be: the low ones take what they need, the others share the rest.
   * @param {Panel[][]} rows @param {number} names what their names take beyond what is usual
   */
  share(rows, names) {
    /** @type {[need: number, row: Panel[]][]} */
    const needs = rows.map((row) => [Math.max(...row.map((panel) => this.need(panel))) * this.linesOf(row), row]);
    const limited = this.look.part && this.look.screen >= PHONE;
    let left = this.look.width < PHONE && !limited ? Infinity : FIRST_SCREEN.shared * this.look.unit;
    const most = this.look.part ? Infinity : FIRST_SCREEN.tall * this.look.unit;
    if (limited)
      left = this.look.part * this.look.height - sum(rows.map((row) => (row.length < WALL ? NAMES : 26))) * this.look.unit - names;
    needs.sort(([a], [b]) => a - b);
    needs.forEach(([need, row], at) => {
      const tallest = Math.min(most, need, left / (needs.length - at));
      for (const panel of row) panel.tallest = tallest;
      left -= tallest;
    });
  }

  /** How many lines a row may take: where the height is given, lines may make its cells larger. @param {Panel[]} row */
  linesOf(row) {
    return this.look.part && row.length < WALL ? row.length : 1;
  }

  /** Width and height of the largest cell. */
  get most() {
    return (this.look.part ? CELL.wall : CELL.most) * this.look.unit;
  }

  /** @param {Panel} panel */
  need(panel) {
    const width = this.look.width / panel.cols;
    const cell = width < CELL.lined ? Math.min(CELL.stretch * width, CELL.thin) : width;
    return panel.rows * Math.min(this.most, cell);
  }

  /** @param {Panel} panel @param {boolean} bare */
  prepare(panel, bare) {
    panel.bare = bare;
    const said = panel.print && panel.cols === 1 && this.look.width < PHONE; // by its numbers, in less room than by a legend
    panel.ownLegend = !this.sharedLegend && !bare && panel.scale !== "plain" && !said;
    const unnamed = bare || panel.follows;
    panel.axisRoom = panel.axes.row && !unnamed ? 18 * this.look.unit : 0;
    const most = (this.look.width < PHONE ? 64 : 96) * this.look.unit;
    panel.explained = this.look.width >= PHONE;
    panel.labelRoom = unnamed || panel.silent ? 0 : this.widest(rowNames(panel), most);
    panel.left = Math.max(EDGE, panel.axisRoom + (panel.labelRoom ? panel.labelRoom + 10 : 0));
    // Names and legends of a small matrix may be wider than the matrix itself.
    const wishes = [
      this.look.measure(panel.title, this.look.font(13, 600)),
      panel.left + this.look.measure(panel.axes.column, this.look.font(12)),
      panel.ownLegend ? panel.left + this.legendWidth(panel) : 0,
    ];
    panel.wish = bare ? 0 : Math.min(Math.max(...wishes), this.look.width);
  }

  /**
   * One row of the board as lines that fit the page: [[panels, cell width], ...]. A wall breaks between its groups only.
   * @param {Panel[]} row @returns {[Panel[], number][]}
   */
  wrapped(row) {
    const enough = row[0].bare ? CELL.least : CELL.easy;
    const group = row[0].wall || 1;
    const groups = Math.ceil(row.length / group);
    const shares = this.linesOf(row) > 1;
    /** @type {{size: number, room: number, lines: Panel[][], cells: number[]} | null} */
    let best = null;
    for (let count = 1; count <= groups; count += 1) {
      const length = Math.ceil(groups / count) * group;
      const lines = Array.from({ length: Math.ceil(row.length / length) }, (_, at) =>
        row.slice(at * length, (at + 1) * length),
      );
      const cells = lines.map((panels) => this.fitting(panels));
      const room = shares ? row[0].tallest / count - (count - 1) * (NAMES / count) * this.look.unit : row[0].tallest;
      const least = Math.min(...cells);
      const size = shares ? Math.min(least, ...row.map((panel) => room / panel.rows)) : least;
      if (!best || !best.size || size > best.size) best = { size, room, lines, cells };
      if (!shares && least >= enough) {
        best = { size, room, lines, cells: cells.map(() => least) };
        break;
      }
    }
    for (const panel of row) panel.tallest = best.room;
    return best.lines.map((panels, at) => [panels, best.cells[at] || CELL.least]);
  }

  /** The largest cell with which the panels stand side by side, 0 when none is small enough. @param {Panel[]} panels */
  fitting(panels) {
    this.line(panels);
    const most = this.snapped(this.most);
    for (let cell = most; cell >= CELL.least; cell -= 1 / this.look.density)
      if (this.lineWidth(panels, cell) <= this.look.width) return cell;
    return 0;
  }

  /** On a line of its own each panel has its names; beside another it takes that one's. @param {Panel[]} panels */
  line(panels) {
    for (const [at, panel] of panels.entries()) {
      panel.follows = panel.beside && at > 0;
      if (panel.beside) this.prepare(panel, panel.bare);
    }
  }

  /** @param {Panel[]} panels @param {number} cell */
  lineWidth(panels, cell) {
    return sum(panels.map((panel) => this.outer(panel, cell))) + this.gap(panels) * (panels.length - 1);
  }

  /**
   * With its labels; on a wall all panels take as much room as the widest, so that columns stand below each other.
   * @param {Panel} panel @param {number} cell
   */
  outer(panel, cell) {
    if (!panel.wall) return this.taken(panel, cell);
    if (!this.pitches.has(cell)) {
      const wall = this.panels.filter((other) => other.wall);
      this.pitches.set(cell, Math.max(...wall.map((other) => this.taken(other, cell))));
    }
    return this.pitches.get(cell);
  }

  /** @param {Panel} panel @param {number} cell */
  taken(panel, cell) {
    return Math.max(panel.wish, panel.left + this.cell(panel, cell)[0] * panel.cols + EDGE);
  }

  /** @param {Panel[]} panels */
  gap(panels) {
    return panels[0].bare ? Math.min(12, Math.max(4, this.look.width / 80)) : 28;
  }

  /**
   * Square cells, unless a long thin matrix would become too small to see.
   * @param {Panel} panel @param {number} width @returns {[width: number, height: number]}
   */
  cell(panel, width) {
    const height = this.snapped(Math.min(this.most, panel.tallest / panel.rows));
    const square = Math.min(width, height);
    const long = Math.max(panel.rows, panel.cols) >= 3 * Math.min(panel.rows, panel.cols);
    const wide = this.look.part && panel.print ? Math.min(width, CELL.wide * square) : square; // room for its number
    const tall = this.look.part && wide === square ? Math.min(height, CELL.tall * square) : square; // the wall's height
    if (square >= CELL.lined || !long) return [wide, tall];
    const longer = this.snapped(Math.min(Math.max(width, height), CELL.stretch * square, CELL.thin));
    return width > height ? [longer, square] : [square, longer];
  }

  /** @param {number} size */
  snapped(size) {
    return this.look.snapped(size, CELL.least);
  }

  /** @param {Panel[]} panels @param {number} cell */
  setLine(panels, cell) {
    this.line(panels);
    for (const panel of panels) {
      [panel.cw, panel.ch] = this.cell(panel, cell);
      panel.ticks = { row: this.rowTicks(panel), column: this.columnTicks(panel) };
      panel.above = sum([
        panel.title ? 22 * this.look.unit : 0,
        panel.axes.column && !panel.bare ? 18 * this.look.unit : 0,
        panel.ticks.column.height || EDGE,
      ]);
    }
    const above = Math.max(...panels.map((panel) => panel.above));
    const top = this.height;
    let x = 0;
    for (const panel of panels) {
      panel.top = top;
      panel.x = this.snapped(x + panel.left);
      panel.y = this.snapped(top + above);
      panel.right = panel.x + panel.cw * panel.cols;
      panel.bottom = panel.y + panel.ch * panel.rows;
      panel.outer = this.outer(panel, cell);
      x += panel.outer + this.gap(panels);
      const below = panel.ownLegend ? 26 * this.look.unit : EDGE;
      this.height = Math.max(this.height, panel.bottom + below);
      this.width = Math.max(this.width, panel.right + EDGE);
    }
    this.height += panels[0].bare ? this.gap(panels) - EDGE : 16;
  }

  /**
   * Which labels are drawn: all of them, or every k-th; none on a wall of small panels.
   * @param {Panel} panel @returns {Ticks}
   */
  columnTicks(panel) {
    const labels = panel.labels.column;
    if (!labels.length || panel.bare || panel.silent) return { height: 0, every: 0 };
    const flat = 18 * this.look.unit;
    const widest = this.widest(labels, Infinity);
    const sizes = this.look.unit > 1 ? [12] : [12, 11, 10]; // what is set larger is to be read from further away
    for (const size of sizes)
      if ((widest * size) / 12 <= panel.cw - 3) {
        const below = panel.glosses.column.some((gloss) => gloss && this.meansWithin(gloss, panel.cw));
        return { height: flat + (below ? GLOSS.line * this.look.unit : 0), every: 1, size, below };
      }
    if (labels.every(isNumber)) return { height: flat, every: rounded((widest + 8) / panel.cw), size: 12 };
    const lengths = labels.map((label) =>
      IDEOGRAPHS.test(label) ? [...label].length * 13 * this.look.unit : this.look.measure(label, this.look.font(12)),
    );
    const height = Math.min(72 * this.look.unit, Math.max(...lengths)) + 8;
    return { height, every: Math.ceil((13 * this.look.unit) / panel.cw), size: 12, upright: true };
  }

  /** @param {Panel} panel @returns {Ticks} */
  rowTicks(panel) {
    const labels = panel.labels.row;
    if (!labels.length || panel.bare || panel.silent || panel.follows) return { every: 0 };
    const every = (13 * this.look.unit) / panel.ch;
    return { every: labels.every(isNumber) ? rounded(every) : Math.ceil(every), size: 12 };
  }

  /** Whether what a label means has room in its column. @param {string} gloss @param {number} width */
  meansWithin(gloss, width) {
    return this.look.measure(gloss, this.look.font(GLOSS.size)) <= width - 2;
  }

  /** @param {string[]} labels @param {number} most */
  widest(labels, most) {
    return Math.min(most, Math.max(0, ...labels.map((label) => this.look.measure(label, this.look.font(12)))));
  }
}

/** What is drawn before each row: with what its word means, where there is room. @param {Panel} panel */
export function rowNames({ labels, glosses, explained }) {
  /** @param {string} label @param {number} row */
  const named = (label, row) => (glosses.row[row] && !label.includes(" ") ? `${label} ${glosses.row[row]}` : label);
  return explained ? labels.row.map(named) : labels.row;
}

/** @param {string} label */
function isNumber(label) {
  return /^\d+$/.test(label);
}
