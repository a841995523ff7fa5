// What a cell was computed from: a formula's value, its operands, and the cells that have a cell as operand.
// A formula is what `message` of ui/figures/formula.py makes of one: nested lists, the kind first.

const CALLS = {
  "√": Math.sqrt, exp: Math.exp, ln: Math.log, sin: Math.sin, cos: Math.cos, abs: Math.abs,
  relu: (x) => Math.max(0, x), "−": (x) => -x,
};
const SIGNS = {
  "+": (a, b) => a + b, "−": (a, b) => a - b, "·": (a, b) => a * b, "/": (a, b) => a / b, "^": Math.pow,
  "≤": (a, b) => Number(a <= b), "≠": (a, b) => Number(a !== b),
};

// The formula of a cell of a panel, row and column as they are shown; null where the number is given
function formulaOf(panel, row, col) {
  const { made } = panel;
  if (!made) return null;
  if (!made.axis) return made.formulas[0];
  return made.formulas[made.table[{ i: row, j: col, cell: row * panel.cols + col }[made.axis]]] ?? null;
}

// Where the indices of a cell's formula stand; the formula speaks of the whole matrix, the panel may show a part
function around(panel, row, col) {
  return { i: row + panel.first[0], j: col + panel.first[1], cell: row * panel.cols + col };
}

function placed(place, where) {
  if (typeof place === "number") return place;
  const [variable, shift, table] = place;
  return table ? table[where[variable]] : where[variable] + shift;
}

// The values of a sum's index
function running(over) {
  return Array.isArray(over) ? over : Array.from({ length: over }, (_, at) => at);
}

function valueOf(formula, where, find) {
  const [kind, ...rest] = formula;
  const inner = (part) => valueOf(part, where, find);
  if (kind === "number") return rest[0];
  if (kind === "index") return placed(rest[0], where);
  if (kind === "cell") return entry(find(rest[0]), placed(rest[1], where), placed(rest[2], where));
  if (kind === "call") return CALLS[rest[0]](inner(rest[1]));
  if (kind === "named") return step(formula, where, find);
  if (kind === "choose") return inner(inner(rest[0]) ? rest[1] : rest[2]);
  if (kind === "fold") {
    const [fold, variable, over, body] = rest;
    const at = { ...where };
    const parts = running(over).map((index) => {
      at[variable] = index;
      return valueOf(body, at, find);
    });
    if (fold === "max") return Math.max(...parts);
    return fold === "sum" ? sum(parts) : sum(parts) / parts.length;
  }
  return SIGNS[kind](inner(rest[0]), inner(rest[1]));
}

const steps = new WeakMap();

// The value of a named step. It depends on the cell alone: a sum that names it for every term works it out once
function step(formula, where, find) {
  const { i, j } = where;
  const known = steps.get(formula);
  if (known?.i === i && known.j === j) return known.value;
  const value = valueOf(formula[2], where, find);
  steps.set(formula, { i, j, value });
  return value;
}

// A number of a matrix, by its row and column in the whole
function entry({ named: { values, first, columns } }, row, col) {
  return values[(row - first[0]) * columns + col - first[1]];
}

// The cells that a formula names and reads at this place, with the indices of the sums around them
function* named(formula, where, find, bound = {}) {
  const [kind, ...rest] = formula;
  if (kind === "cell") {
    yield { panel: rest[0], row: rest[1], col: rest[2], bound };
    for (const [variable, , , , held] of rest.slice(1).filter(Array.isArray))
      if (held) yield { panel: held[0], row: held[1], col: [variable, 0], bound };
  } else if (kind === "call" || kind === "named") yield* named(rest[1], where, find, bound);
  else if (kind === "fold") yield* named(rest[3], where, find, { ...bound, [rest[1]]: running(rest[2]) });
  else if (kind === "choose") {
    yield* named(rest[0], where, find, bound);
    // Which branch is read is known where no sum runs; inside one, both are
    const taken = where && !Object.keys(bound).length ? [valueOf(rest[0], where, find) ? rest[1] : rest[2]] : rest.slice(1);
    for (const part of taken) yield* named(part, where, find, bound);
  } else if (kind in SIGNS) for (const part of rest) yield* named(part, where, find, bound);
}

// Blocks of the cells that a cell was computed from, as they are shown
function operandsOf(panel, row, col, find) {
  const formula = formulaOf(panel, row, col);
  if (!formula) return [];
  const where = around(panel, row, col);
  const blocks = [...named(formula, where, find)].flatMap(({ panel: key, row: r, col: c, bound }) => {
    const operand = find(key);
    if (!operand.rows) return [];
    const values = (place) => {
      const held = typeof place === "number" ? null : bound[place[0]];
      return held ? held.map((at) => placed(place, { [place[0]]: at })) : [placed(place, where)];
    };
    return rectangles(operand, values(r), values(c));
  });
  return distinct(blocks);
}

