// What the base canvas shows: names, cells, labels, legends.

class Picture extends Layout {
  paint() {
    if (!this.data || !this.root.clientWidth) return;
    this.layout();
    const brush = this.sized(this.base);
    for (const panel of this.panels) {
      this.paintNames(brush, panel);
      this.paintCells(brush, panel);
      this.paintMarks(brush, panel);
      this.paintLabels(brush, panel);
      if (panel.ownLegend) this.paintLegend(brush, panel, panel.x, panel.bottom + 8 * this.unit);
    }
    if (this.sharedLegend) this.paintLegend(brush, this.panels[0], this.panels[0].x, this.legendTop);
    this.painted += 1;
    Object.assign(this.base.dataset, {
      mode: this.mode,
      summary: this.panels.map((panel) => `${panel.key} ${panel.rows}x${panel.cols}`).join("; "),
      painted: this.painted,
    });
    this.paintLights();
  }

  // A clean canvas of the board's size, drawn in CSS pixels
  sized(canvas) {
    const [width, height] = [this.boardWidth, this.boardHeight].map((size) => Math.round(size * this.density));
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    canvas.style.width = `${this.boardWidth}px`;
    canvas.style.height = `${this.boardHeight}px`;
    const brush = canvas.getContext("2d");
    brush.setTransform(this.density, 0, 0, this.density, 0, 0);
    brush.clearRect(0, 0, this.boardWidth, this.boardHeight);
    return brush;
  }

  write(brush, text, x, y, { size = 12, weight = 400, color = "quiet", align = "left", most = Infinity } = {}) {
    brush.font = this.font(size, weight);
    brush.fillStyle = this.colors[color] ?? color;
    brush.textAlign = align;
    brush.textBaseline = "middle";
    brush.fillText(shortened(brush, text, most), x, y);
  }

  paintNames(brush, panel) {
    const start = panel.x - panel.left;
    const title = { size: panel.bare ? 12 : 13, weight: 600, color: panel.meaning ?? "text", most: panel.outer };
    this.write(brush, panel.title, start, panel.top + 9 * this.unit, title);
    if (panel.bare) return;
    const axis = panel.y - (panel.ticks.column.height || EDGE) - 10 * this.unit;
    this.write(brush, panel.axes.column, panel.x, axis, { most: panel.outer - panel.left });
    if (panel.follows || this.measure(panel.axes.row, this.font(12)) > panel.bottom - panel.y) return;
    brush.save();
    brush.translate(start + 7 * this.unit, panel.y);
    brush.rotate(-Math.PI / 2);
    this.write(brush, panel.axes.row, 0, 0, { align: "right" });
    brush.restore();
  }

  paintCells(brush, panel) {
    const [width, height] = [panel.right - panel.x, panel.bottom - panel.y];
    brush.imageSmoothingEnabled = false;
    brush.drawImage(forPaper(this.pixels(panel), width, height), panel.x, panel.y, width, height);
    if (panel.hidden) {
      brush.beginPath();
      for (const [index, hidden] of panel.hidden.entries()) if (hidden) brush.rect(...cellBox(panel, index));
      brush.fillStyle = this.hatch(brush);
      brush.fill();
    }
    if (Math.min(panel.cw, panel.ch) >= CELL.lined) {
      brush.beginPath();
      for (let col = 1; col < panel.cols; col += 1) brush.rect(panel.x + col * panel.cw - 0.5, panel.y, 1, height);
      for (let row = 1; row < panel.rows; row += 1) brush.rect(panel.x, panel.y + row * panel.ch - 0.5, width, 1);
      brush.fillStyle = this.colors.background;
      brush.fill();
    }
    if (panel.vacant && Math.min(panel.cw, panel.ch) >= CELL.lined)
      for (const [index, vacant] of panel.vacant.entries()) if (vacant) this.outlined(brush, cellBox(panel, index));
    brush.strokeStyle = this.colors.grid;
    brush.lineWidth = 1;
    brush.strokeRect(panel.x - 0.5, panel.y - 0.5, width + 1, height + 1);
    brush.fillStyle = this.colors.text;
    for (const col of panel.borders) brush.fillRect(panel.x + col * panel.cw - 1, panel.y - 3, 2, height + 6);
  }

  // No number stands here: a dashed border, or a dot where that would be too much
  outlined(brush, [x, y, width, height]) {
    if (Math.min(width, height) >= CELL.roomy) return this.dashed(brush, x + 1.5, y + 1.5, width - 3, height - 3);
    brush.fillStyle = this.colors.padding;
    brush.fillRect(x + width / 2 - 1.5, y + height / 2 - 1.5, 2, 2);
  }

  // One pixel per cell; the canvas enlarges it
  pixels(panel) {
    const small = document.createElement("canvas");
    small.width = panel.cols;
    small.height = panel.rows;
    const image = new ImageData(panel.cols, panel.rows);
    image.data.fill(255);
    for (let index = 0; index < panel.values.length; index += 1) image.data.set(this.fill(panel, index), 4 * index);
    small.getContext("2d").putImageData(image, 0, 0);
    return small;
  }

  fill(panel, index) {
    const value = panel.values[index];
    if (panel.vacant?.[index]) return rgb(this.colors.background);
    if (panel.hidden?.[index] || Number.isNaN(value) || panel.scale === "plain") return rgb(this.colors.panel);
    const colors = this.ramp(panel);
    if (panel.scale === "mask") return colors[150];
    const [low, high] = panel.ends;
    const part = high > low ? (value - low) / (high - low) : 0.5;
    return colors[Math.round(255 * Math.min(1, Math.max(0, part)))];
  }

  stops(panel) {
    return this.colors.scales[panel.scale === "signed" ? "signed" : "probability"];
  }

