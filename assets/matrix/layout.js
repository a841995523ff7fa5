// Where everything goes, in CSS pixels: panels side by side as their place says, as large as the page allows.

const CELL = { least: 3, most: 44, easy: 12, lined: 10, roomy: 20, thin: 20, stretch: 4, wide: 1.6 };
const FIRST_SCREEN = { tall: 460, shared: 560 }; // height of one matrix; of all rows of a board together, at 16 px a rem
const NAMES = 70; // of a matrix and its axes, with its legend, where the height of the board is a part of the screen
const PHONE = 480;
const WALL = 7; // from so many panels in a row they are small multiples, without labels
const EDGE = 2; // room for an outline
const IDEOGRAPHS = /^[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]+$/;

class Layout {
  layout() {
    const style = getComputedStyle(this.root);
    this.width = this.root.clientWidth;
    this.height = innerHeight;
    this.density = onPaper() ? SHARP : window.devicePixelRatio || 1;
    this.unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    this.family = style.fontFamily;
    this.part = parseFloat(style.getPropertyValue("--board-share")); // of the screen, where it has to leave room
    this.mode = luminance(rgb(style.getPropertyValue("--st-background-color").trim())) < 0.2 ? "dark" : "light";
    this.colors = this.data.colors[this.mode];

    const places = [...new Set(this.panels.map((panel) => panel.place[0]))].sort((a, b) => a - b);
    const scales = new Set(this.panels.map((panel) => JSON.stringify([panel.scale, panel.ends])));
    this.sharedLegend = scales.size === 1 && this.panels.length > 1 && this.panels[0].scale !== "plain";
    const rows = places.map((place) =>
      this.panels.filter((panel) => panel.place[0] === place).sort((a, b) => a.place[1] - b.place[1]),
    );
    this.share(rows);
    this.boardWidth = this.width;
    this.boardHeight = 0;
    this.pitches = new Map();
    for (const row of rows) for (const panel of row) this.prepare(panel, row.length >= WALL);
    const wall = rows.filter((row) => row[0].wall);
    if (wall.some((row) => this.fitting(row) < CELL.easy)) {
      for (const panel of wall.flat()) this.prepare(panel, true);
      this.pitches.clear();
    }
    for (const row of rows) for (const [panels, cell] of this.wrapped(row)) this.setLine(panels, cell);
    this.legendTop = this.boardHeight;
    this.boardHeight = Math.ceil(this.boardHeight + (this.sharedLegend ? 20 * this.unit : 0));
    this.boardWidth = Math.ceil(this.boardWidth);
  }

  // How tall the matrices of each row of the board may be: the low ones take what they need, the others share the rest
  share(rows) {
    const needs = rows.map((row) => [Math.max(...row.map((panel) => this.need(panel))), row]);
    let left = this.width < PHONE ? Infinity : FIRST_SCREEN.shared * this.unit;
    if (this.part && left < Infinity)
      left = this.part * this.height - sum(rows.map((row) => (row.length < WALL ? NAMES : 26))) * this.unit;
    needs.sort(([a], [b]) => a - b);
    needs.forEach(([need, row], at) => {
      const tallest = Math.min(FIRST_SCREEN.tall * this.unit, need, left / (needs.length - at));
      for (const panel of row) panel.tallest = tallest;
      left -= tallest;
    });
  }

  need(panel) {
    const width = this.width / panel.cols;
    const cell = width < CELL.lined ? Math.min(CELL.stretch * width, CELL.thin) : width;
    return panel.rows * Math.min(CELL.most * this.unit, cell);
  }

  prepare(panel, bare) {
    panel.bare = bare;
    panel.ownLegend = !this.sharedLegend && !bare && panel.scale !== "plain";
    const unnamed = bare || panel.follows;
    panel.axisRoom = panel.axes.row && !unnamed ? 18 * this.unit : 0;
    const most = (this.width < PHONE ? 64 : 96) * this.unit;
    panel.labelRoom = unnamed || panel.silent ? 0 : this.widest(panel.labels.row, most);
    panel.left = Math.max(EDGE, panel.axisRoom + (panel.labelRoom ? panel.labelRoom + 10 : 0));
    // Names and legends of a small matrix may be wider than the matrix itself.
    const wishes = [
      this.measure(panel.title, this.font(13, 600)),
      panel.left + this.measure(panel.axes.column, this.font(12)),
      panel.ownLegend ? panel.left + this.paintLegend(null, panel, 0, 0) : 0,
    ];
    panel.wish = bare ? 0 : Math.min(Math.max(...wishes), this.width);
  }

  // One row of the board as lines that fit the page: [[panels, cell width], ...]. A wall breaks between its groups only.
  wrapped(row) {
    const enough = row[0].bare ? CELL.least : CELL.easy;
    const group = row[0].wall || 1;
    const groups = Math.ceil(row.length / group);
    let best = null;
    for (let count = 1; count <= groups; count += 1) {
      const length = Math.ceil(groups / count) * group;
      const lines = Array.from({ length: Math.ceil(row.length / length) }, (_, at) =>
        row.slice(at * length, (at + 1) * length),
      );
      const cells = lines.map((panels) => this.fitting(panels));
      const least = Math.min(...cells);
      if (least >= enough) return lines.map((panels) => [panels, least]);
      if (!best || !least || least > best.least) best = { least, lines, cells };
    }
    return best.lines.map((panels, at) => [panels, best.cells[at] || CELL.least]);
  }

