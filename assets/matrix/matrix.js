// A board of matrices on two canvases: the base shows the numbers, the lights show what the pointer and the keys change.
// The server sends the numbers, the cell it knows as chosen, and the number of the last choice it has heard of. A choice
// made here is drawn at once; an answer that has not heard of it yet cannot undo it.

const KEYS_PAUSE = 150; // ms; a held arrow key is one report
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const BESIDE = { ArrowLeft: "row", ArrowUp: "column" }; // with Shift: where the labels of a cell's row and column stand

const boards = new WeakMap();

export default function ({ data: [data], parentElement, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector(".matrix");
  if (!boards.has(root)) boards.set(root, new Board(root));
  const board = boards.get(root);
  board.receive(data, setStateValue, setTriggerValue);
  return () => board.release();
}

class Board extends Words {
  constructor(root) {
    super();
    this.root = root;
    this.base = root.querySelector(".matrix-base");
    this.lights = root.querySelector(".matrix-lights");
    this.readout = root.querySelector(".matrix-readout");
    this.spoken = root.querySelector(".matrix-spoken");
    this.working = root.querySelector(".matrix-working");
    this.formula = root.querySelector(".matrix-formula");
    this.sum = root.querySelector(".matrix-sum");
    this.term = null; // the operand whose number in the sum is pointed at
    this.unfolded = null; // the cell whose sum shows all its terms
    this.written = null; // what the working area says now
    this.over = false; // whether it speaks of a cell that is only pointed at
    this.mark = root.querySelector(".matrix-mark"); // lies where the chosen cell is painted
    this.brush = this.base.getContext("2d");
    this.panels = [];
    this.ramps = {};
    this.chosen = null; // {panel: key, row, col}
    this.cursor = null; // the last chosen cell, where the keys continue
    this.pointer = null; // {x, y} on the board, while the mouse is over it
    this.choice = 0; // the number of the newest choice made here
    this.painted = 0;
    // Browser tests ask the canvas where to point, in pixels of the window.
    this.base.cellCentre = (key, row, col) => this.inWindow(key, row + 0.5, col + 0.5);
    this.base.labelCentre = (key, axis, index) =>
      axis === "row" ? this.inWindow(key, index + 0.5, 0, -14, 0) : this.inWindow(key, 0, index + 0.5, 0, -12);
    this.base.furthest = () => furthest(this.panels, this.find);
    this.listen();
  }

  listen() {
    const { base } = this;
    base.addEventListener("pointermove", (event) => event.pointerType !== "touch" && this.point(place(event)));
    base.addEventListener("pointerleave", () => this.point(null));
    base.addEventListener("click", (event) => this.press(this.at(place(event))));
    base.addEventListener("keydown", (event) => this.key(event));
    this.sum.addEventListener("pointerover", (event) => this.pointTerm(event.target));
    this.sum.addEventListener("pointerleave", () => this.pointTerm(null));
    this.sum.addEventListener("click", (event) => event.target.closest(".matrix-more") && this.unfold());
    this.repaint = () => this.paint();
    document.fonts.addEventListener("loadingdone", this.repaint);
    followPaper(this.repaint);
    this.observer = new ResizeObserver(
      () => (this.root.clientWidth !== this.width || (this.part && innerHeight !== this.height)) && this.paint(),
    );
    this.observer.observe(this.root);
  }

  release() {
    this.observer.disconnect();
    document.fonts.removeEventListener("loadingdone", this.repaint);
    leavePaper(this.repaint);
    clearTimeout(this.waiting);
    boards.delete(this.root);
  }

  receive(data, setState, setTrigger) {
    const operands = data.operands.map((operand) => ({ ...operand, named: held(operand.named) }));
    Object.assign(this, { data, setState, setTrigger, panels: data.panels.map(decode) });
    this.matrices = new Map([...this.panels, ...operands].map((matrix) => [matrix.key, matrix]));
    this.find = (key) => this.matrices.get(key);
    this.made = this.panels.some((panel) => panel.made);
    this.written = null;
    if (!this.choice || data.heard === this.choice) {
      const [panel, row, col] = data.chosen ?? [];
      this.chosen = data.chosen && { panel, row, col };
    }
    const { words } = data;
    this.labelled = this.panels.some((panel) => panel.label_events);
    this.base.setAttribute("aria-label", said(" ", data.alt, words.keys, this.labelled && words.labels));
    this.paint();
    if (this.base === document.activeElement) this.speak();
  }

  has(cell) {
    const panel = cell && this.find(cell.panel);
    return Boolean(panel) && cell.row < panel.rows && cell.col < panel.cols;
  }

  // -------------------------------------------------------------- lights

  // At once, and again with the next frame if the pointer has moved on: the browser tells of a move just before it paints
  point(pointer) {
    this.pointer = pointer;
    this.stale = true;
    if (this.frame) return;
    const paint = () => {
      this.frame = this.stale && requestAnimationFrame(paint);
      if (this.stale) this.paintLights();
      this.stale = false;
    };
    paint();
  }

  paintLights() {
    const under = this.pointer && this.at(this.pointer);
    const hovered = under && !under.axis ? under : null;
    const chosen = this.has(this.chosen) ? this.chosen : null;
    const other = hovered && !same(hovered, chosen);
    const ours = chosen ? this.operands(chosen) : [];
    const operand = other && ours.some((block) => covers(block, hovered));
    const over = other && !operand ? hovered : null;
    if (over) this.lookAround(over);
    const brush = (onPaper() ? this.base : this.lights).getContext("2d");
    // A canvas without a light would be drawn with every frame all the same.
    this.lights.hidden = onPaper() || !hovered && !chosen && !this.has(this.term);
    if (!this.lights.hidden) this.sized(this.lights);
    if (chosen && other && !operand) brush.globalAlpha = 0.45;
    const lit = chosen ? this.light(brush, ours, 1.5) : [];
    this.follow(brush, chosen);
    brush.globalAlpha = 1;
    if (other) {
      const theirs = this.light(brush, this.operands(hovered), 1.5);
      if (!operand) lit.splice(0, lit.length, ...theirs);
      this.follow(brush, hovered);
      this.light(brush, [hovered], 1.5);
      this.ticks(brush, hovered);
    }
    if (chosen) {
      this.light(brush, [chosen], 3);
      this.ticks(brush, chosen);
    }
    if (this.has(this.term)) this.light(brush, [this.term], 3);
    this.base.style.cursor = under ? "pointer" : "default";
    const { quiet } = this.data;
    this.say(hovered ?? chosen);
    this.work(operand ? chosen : hovered ?? chosen, Boolean(chosen), !quiet || Boolean(hovered));
    this.hold(over);
    this.shine(operand ? hovered : null);
    this.base.dataset.lit = lit.join("; ");
    this.base.dataset.chosen = chosen ? `${chosen.panel} ${chosen.row},${chosen.col}` : "";
  }

  operands(cell) {
    const own = this.find(cell.panel);
    if (own.made) return operandsOf(own, cell.row, cell.col, this.find);
    return lookedUpBy(this.panels, cell.panel, cell.row + own.first[0], cell.col + own.first[1], this.find);
  }

  // A dashed line around what was computed from a cell
  follow(brush, cell) {
    if (!cell) return;
    const { first } = this.find(cell.panel);
    const at = [cell.row + first[0], cell.col + first[1]];
    brush.setLineDash([4, 3]);
    const results = this.panels.flatMap((panel) => resultsOf(panel, cell.panel, ...at, this.find));
    this.base.dataset.followed = this.light(brush, results, 1.5).join("; ");
    brush.setLineDash([]);
  }

  // Gold around blocks; a rim in the colour of the page sets it off from any colour of the scale
  light(brush, blocks, width) {
    for (const [color, line] of [[this.colors.background, width + 2], [this.colors.chosen, width]]) {
      brush.strokeStyle = color;
      brush.lineWidth = line;
      for (const block of blocks) brush.strokeRect(...box(this.find(block.panel), block));
    }
    return blocks.map(({ panel, row, lastRow, col, lastCol }) => `${panel} ${row}-${lastRow},${col}-${lastCol}`);
  }

  ticks(brush, cell) {
    const panel = this.find(cell.panel);
    const [x, y, width, height] = box(panel, cell);
    brush.fillStyle = this.colors.chosen;
    brush.fillRect(panel.x - 5, y, 3, height);
    brush.fillRect(x, panel.y - 5, width, 3);
  }

  // -------------------------------------------------------------- choosing

  // The cell at a point of the board, or the label where labels can be clicked
  at({ x, y }) {
    for (const panel of this.panels) {
      const row = Math.floor((y - panel.y) / panel.ch);
      const col = Math.floor((x - panel.x) / panel.cw);
      const inRows = row >= 0 && row < panel.rows;
      const inCols = col >= 0 && col < panel.cols;
      if (inRows && inCols) return { panel: panel.key, row, col };
      if (!panel.label_events) continue;
      if (inRows && panel.labelRoom && x < panel.x && x > panel.x - panel.left + panel.axisRoom)
        return { panel: panel.key, axis: "row", index: row };
      if (inCols && y < panel.y && y > panel.y - panel.ticks.column.height)
        return { panel: panel.key, axis: "column", index: col };
    }
    return null;
  }

  press(target) {
    if (target?.axis) this.setTrigger("label", target);
    else if (target) this.choose(same(target, this.chosen) ? null : target);
  }

  // By a key; what is chosen already stays so
  take(cell) {
    if (same(cell, this.chosen)) this.paintLights();
    else this.choose(cell);
  }

  choose(cell, pause = 0) {
    this.chosen = cell;
    this.cursor = cell ?? this.cursor;
    this.choice = Math.max(Date.now(), this.choice + 1);
    this.paintLights();
    this.reveal();
    clearTimeout(this.waiting);
    const report = () =>
      this.setState("chosen", { cell: cell && [cell.panel, cell.row, cell.col], number: this.choice });
    if (pause) this.waiting = setTimeout(report, pause);
    else report();
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const under = this.pointer && this.at(this.pointer);
    this.pointer = null; // the keys have taken over
    const chosen = this.has(this.chosen) ? this.chosen : null;
    const first = { panel: this.panels[0].key, row: 0, col: 0 };
    const cursor = chosen ?? (this.has(this.cursor) ? this.cursor : null);
    const label = cursor && event.shiftKey ? this.labelOf(cursor, BESIDE[event.key]) : null;
    if (label) this.press(label);
    else if (STEPS[event.key]) this.choose(cursor ? this.neighbour(cursor, ...STEPS[event.key]) : first, KEYS_PAUSE);
    else if (event.key === "Enter" || event.key === " ") this.take(under && !under.axis ? under : cursor ?? first);
    else if (event.key === "Escape" && chosen) this.choose(null);
    else return;
    event.preventDefault();
    event.stopPropagation(); // the arrows of a lecture
    this.speak();
  }

  // The label of a cell's row or column, where it can be pressed
  labelOf({ panel: key, row, col }, axis) {
    const { label_events, labels } = this.find(key);
    if (!label_events || !labels[axis]?.length) return null;
    return { panel: key, axis, index: axis === "row" ? row : col };
  }

  // The chosen cell is on screen, beside its sum
  reveal() {
    if (!this.has(this.chosen)) return;
    const [x, y, width, height] = box(this.find(this.chosen.panel), this.chosen);
    this.mark.style = `left: ${x}px; top: ${y}px; width: ${width}px; height: ${height}px`;
    this.mark.style.scrollMarginBottom = `${this.working.offsetHeight + 4}px`;
    this.mark.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // One cell on; over the edge of a panel into the one that lies there
  neighbour(cell, down, right) {
    const panel = this.find(cell.panel);
    const next = { ...cell, row: cell.row + down, col: cell.col + right };
    if (next.row >= 0 && next.col >= 0 && this.has(next)) return next;
    const [left, top] = box(panel, cell);
    const [x, y] = [left + panel.cw / 2, top + panel.ch / 2];
    const distance = (other) =>
      down ? (down > 0 ? other.y - panel.bottom : panel.y - other.bottom)
        : right > 0 ? other.x - panel.right : panel.x - other.right;
    const facing = (other) => (down ? x >= other.x && x <= other.right : y >= other.y && y <= other.bottom);
    const beyond = this.panels
      .filter((other) => other !== panel && facing(other) && distance(other) > 0)
      .sort((one, other) => distance(one) - distance(other))[0];
    if (!beyond) return cell;
    const row = down ? (down > 0 ? 0 : beyond.rows - 1) : clamp(Math.floor((y - beyond.y) / beyond.ch), beyond.rows);
    const col = right ? (right > 0 ? 0 : beyond.cols - 1) : clamp(Math.floor((x - beyond.x) / beyond.cw), beyond.cols);
    return { panel: beyond.key, row, col };
  }

  inWindow(key, rows, cols, right = 0, down = 0) {
    const { left, top } = this.base.getBoundingClientRect();
    const panel = this.find(key);
    return { x: left + panel.x + cols * panel.cw + right, y: top + panel.y + rows * panel.ch + down };
  }
}

function place(event) {
  return { x: event.offsetX, y: event.offsetY };
}

function covers(block, cell) {
  const { row, lastRow, col, lastCol } = block;
  return block.panel === cell.panel && cell.row >= row && cell.row <= lastRow && cell.col >= col && cell.col <= lastCol;
}

function said(between, ...parts) {
  return parts.filter(Boolean).join(between);
}

function same(one, other) {
  return Boolean(one && other) && one.panel === other.panel && one.row === other.row && one.col === other.col;
}
