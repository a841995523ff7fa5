// What stands under the board about a cell: its place and number in words, its formula, its sum with the numbers.

const HEADER = 48; // px, of the page: below it is the upper edge

class Words extends Picture {
  say(cell) {
    const { title, color, text } = cell ? this.described(cell) : { title: "", text: this.hint() };
    const name = document.createElement("strong");
    name.style.color = color ?? "";
    name.textContent = title;
    this.readout.replaceChildren(name, title ? ` ${text}` : text);
    this.readout.style.color = cell ? this.colors.text : this.colors.quiet;
  }

  // Where a cell stands before the words change, and the room they have: asked in between, the page is laid out twice
  lookAround(hovered) {
    if (!this.over) this.room = this.working.offsetHeight; // while nothing else is pointed at
    this.under = this.inWindow(hovered.panel, hovered.row + 1, 0).y;
  }

  // The page stands still under the pointer: the sum of a cell that is pointed at lies over what follows the board. Where
  // that is below the screen it lies at the lower edge, or at the upper one if it would hide the cell.
  hold(hovered) {
    const { working } = this;
    this.over = working.toggleAttribute("data-over", Boolean(hovered));
    working.toggleAttribute("data-stuck", this.over);
    Object.assign(working.style, { marginBottom: "", top: "" });
    if (!hovered) return;
    const tall = working.offsetHeight;
    working.style.marginBottom = `${this.room - tall}px`;
    if (this.under < innerHeight - tall) return;
    working.removeAttribute("data-stuck");
    if (!this.chosen) working.style.top = `${HEADER - working.getBoundingClientRect().top}px`;
  }

  // The formula of a cell and, if asked for, its sum
  work(cell, kept, summed) {
    if (!this.made) return;
    const panel = cell && this.find(cell.panel);
    const made = cell && formulaOf(panel, cell.row, cell.col);
    const all = cell && same(cell, this.unfolded);
    const name = made ? `${cell.panel} ${cell.row} ${cell.col} ${all} ${summed} ${this.mode}` : `${Boolean(cell)}`;
    this.working.toggleAttribute("data-kept", kept);
    if (kept) this.working.tabIndex = 0; // it may be too tall for its place: the arrows move it
    else this.working.removeAttribute("tabindex");
    if (name === this.written) return;
    this.written = name;
    if (!made) {
      this.formula.replaceChildren();
      this.sum.replaceChildren(cell ? this.data.words.given ?? "" : "");
      return;
    }
    const { first, symbol: own, symbol_axis: owner } = panel;
    const at = [cell.row + first[0], cell.col + first[1]];
    const letter = (axis, name) => (Array.isArray(own) && owner === axis ? at[axis === "row" ? 0 : 1] : [name, 0]);
    const general = indexed(panel, letter("row", "i"), letter("column", "j"));
    const where = around(panel, cell.row, cell.col);
    const whole = maths("mrow", general, sign("="), mathematics(made, this.find));
    this.formula.replaceChildren(maths("math", whole));
    if (!summed) {
      this.sum.replaceChildren();
      return;
    }
    const sum = new Sum(where, this.find, this.colors, all);
    const value = panel.values[cell.row * panel.cols + cell.col];
    this.sum.replaceChildren(...sum.lines(maths("math", indexed(panel, ...at)), made, value));
  }

  unfold() {
    this.unfolded = this.chosen ?? this.cursor;
    this.paintLights();
  }

  // A number in the sum under the pointer lights its cell ...
  pointTerm(target) {
    const [panel, row, col] = target?.closest?.(".matrix-term")?.dataset.at?.split(" ") ?? [];
    this.term = panel === undefined ? null : { panel, row: Number(row), col: Number(col) };
    this.paintLights();
    this.shine(this.term);
  }

  // ... and a cell under the pointer its number in the sum
  shine(cell) {
    const at = cell && `${cell.panel} ${cell.row} ${cell.col}`;
    for (const term of this.sum.querySelectorAll(".matrix-term")) term.toggleAttribute("data-lit", term.dataset.at === at);
  }

  hint() {
    const { hint, labels } = this.data.words;
    return said(" ", hint, this.labelled && labels);
  }

  speak() {
    const { title, text } = this.has(this.chosen) ? this.described(this.chosen) : { title: "", text: "" };
    this.spoken.textContent = [title, text, this.sum.textContent].join(" ");
  }

  described(cell) {
    const panel = this.find(cell.panel);
    const index = cell.row * panel.cols + cell.col;
    const { words } = this.data;
    let value = written(panel.values[index], panel.digits);
    if (panel.hidden?.[index]) value = words.masked ?? "–";
    else if (panel.vacant?.[index]) value = words.vacant ?? value;
    else if (panel.scale === "mask") value = words.allowed ?? value;
    const text = [this.named(panel, "row", cell.row), this.named(panel, "column", cell.col), value].join(" · ");
    return { title: panel.title, color: this.colors[panel.meaning ?? "text"], text };
  }

  named(panel, axis, index) {
    const label = panel.labels[axis][index] ?? String(index);
    const name = [this.data.words[axis], index].filter((part) => part !== undefined).join(" ");
    return label === String(index) ? name : `${name} “${label}”`;
  }
}