  ramp(panel) {
    const name = this.mode + panel.scale;
    this.ramps[name] ??= ramp(this.stops(panel));
    return this.ramps[name];
  }

  hatch(brush) {
    const step = 6;
    const tile = document.createElement("canvas");
    tile.width = tile.height = step * Math.ceil(this.density);
    const lines = tile.getContext("2d");
    lines.scale(tile.width / step, tile.width / step);
    lines.strokeStyle = this.colors.masked;
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

  // Numbers inside large cells, and a mark on those that no colour stands for
  paintMarks(brush, panel) {
    const { values } = panel;
    const none = (index) => panel.hidden?.[index] || (panel.vacant?.[index] && !Number.isFinite(values[index]));
    const finite = values.filter((value, index) => Number.isFinite(value) && !none(index));
    if (panel.scale === "mask" || (!panel.print && finite.length === values.length)) return;
    const largest = Math.max(...panel.ends.map(Math.abs));
    const places = finite.every(Number.isInteger) ? 0 : decimals(largest, panel.digits);
    const longest = Math.max(0, ...[...finite].map((value) => this.measure(tabulated(value, places), this.font(12))));
    const size = Math.min(12, (12 * (panel.cw - 4)) / longest);
    const least = this.unit > 1 ? 11.75 : 8; // what is set larger is to be read from further away
    const print = panel.print && size >= least && panel.ch >= 14 * this.unit;
    for (const [index, value] of values.entries()) {
      if (none(index) || (Number.isFinite(value) && !print)) continue;
      const [x, y, width, height] = cellBox(panel, index);
      const paper = luminance(this.fill(panel, index)) > 0.2 ? "#17191e" : "#ffffff";
      const color = Number.isNaN(value) ? this.colors.wrong : panel.vacant?.[index] ? this.colors.quiet : paper;
      const text = tabulated(value, places);
      const font = Math.min(size, 12);
      if (height >= 14 && this.measure(text, this.font(font)) <= width - 2)
        this.write(brush, text, x + width / 2, y + height / 2 + 0.5, { size: font, color, align: "center" });
      else cross(brush, color, x, y, width, height);
    }
  }

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
      else this.label(brush, panel, "column", col, x, panel.y - 10 * this.unit, { align: "center", size: columns.size });
    }
  }

  // Words turn their head; Chinese is written downwards
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
    const line = 13 * this.unit;
    const letters = [...label].slice(0, Math.floor(most / line));
    const color = panel.padded.column.includes(col) ? "padding" : "quiet";
    letters.reverse().forEach((letter, at) =>
      this.write(brush, letter, x, panel.y - 7 - (at + 0.5) * line, { align: "center", color }),
    );
    const height = letters.length * line;
    if (color === "padding") this.dashed(brush, x - 0.6 * line, panel.y - 7 - height, 1.2 * line, height);
  }

  label(brush, panel, axis, index, x, y, style) {
    const padded = panel.padded[axis].includes(index);
    const text = panel.labels[axis][index];
    this.write(brush, text, x, y, { ...style, color: padded ? "padding" : "quiet" });
    if (!padded) return;
    const width = Math.min(style.most ?? Infinity, brush.measureText(text).width) + 6;
    const start = { left: -3, center: -width / 2, right: 3 - width }[style.align];
    this.dashed(brush, x + start, y - 8 * this.unit, width, 15 * this.unit);
  }

  dashed(brush, ...box) {
    brush.strokeStyle = this.colors.padding;
    brush.lineWidth = 1;
    brush.setLineDash([2, 2]);
    brush.strokeRect(...box);
    brush.setLineDash([]);
  }

  // The ends of the scale and what hatching means; returns its width, and draws only with a brush.
  paintLegend(brush, panel, x, y) {
    const { words } = this.data;
    const middle = y + 7 * this.unit;
    const size = 12;
    let at = x;
    const text = (content) => {
      if (brush) this.write(brush, content, at, middle, { size });
      at += this.measure(content, this.font(size)) + 6;
    };
    const swatch = (...fills) => {
      for (const fill of brush ? fills : []) {
        brush.fillStyle = fill;
        brush.fillRect(at, middle - 5, 10, 10);
      }
      at += 15;
    };
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
      swatch(css(this.ramp(panel)[150]));
      text(words.allowed ?? "");
    } else {
      text(written(panel.ends[0], 3));
      bar(this.stops(panel), 56 * this.unit);
      text(written(panel.ends[1], 3));
    }
    const told = this.sharedLegend ? this.panels : [panel];
    if (told.some((other) => other.hidden?.includes(1))) {
      at += 8;
      swatch(this.colors.panel, this.hatch(this.brush));
      text(words.masked ?? "");
    }
    if (words.vacant && told.some((other) => other.vacant?.includes(1))) {
      at += 8;
      if (brush) this.dashed(brush, at + 0.5, middle - 4.5, 9, 9);
      swatch();
      text(words.vacant);
    }
    return at - x;
  }
}

function shortened(brush, text, most) {
  if (brush.measureText(text).width <= most) return text;
  const letters = [...text];
  while (letters.length > 1 && brush.measureText(`${letters.join("")}…`).width > most) letters.pop();
  return `${letters.join("")}…`;
}

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

function cellBox(panel, index) {
  return box(panel, { row: Math.floor(index / panel.cols), col: index % panel.cols });
}

// [x, y, width, height] of a cell, or of the block from it to (lastRow, lastCol)
function box(panel, { row, col, lastRow = row, lastCol = col }) {
  const size = [(lastCol - col + 1) * panel.cw, (lastRow - row + 1) * panel.ch];
  return [panel.x + col * panel.cw, panel.y + row * panel.ch, ...size];
}
