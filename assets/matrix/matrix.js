// A board of matrices on two canvases: the base shows the numbers, the lights show what the pointer and the keys change.
// The server sends numbers and the cell it knows as chosen; a click is drawn at once and reported with its own number,
// so that an answer which does not know of that click yet ("heard" is older) cannot undo it.

const CELL = { least: 3, most: 44, easy: 12, lined: 10 };
const TALLEST = 520; // a matrix and its surroundings fit the first screen
const WALL = 7; // from so many panels in a row they are small multiples: they shrink, they do not wrap
const REPORT_KEYS_AFTER = 150; // ms; a held arrow key is one report

const boards = new WeakMap();

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector(".matrix");
  if (!boards.has(root)) boards.set(root, new Board(root));
  const board = boards.get(root);
  board.receive(data, setStateValue, setTriggerValue);
  return () => board.release();
}

// ---------------------------------------------------------------- numbers and colours

function bytes(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

function decode(panel) {
  return {
    ...panel,
    rows: panel.shape[0],
    cols: panel.shape[1],
    values: new Float32Array(bytes(panel.values).buffer),
    hidden: panel.hidden && bytes(panel.hidden),
  };
}

function written(value, digits) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  let text;
  if (Number.isInteger(value) && size < 1e6) text = String(size);
  else if (size >= 1e-4 && size < 1e6) text = Number(size.toPrecision(digits)) === 0 ? "0" : fixed(size, digits);
  else text = size.toExponential(digits - 1).replace("e-", "e−").replace("e+", "e");
  return value < 0 ? `−${text}` : text;
}

function fixed(size, digits) {
  const before = Math.floor(Math.log10(size)) + 1;
  return size.toFixed(Math.max(0, Math.min(8, digits - before)));
}