// Blocks of the cells that formulas look up by a cell: an id's row of the table
function lookedUpBy(panels, key, row, col, find) {
  const cells = panels.flatMap(({ made }) => (made?.formulas ?? []).flatMap((formula) => [...named(formula, null, find)]));
  return distinct(
    cells.flatMap(({ panel, row: r, col: c }) => {
      const operand = find(panel);
      return [r, c].flatMap((place, axis) => {
        const [, , table, , held] = Array.isArray(place) ? place : [];
        if (!operand.rows || held?.[0] !== key || held[1] !== row || col >= table.length) return [];
        const [rows, cols] = operand.size.map(running);
        return axis ? rectangles(operand, rows, [table[col]]) : rectangles(operand, [table[col]], cols);
      });
    }),
  );
}

// Blocks of the cells of `panel` that have a cell of the matrix `key` among their operands
function resultsOf(panel, key, row, col, find) {
  if (!panel.made) return [];
  return distinct(
    panel.made.formulas.flatMap((formula, number) => {
      const { axis, table } = panel.made;
      const own = (letter, length) =>
        Array.from({ length }, (_, at) => at).filter((at) => axis !== letter || table[at] === number);
      const space = { i: own("i", panel.rows), j: own("j", panel.cols) };
      return [...named(formula, null, find)]
        .filter((cell) => cell.panel === key)
        .flatMap((cell) => solved(panel, space, cell, row, col, axis === "cell" && ((at) => table[at] === number)));
    }),
  ).filter((block) => read(panel, block, key, row, col, find));
}

// The rows and columns at which a named cell is the cell (row, col)
function solved(panel, space, cell, row, col, own) {
  let { i, j } = space;
  let inside = own || null; // by the number of the cell
  for (const [place, wanted] of [[cell.row, row], [cell.col, col]]) {
    const at = typeof place === "number" ? null : place[0];
    const fits = (where) => placed(place, { [at]: where }) === wanted;
    if (at === null) { if (place !== wanted) return []; }
    else if (cell.bound[at]) { if (!cell.bound[at].some(fits)) return []; }
    else if (at === "i") i = i.filter((index) => fits(index + panel.first[0]));
    else if (at === "j") j = j.filter((index) => fits(index + panel.first[1]));
    else inside = both(inside, fits);
  }
  const part = (rows, cols) => runs(rows, panel.rows).flatMap(([top, bottom]) =>
    runs(cols, panel.cols).map(([left, right]) => ({ panel: panel.key, row: top, lastRow: bottom, col: left, lastCol: right })));
  if (!inside) return part(i, j);
  return i.flatMap((r) => part([r], j.filter((c) => inside(r * panel.cols + c))));
}

function both(one, other) {
  return one ? (at) => one(at) && other(at) : other;
}

// Whether a block that a choice by a mask may have passed over reads the cell after all
function read(panel, block, key, row, col, find) {
  const formula = formulaOf(panel, block.row, block.col);
  if (!JSON.stringify(formula).includes('"choose"') || block.row !== block.lastRow || block.col !== block.lastCol) return true;
  return [...named(formula, around(panel, block.row, block.col), find)].some((cell) => cell.panel === key
    && hits(cell, cell.row, row, around(panel, block.row, block.col)) && hits(cell, cell.col, col, around(panel, block.row, block.col)));
}

function hits(cell, place, wanted, where) {
  const held = typeof place === "number" ? null : cell.bound[place[0]];
  return held ? held.some((at) => placed(place, { [place[0]]: at }) === wanted) : placed(place, where) === wanted;
}

// Rows × columns of the whole matrix as blocks of what is shown of it
function rectangles(panel, rows, cols) {
  const shown = (indices, axis, length) => runs(indices.map((index) => index - panel.first[axis]), length);
  return shown(rows, 0, panel.rows).flatMap(([row, lastRow]) =>
    shown(cols, 1, panel.cols).map(([col, lastCol]) => ({ panel: panel.key, row, lastRow, col, lastCol })),
  );
}

function distinct(blocks) {
  const seen = new Set();
  return blocks.filter((block) => {
    const name = Object.values(block).join(" ");
    return !seen.has(name) && seen.add(name);
  });
}

// Per panel with a formula, how far it is from the numbers, beside the largest of them: 0 but for rounding
function furthest(panels, find) {
  return Object.fromEntries(
    panels.filter((panel) => panel.made).map((panel) => {
      let [most, size] = [0, 0];
      for (let at = 0; at < panel.values.length; at += 1) {
        const [row, col] = [Math.floor(at / panel.cols), at % panel.cols];
        const made = formulaOf(panel, row, col);
        if (!made || !Number.isFinite(panel.values[at])) continue;
        const value = valueOf(made, around(panel, row, col), find);
        most = Math.max(most, Math.abs(value - panel.values[at]));
        size = Math.max(size, Math.abs(panel.values[at]));
      }
      return [panel.key, most / (size || 1)];
    }),
  );
}