  // The largest cell with which the panels stand side by side, 0 when none is small enough
  fitting(panels) {
    this.line(panels);
    const most = this.snapped(CELL.most * this.unit);
    for (let cell = most; cell >= CELL.least; cell -= 1 / this.density)
      if (this.lineWidth(panels, cell) <= this.width) return cell;
    return 0;
  }

  // On a line of its own each panel has its names; beside another it takes that one's.
  line(panels) {
    for (const [at, panel] of panels.entries()) {
      panel.follows = panel.beside && at > 0;
      if (panel.beside) this.prepare(panel, panel.bare);
    }
  }

  lineWidth(panels, cell) {
    return sum(panels.map((panel) => this.outer(panel, cell))) + this.gap(panels) * (panels.length - 1);
  }

  // With its labels; on a wall all panels take as much room as the widest, so that columns stand below each other.
  outer(panel, cell) {
    if (!panel.wall) return this.taken(panel, cell);
    if (!this.pitches.has(cell)) {
      const wall = this.panels.filter((other) => other.wall);
      this.pitches.set(cell, Math.max(...wall.map((other) => this.taken(other, cell))));
    }
    return this.pitches.get(cell);
  }

  taken(panel, cell) {
    return Math.max(panel.wish, panel.left + this.cell(panel, cell)[0] * panel.cols + EDGE);
  }

  gap(panels) {
    return panels[0].bare ? Math.min(12, Math.max(4, this.width / 80)) : 28;
  }

  // Square cells, unless a long thin matrix would become too small to see
  cell(panel, width) {
    const height = this.snapped(Math.min(CELL.most * this.unit, panel.tallest / panel.rows));
    const square = Math.min(width, height);
    const long = Math.max(panel.rows, panel.cols) >= 3 * Math.min(panel.rows, panel.cols);
    const wide = this.part && panel.print ? Math.min(width, CELL.wide * square) : square; // room for its number
    if (square >= CELL.lined || !long) return [wide, square];
    const longer = this.snapped(Math.min(Math.max(width, height), CELL.stretch * square, CELL.thin));
    return width > height ? [longer, square] : [square, longer];
  }

  snapped(size) {
    return Math.max(CELL.least, Math.floor(size * this.density) / this.density);
  }

  setLine(panels, cell) {
    this.line(panels);
    for (const panel of panels) {
      [panel.cw, panel.ch] = this.cell(panel, cell);
      panel.ticks = { row: this.rowTicks(panel), column: this.columnTicks(panel) };
      panel.above = sum([
        panel.title ? 22 * this.unit : 0,
        panel.axes.column && !panel.bare ? 18 * this.unit : 0,
        panel.ticks.column.height || EDGE,
      ]);
    }
    const above = Math.max(...panels.map((panel) => panel.above));
    const top = this.boardHeight;
    let x = 0;
    for (const panel of panels) {
      panel.top = top;
      panel.x = this.snapped(x + panel.left);
      panel.y = this.snapped(top + above);
      panel.right = panel.x + panel.cw * panel.cols;
      panel.bottom = panel.y + panel.ch * panel.rows;
      panel.outer = this.outer(panel, cell);
      x += panel.outer + this.gap(panels);
      const below = panel.ownLegend ? 26 * this.unit : EDGE;
      this.boardHeight = Math.max(this.boardHeight, panel.bottom + below);
      this.boardWidth = Math.max(this.boardWidth, panel.right + EDGE);
    }
    this.boardHeight += panels[0].bare ? this.gap(panels) - EDGE : 16;
  }

  // Which labels are drawn: all of them, or every k-th; none on a wall of small panels
  columnTicks(panel) {
    const labels = panel.labels.column;
    if (!labels.length || panel.bare || panel.silent) return { height: 0, every: 0 };
    const flat = 18 * this.unit;
    const widest = this.widest(labels, Infinity);
    const sizes = this.unit > 1 ? [12] : [12, 11, 10]; // what is set larger is to be read from further away
    for (const size of sizes) if ((widest * size) / 12 <= panel.cw - 3) return { height: flat, every: 1, size };
    if (labels.every(isNumber)) return { height: flat, every: round((widest + 8) / panel.cw), size: 12 };
    const lengths = labels.map((label) =>
      IDEOGRAPHS.test(label) ? [...label].length * 13 * this.unit : this.measure(label, this.font(12)),
    );
    const height = Math.min(72 * this.unit, Math.max(...lengths)) + 8;
    return { height, every: Math.ceil((13 * this.unit) / panel.cw), size: 12, upright: true };
  }

  rowTicks(panel) {
    const labels = panel.labels.row;
    if (!labels.length || panel.bare || panel.silent || panel.follows) return { every: 0 };
    const every = (13 * this.unit) / panel.ch;
    return { every: labels.every(isNumber) ? round(every) : Math.ceil(every), size: 12 };
  }

  widest(labels, most) {
    return Math.min(most, Math.max(0, ...labels.map((label) => this.measure(label, this.font(12)))));
  }

  font(size, weight = 400) {
    return `${weight} ${size * this.unit}px ${this.family}`;
  }

  measure(text, font) {
    this.brush.font = font;
    return this.brush.measureText(text).width;
  }
}

function isNumber(label) {
  return /^\d+$/.test(label);
}