function rgb(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

function luminance([red, green, blue]) {
  const linear = [red, green, blue].map((part) => (part <= 10 ? part / 3295 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
}

// 256 colours between the stops of a scale
function ramp(stops) {
  const ends = stops.map(rgb);
  return Array.from({ length: 256 }, (_, index) => {
    const at = (index / 255) * (ends.length - 1);
    const low = Math.min(Math.floor(at), ends.length - 2);
    return ends[low].map((part, channel) => Math.round(part + (at - low) * (ends[low + 1][channel] - part)));
  });
}

function css([red, green, blue]) {
  return `rgb(${red} ${green} ${blue})`;
}

// ---------------------------------------------------------------- operands

function picked(indices, row, col, length) {
  if (indices === "row") return [row];
  if (indices === "column") return [col];
  if (indices === "all") return Array.from({ length }, (_, index) => index);
  if (Array.isArray(indices)) return indices;
  return indices.table[indices.axis === "row" ? row : col] ?? [];
}

// [2, 3, 4, 7] -> [[2, 4], [7, 7]]
function runs(indices, length) {
  const found = [];
  for (const index of [...new Set(indices)].filter((at) => at >= 0 && at < length).sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else found.push([index, index]);
  }
  return found;
}

// ---------------------------------------------------------------- the board

class Board {
  constructor(root) {
    this.root = root;
    this.base = root.querySelector(".matrix-base");
    this.lights = root.querySelector(".matrix-lights");
    this.readout = root.querySelector(".matrix-readout");
    this.spoken = root.querySelector(".matrix-spoken");
    this.panels = [];
    this.chosen = null; // {panel: key, row, col}
    this.cursor = null; // where the arrow keys continue
    this.pointer = null; // {x, y} on the board, while the mouse is over it
    this.click = 0; // number of the newest choice made here
    this.painted = 0;
    this.ramps = {};
    this.base.cellCentre = (key, row, col) => this.cellCentre(key, row, col);
    this.base.labelCentre = (key, axis, index) => this.labelCentre(key, axis, index);
    this.listen();
  }

  listen() {
    const { base } = this;
    base.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "touch") this.point({ x: event.offsetX, y: event.offsetY });
    });
    base.addEventListener("pointerleave", () => this.point(null));
    base.addEventListener("click", (event) => this.press(this.at({ x: event.offsetX, y: event.offsetY })));
    base.addEventListener("keydown", (event) => this.key(event));
    this.observer = new ResizeObserver(() => {
      if (this.root.clientWidth && this.root.clientWidth !== this.width) this.paint();
    });
    this.observer.observe(this.root);
    document.fonts?.ready.then(() => this.paint());
  }

  release() {
    this.observer.disconnect();
    clearTimeout(this.waiting);
    boards.delete(this.root);
  }

  receive(data, setState, setTrigger) {
    this.data = data;
    this.setState = setState;
    this.setTrigger = setTrigger;
    this.panels = data.panels.map(decode);
    if (!this.click || data.heard === this.click) {
      const cell = data.chosen;
      this.chosen = cell && { panel: cell[0], row: cell[1], col: cell[2] };
    }
    this.base.setAttribute("aria-label", [data.alt, data.words.keys].filter(Boolean).join(" "));
    this.paint();
  }

  find(key) {
    return this.panels.find((panel) => panel.key === key);
  }

  // The chosen cell, if the matrices of now have it
  standing() {
    const panel = this.chosen && this.find(this.chosen.panel);
    return panel && this.chosen.row < panel.rows && this.chosen.col < panel.cols ? this.chosen : null;
  }

  // -------------------------------------------------------------- layout, in CSS pixels

  layout() {
    const style = getComputedStyle(this.root);
    this.width = this.root.clientWidth;
    this.density = window.devicePixelRatio || 1;
    this.unit = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;
    this.family = style.fontFamily;
    const page = style.getPropertyValue("--st-background-color").trim();
    this.mode = page.startsWith("#") && luminance(rgb(page)) < 0.2 ? "dark" : "light";
    this.colors = this.data.colors[this.mode];
    this.root.style.setProperty("--matrix-focus", this.colors.chosen);

    const lines = new Map();
    for (const panel of this.panels) {
      const line = panel.place[0];
      lines.set(line, [...(lines.get(line) ?? []), panel]);
    }
    this.sameScale = new Set(this.panels.map((panel) => JSON.stringify([panel.scale, panel.ends]))).size === 1;
    this.sharedLegend = this.sameScale && this.panels.length > 1;
    let y = 0;
    this.boardWidth = 0;
    for (const line of [...lines.keys()].sort((a, b) => a - b)) {
      const row = lines.get(line).sort((a, b) => a.place[1] - b.place[1]);
      for (const [panels, cell] of this.wrapped(row)) y = this.line(panels, cell, y);
    }
    if (this.sharedLegend) {
      this.legendAt = { x: 0, y };
      y += 20 * this.unit;
    }
    this.boardHeight = Math.ceil(y);
    this.boardWidth = Math.max(this.width, Math.ceil(this.boardWidth));
  }

  // One row of the board as lines that fit: [[panels, cell width], ...]
  wrapped(row) {
    const wall = row.length >= WALL;
    for (const panel of row) panel.wall = wall;
    const enough = wall ? CELL.least : CELL.easy;
    let best = null;
    for (let count = 1; count <= row.length; count += 1) {
      const length = Math.ceil(row.length / count);
      const lines = Array.from({ length: Math.ceil(row.length / length) }, (_, at) =>
        row.slice(at * length, (at + 1) * length),
      );
      const cells = lines.map((panels) => this.fitting(panels));
      const least = Math.min(...cells);
      if (least >= enough) return lines.map((panels) => [panels, least]);
      if (!best || least > best.least) best = { least, lines, cells };
    }
    return best.lines.map((panels, at) => [panels, best.cells[at]]);
  }

  fitting(panels) {
    const cols = panels.reduce((sum, panel) => sum + panel.cols, 0);
    const beside = panels.reduce((sum, panel) => sum + this.left(panel), this.gap(panels) * (panels.length - 1));
    return this.snapped(Math.min(CELL.most * this.unit, (this.width - beside - 2) / cols));
  }

  snapped(size) {
    return Math.max(CELL.least, Math.floor(size * this.density) / this.density);
  }

  gap(panels) {
    return panels.length >= WALL ? Math.min(12, Math.max(4, this.width / 80)) : 28;
  }

  left(panel) {
    if (panel.wall) return 0;
    const widest = panel.wall ? 0 : this.widest(panel.labels.row, (this.width < 480 ? 64 : 96) * this.unit);
    return (panel.axes.row ? 18 * this.unit : 0) + (widest ? widest + 10 : 0);
  }

  widest(labels, most) {
    return Math.min(most, Math.max(0, ...labels.map((label) => this.measure(label, this.font(12)))));
  }

  font(size, weight = 400) {
    return `${weight} ${size * this.unit}px ${this.family}`;
  }

  measure(text, font) {
    const context = this.base.getContext("2d");
    context.font = font;
    return context.measureText(text).width;
  }

  // Square cells, unless a long thin matrix would become too small to see
  cell(panel, width) {
    const height = this.snapped(Math.min(CELL.most * this.unit, TALLEST / panel.rows));
    const square = Math.min(width, height);
    if (square >= CELL.lined || Math.max(width, height) < 1.5 * square) return [square, square];
    const longer = this.snapped(Math.min(Math.max(width, height), Math.max(square, Math.min(3 * square, 20))));
    return width > height ? [longer, square] : [square, longer];
  }

  line(panels, width, top) {
    const gap = this.gap(panels);
    for (const panel of panels) {
      [panel.cw, panel.ch] = this.cell(panel, width);
      panel.left = this.left(panel);
      panel.columnTicks = this.columnTicks(panel);
      panel.rowTicks = this.rowTicks(panel);
      panel.ownLegend = !this.sharedLegend && !panel.wall && panel.scale !== "plain";
      panel.above =
        (panel.title ? 22 * this.unit : 0) +
        (panel.axes.column && !panel.wall ? 18 * this.unit : 0) +
        panel.columnTicks.height;
      panel.inner = panel.left + panel.cw * panel.cols;
      const wish = Math.max(
        this.measure(panel.title, this.font(13, 600)),
        panel.left + this.measure(panel.axes.column, this.font(12)),
        panel.ownLegend ? panel.left + this.legendWidth(panel) : 0,
      );
      panel.outer = panel.wall ? panel.inner : Math.max(panel.inner, Math.min(wish, panel.left + 200 * this.unit));
    }
    const total = panels.reduce((sum, panel) => sum + panel.outer, gap * (panels.length - 1));
    if (total > this.width) for (const panel of panels) panel.outer = panel.inner;
    const above = Math.max(...panels.map((panel) => panel.above));
    let x = 0;
    let bottom = 0;
    for (const panel of panels) {
      panel.x = Math.round((x + panel.left) * this.density) / this.density;
      panel.y = Math.round((top + above) * this.density) / this.density;
      panel.right = panel.x + panel.cw * panel.cols;
      panel.bottom = panel.y + panel.ch * panel.rows;
      bottom = Math.max(bottom, panel.bottom + (panel.ownLegend ? 26 * this.unit : 0));
      x += panel.outer + gap;
      this.boardWidth = Math.max(this.boardWidth, panel.right + 2);
    }
    return bottom + (panels[0].wall ? gap : 16);
  }

  // Which labels are drawn: all, or every k-th; none on a wall of small panels
  columnTicks(panel) {
    const labels = panel.labels.column;
    if (!labels.length || panel.wall) return { height: 0, every: 0 };
    const widest = this.widest(labels, 72 * this.unit);
    const line = 13 * this.unit;
    if (widest <= panel.cw - 3) return { height: 18 * this.unit, every: 1 };
    if (labels.every((label) => /^\d+$/.test(label)))
      return { height: 18 * this.unit, every: round((widest + 6) / panel.cw) };
    return { height: widest + 8, every: Math.ceil(line / panel.cw), upright: true };
  }

  rowTicks(panel) {
    const labels = panel.labels.row;
    if (!labels.length || panel.wall) return { every: 0 };
    const every = (13 * this.unit) / panel.ch;
    return { every: labels.every((label) => /^\d+$/.test(label)) ? round(every) : Math.ceil(every) };
  }

  // -------------------------------------------------------------- the picture

  paint() {
    if (!this.data || !this.root.clientWidth) return;
    this.layout();
    const context = this.sized(this.base);
    for (const panel of this.panels) {
      this.paintNames(context, panel);
      this.paintCells(context, panel);
      this.paintLabels(context, panel);
      if (panel.ownLegend) this.paintLegend(context, panel, panel.x, panel.bottom + 8 * this.unit);
    }
    if (this.sharedLegend) this.paintLegend(context, this.panels[0], this.legendAt.x, this.legendAt.y);
    this.painted += 1;
    this.base.dataset.mode = this.mode;
    this.base.dataset.summary = this.panels.map((panel) => `${panel.key} ${panel.rows}x${panel.cols}`).join("; ");
    this.base.dataset.painted = String(this.painted);
    this.paintLights();
  }

  sized(canvas) {
    const [width, height] = [this.boardWidth, this.boardHeight].map((size) => Math.round(size * this.density));
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
      canvas.style.width = `${this.boardWidth}px`;
      canvas.style.height = `${this.boardHeight}px`;
    }
    const context = canvas.getContext("2d");
    context.setTransform(this.density, 0, 0, this.density, 0, 0);
    context.clearRect(0, 0, this.boardWidth, this.boardHeight);
    return context;
  }

  write(context, text, x, y, { size = 12, weight = 400, color = "quiet", align = "left", most = Infinity }) {
    context.font = this.font(size, weight);
    context.fillStyle = this.colors[color] ?? color;
    context.textAlign = align;
    context.textBaseline = "middle";
    context.fillText(this.shortened(context, text, most), x, y);
  }

  shortened(context, text, most) {
    if (context.measureText(text).width <= most) return text;
    const letters = [...text];
    while (letters.length > 1 && context.measureText(`${letters.join("")}…`).width > most) letters.pop();
    return `${letters.join("")}…`;
  }

  paintNames(context, panel) {
    const start = panel.x - panel.left;
    let y = panel.y - panel.above;
    if (panel.title) {
      const color = panel.meaning ?? "text";
      const size = panel.wall ? 12 : 13;
      const most = panel.outer;
      this.write(context, panel.title, start, y + 9 * this.unit, { size, weight: 600, color, most });
      y += 22 * this.unit;
    }
    if (panel.wall) return;
    if (panel.axes.column) {
      this.write(context, panel.axes.column, panel.x, y + 8 * this.unit, { most: panel.outer - panel.left });
    }
    if (panel.axes.row && this.measure(panel.axes.row, this.font(12)) <= panel.bottom - panel.y + 4) {
      context.save();
      context.translate(start + 7 * this.unit, panel.bottom);
      context.rotate(-Math.PI / 2);
      this.write(context, panel.axes.row, 0, 0, {});
      context.restore();
    }
  }

  paintCells(context, panel) {
    const width = panel.right - panel.x;
    const height = panel.bottom - panel.y;
    context.imageSmoothingEnabled = false;
    context.drawImage(this.pixels(panel), panel.x, panel.y, width, height);
    this.paintHatch(context, panel);
    const lined = Math.min(panel.cw, panel.ch) >= CELL.lined;
    if (lined) {
      context.beginPath();
      for (let col = 1; col < panel.cols; col += 1) context.rect(panel.x + col * panel.cw - 0.5, panel.y, 1, height);
      for (let row = 1; row < panel.rows; row += 1) context.rect(panel.x, panel.y + row * panel.ch - 0.5, width, 1);
      context.fillStyle = this.colors.background;
      context.fill();
    }
    context.strokeStyle = this.colors.grid;
    context.lineWidth = 1;
    context.strokeRect(panel.x - 0.5, panel.y - 0.5, width + 1, height + 1);
    this.paintMarks(context, panel);
  }

  // One pixel per cell; the canvas enlarges it
  pixels(panel) {
    const small = document.createElement("canvas");
    small.width = panel.cols;
    small.height = panel.rows;
    const image = new ImageData(panel.cols, panel.rows);
    panel.values.forEach((value, index) => image.data.set([...this.fill(panel, index), 255], 4 * index));
    small.getContext("2d").putImageData(image, 0, 0);
    return small;
  }

  fill(panel, index) {
    const value = panel.values[index];
    if (panel.hidden?.[index] || Number.isNaN(value) || panel.scale === "plain") return rgb(this.colors.panel);
    const colors = this.ramp(panel.scale === "signed" ? "signed" : "probability");
    if (panel.scale === "mask") return colors[150];
    const [low, high] = panel.ends;
    const part = high > low ? (value - low) / (high - low) : 0.5;
    return colors[Math.round(255 * Math.min(1, Math.max(0, part)))];
  }

  ramp(kind) {
    const name = `${this.mode} ${kind}`;
    this.ramps[name] ??= ramp(this.colors.scales[kind]);
    return this.ramps[name];
  }

  hatch(context) {
    const step = 6;
    const tile = document.createElement("canvas");
    tile.width = tile.height = step * this.density;
    const brush = tile.getContext("2d");
    brush.scale(this.density, this.density);
    brush.strokeStyle = this.colors.masked;
    brush.globalAlpha = 0.55;
    brush.lineWidth = 1;
    for (const shift of [-step, 0, step]) {
      brush.moveTo(shift - 1, step + 1);
      brush.lineTo(shift + step + 1, -1);
    }
    brush.stroke();
    const pattern = context.createPattern(tile, "repeat");
    pattern.setTransform(new DOMMatrix().scale(1 / this.density));
    return pattern;
  }

  paintHatch(context, panel) {
    if (!panel.hidden) return;
    context.beginPath();
    panel.hidden.forEach((hidden, index) => {
      if (hidden) context.rect(...this.rectangle(panel, Math.floor(index / panel.cols), index % panel.cols));
    });
    context.fillStyle = this.hatch(context);
    context.fill();
  }

  // Numbers inside large cells, and a mark on those that have no colour of their own
  paintMarks(context, panel) {
    const size = Math.min(12, 0.42 * Math.min(panel.ch, panel.cw)) / this.unit;
    panel.values.forEach((value, index) => {
      if (panel.hidden?.[index] || panel.scale === "mask") return;
      const [x, y, width, height] = this.rectangle(panel, Math.floor(index / panel.cols), index % panel.cols);
      const odd = !Number.isFinite(value);
      if (!odd && !panel.print) return;
      const color = Number.isNaN(value)
        ? this.colors.wrong
        : luminance(this.fill(panel, index)) > 0.28 ? "#17191e" : "#ffffff";
      const text = written(value, panel.digits);
      const fits = size * this.unit >= 8 && this.measure(text, this.font(size)) <= width - 3;
      if (fits) this.write(context, text, x + width / 2, y + height / 2 + 0.5, { size, color, align: "center" });
      else if (odd) {
        context.strokeStyle = color;
        context.lineWidth = 1;
        context.beginPath();
        context.moveTo(x + 0.2 * width, y + 0.2 * height);
        context.lineTo(x + 0.8 * width, y + 0.8 * height);
        context.moveTo(x + 0.8 * width, y + 0.2 * height);
        context.lineTo(x + 0.2 * width, y + 0.8 * height);
        context.stroke();
      }
    });
  }

  paintLabels(context, panel) {
    const columns = panel.columnTicks;
    for (let col = 0; columns.every && col < panel.cols; col += columns.every) {
      const centre = panel.x + (col + 0.5) * panel.cw;
      context.save();
      if (columns.upright) {
        context.translate(centre, panel.y - 5);
        context.rotate(-Math.PI / 2);
        this.label(context, panel, "column", col, 0, 0, "left", columns.height - 6);
      } else {
        context.translate(centre, panel.y - 9 * this.unit);
        this.label(context, panel, "column", col, 0, 0, "center", columns.every * panel.cw);
      }
      context.restore();
    }
    const rows = panel.rowTicks;
    const most = panel.left - (panel.axes.row ? 18 * this.unit : 0) - 8;
    for (let row = 0; rows.every && row < panel.rows; row += rows.every) {
      this.label(context, panel, "row", row, panel.x - 7, panel.y + (row + 0.5) * panel.ch, "right", most);
    }
  }

  label(context, panel, axis, index, x, y, align, most) {
    const padded = panel.padded[axis].includes(index);
    this.write(context, panel.labels[axis][index], x, y, { align, most, color: padded ? "padding" : "quiet" });
    if (!padded) return;
    const width = Math.min(most, context.measureText(panel.labels[axis][index]).width) + 4;
    const from = align === "left" ? -2 : align === "right" ? 2 - width : -width / 2;
    context.strokeStyle = this.colors.padding;
    context.lineWidth = 1;
    context.setLineDash([2, 2]);
    context.strokeRect(x + from, y - 7 * this.unit, width, 13 * this.unit);
    context.setLineDash([]);
  }

  legendWidth(panel) {
    return this.paintLegend(null, panel, 0, 0);
  }

  // The ends of the scale, and what hatching means; without a context only its width is computed
  paintLegend(context, panel, x, y) {
    const { words } = this.data;
    const middle = y + 7 * this.unit;
    let at = x;
    const text = (content) => {
      if (context) this.write(context, content, at, middle, { size: 11.5 });
      at += this.measure(content, this.font(11.5)) + 6;
    };
    const swatch = (fill) => {
      if (context) {
        context.fillStyle = this.colors.panel;
        context.fillRect(at, middle - 5, 10, 10);
        context.fillStyle = fill(context);
        context.fillRect(at, middle - 5, 10, 10);
      }
      at += 15;
    };
    if (panel.scale === "mask") {
      swatch(() => css(this.ramp("probability")[150]));
      text(words.allowed ?? "");
    } else if (panel.scale !== "plain") {
      const colors = this.ramp(panel.scale === "signed" ? "signed" : "probability");
      const length = 56 * this.unit;
      text(written(panel.ends[0], 3));
      if (context) {
        for (let step = 0; step < length; step += 1) {
          context.fillStyle = css(colors[Math.round((255 * step) / (length - 1))]);
          context.fillRect(at + step, middle - 3, 1.5, 6);
        }
      }
      at += length + 6;
      text(written(panel.ends[1], 3));
    }
    if (this.panels.some((other) => (other === panel || this.sharedLegend) && other.hidden?.includes(1))) {
      at += 8;
      swatch((brush) => this.hatch(brush));
      text(words.masked ?? "");
    }
    return at - x;
  }

  rectangle(panel, row, col, lastRow = row, lastCol = col) {
    return [
      panel.x + col * panel.cw,
      panel.y + row * panel.ch,
      (lastCol - col + 1) * panel.cw,
      (lastRow - row + 1) * panel.ch,
    ];
  }

  // -------------------------------------------------------------- lights: the cell under the pointer, the chosen one

  point(pointer) {
    this.pointer = pointer;
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paintLights();
    });
  }

  paintLights() {
    const context = this.sized(this.lights);
    const under = this.pointer && this.at(this.pointer);
    const hovered = under && !under.axis ? under : null;
    const chosen = this.standing();
    const lit = [];
    if (chosen) {
      const away = hovered && !same(hovered, chosen);
      context.globalAlpha = away ? 0.45 : 1;
      for (const light of this.operands(chosen)) this.outline(context, light, 1.5, away ? null : lit);
      context.globalAlpha = 1;
    }
    if (hovered) {
      for (const light of this.operands(hovered)) this.outline(context, light, 1.5, lit);
      this.outline(context, cellLight(hovered), 1.5);
      this.ticks(context, hovered);
    }
    if (chosen) {
      this.outline(context, cellLight(chosen), 3);
      this.ticks(context, chosen);
    }
    this.base.style.cursor = under && (!under.axis || this.find(under.panel).label_events) ? "pointer" : "default";
    this.say(hovered ?? chosen);
    this.base.dataset.lit = [...new Set(lit)].join("; ");
    this.base.dataset.chosen = chosen ? `${chosen.panel},${chosen.row},${chosen.col}` : "";
  }

  operands({ panel, row, col }) {
    const lights = [];
    for (const source of this.find(panel).sources) {
      const from = this.find(source.panel);
      if (!from) continue;
      const rows = runs(picked(source.rows, row, col, from.rows), from.rows);
      const cols = runs(picked(source.cols, row, col, from.cols), from.cols);
      for (const [row, lastRow] of rows)
        for (const [col, lastCol] of cols) lights.push({ panel: from.key, row, col, lastRow, lastCol });
    }
    return lights;
  }

  outline(context, { panel, row, col, lastRow, lastCol }, width, lit) {
    const [x, y, w, h] = this.rectangle(this.find(panel), row, col, lastRow, lastCol);
    // A rim in the colour of the page sets the gold off from any colour of the scale.
    for (const [color, line] of [[this.colors.background, width + 2], [this.colors.chosen, width]]) {
      context.strokeStyle = color;
      context.lineWidth = line;
      context.strokeRect(x, y, w, h);
    }
    lit?.push(`${panel} ${row}-${lastRow},${col}-${lastCol}`);
  }

  ticks(context, { panel: key, row, col }) {
    const panel = this.find(key);
    context.fillStyle = this.colors.chosen;
    context.fillRect(panel.x - 4, panel.y + row * panel.ch, 3, panel.ch);
    context.fillRect(panel.x + col * panel.cw, panel.y - 4, panel.cw, 3);
  }

  place(panel, axis, index) {
    const label = panel.labels[axis][index];
    const name = [this.data.words[axis], index].filter((part) => part !== undefined && part !== "").join(" ");
    return label === undefined || label === String(index) ? name : `${name} “${label}”`;
  }

  described({ panel: key, row, col }) {
    const panel = this.find(key);
    const index = row * panel.cols + col;
    const { words } = this.data;
    let value = written(panel.values[index], panel.digits);
    if (panel.scale === "mask") value = panel.hidden[index] ? words.masked ?? "0" : words.allowed ?? "1";
    else if (panel.hidden?.[index]) value = words.masked ?? "–";
    const parts = [this.place(panel, "row", row), this.place(panel, "column", col), value];
    return { title: panel.title, color: this.colors[panel.meaning ?? "text"], text: parts.join(" · ") };
  }

  say(cell) {
    const { title, color, text } = cell ? this.described(cell) : { title: "", text: this.data.words.hint ?? "" };
    const name = document.createElement("strong");
    name.style.color = color ?? "";
    name.textContent = title;
    this.readout.replaceChildren(name, title ? `  ${text}` : text);
    this.readout.style.color = cell ? this.colors.text : this.colors.quiet;
  }

  // -------------------------------------------------------------- pointing and choosing

  at({ x, y }) {
    for (const panel of this.panels) {
      const row = Math.floor((y - panel.y) / panel.ch);
      const col = Math.floor((x - panel.x) / panel.cw);
      const inRows = row >= 0 && row < panel.rows;
      const inCols = col >= 0 && col < panel.cols;
      if (inRows && inCols) return { panel: panel.key, row, col };
      if (!panel.label_events) continue;
      if (inRows && x < panel.x && x > panel.x - panel.left) return { panel: panel.key, axis: "row", index: row };
      if (inCols && y < panel.y && y > panel.y - panel.columnTicks.height)
        return { panel: panel.key, axis: "column", index: col };
    }
    return null;
  }

  press(target) {
    if (!target) return;
    if (target.axis) this.setTrigger("label", target);
    else this.choose(same(target, this.standing()) ? null : target);
  }

  choose(cell, later = 0) {
    this.chosen = cell;
    this.cursor = cell ?? this.cursor;
    this.click = Math.max(Date.now(), this.click + 1);
    this.paintLights();
    clearTimeout(this.waiting);
    const report = () => {
      const number = this.click;
      this.setState("chosen", { cell: cell && [cell.panel, cell.row, cell.col], number });
    };
    if (later) this.waiting = setTimeout(report, later);
    else report();
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    const chosen = this.standing();
    if (step) {
      const from = chosen ?? this.cursor;
      const known = from && this.find(from.panel);
      const next = known ? this.neighbour(from, step) : { panel: this.panels[0].key, row: 0, col: 0 };
      if (!same(next, chosen)) this.choose(next, REPORT_KEYS_AFTER);
    } else if (event.key === "Enter" || event.key === " ") {
      this.choose(chosen ? null : this.cursor ?? { panel: this.panels[0].key, row: 0, col: 0 });
    } else if (event.key === "Escape" && chosen) {
      this.choose(null);
    } else return;
    event.preventDefault();
    const now = this.standing();
    this.spoken.textContent = now ? Object.values(pick(this.described(now), "title", "text")).join(" ") : "";
  }

  // One cell on; over the edge of a panel into the one that lies there
  neighbour({ panel: key, row, col }, [down, right]) {
    const panel = this.find(key);
    const next = { panel: key, row: row + down, col: col + right };
    if (next.row >= 0 && next.row < panel.rows && next.col >= 0 && next.col < panel.cols) return next;
    const x = panel.x + (col + 0.5) * panel.cw;
    const y = panel.y + (row + 0.5) * panel.ch;
    const beyond = this.panels
      .filter((other) => other !== panel)
      .map((other) => ({ other, ahead: ahead(panel, other, down, right), aside: aside(other, x, y, down) }))
      .filter(({ ahead, aside }) => ahead > 0 && aside === 0)
      .sort((a, b) => a.ahead - b.ahead)[0]?.other;
    if (!beyond) return { panel: key, row: clamp(next.row, panel.rows), col: clamp(next.col, panel.cols) };
    return {
      panel: beyond.key,
      row: down ? (down > 0 ? 0 : beyond.rows - 1) : clamp(Math.floor((y - beyond.y) / beyond.ch), beyond.rows),
      col: right ? (right > 0 ? 0 : beyond.cols - 1) : clamp(Math.floor((x - beyond.x) / beyond.cw), beyond.cols),
    };
  }

  // -------------------------------------------------------------- for tests: places in the window

  cellCentre(key, row, col) {
    const panel = this.find(key);
    return this.inWindow(panel.x + (col + 0.5) * panel.cw, panel.y + (row + 0.5) * panel.ch);
  }

  labelCentre(key, axis, index) {
    const panel = this.find(key);
    if (axis === "row") return this.inWindow(panel.x - 10, panel.y + (index + 0.5) * panel.ch);
    return this.inWindow(panel.x + (index + 0.5) * panel.cw, panel.y - 8);
  }

  inWindow(x, y) {
    const { left, top } = this.base.getBoundingClientRect();
    return { x: left + x, y: top + y };
  }
}

// ---------------------------------------------------------------- small helpers

function same(one, other) {
  return Boolean(one && other) && one.panel === other.panel && one.row === other.row && one.col === other.col;
}

function cellLight({ panel, row, col }) {
  return { panel, row, col, lastRow: row, lastCol: col };
}

function clamp(index, length) {
  return Math.min(length - 1, Math.max(0, index));
}

function pick(object, ...names) {
  return Object.fromEntries(names.map((name) => [name, object[name]]));
}

function ahead(panel, other, down, right) {
  if (down) return down > 0 ? other.y - panel.bottom : panel.y - other.bottom;
  return right > 0 ? other.x - panel.right : panel.x - other.right;
}

// How far the other panel lies beside the way, 0 when the way leads into it
function aside(other, x, y, down) {
  const [at, from, to] = down ? [x, other.x, other.right] : [y, other.y, other.bottom];
  return Math.max(0, from - at, at - to);
}

// 1, 2, 5, 10, 20, 50, ... not below `least`
function round(least) {
  for (let ten = 1; ; ten *= 10) for (const step of [ten, 2 * ten, 5 * ten]) if (step >= least) return step;
}
