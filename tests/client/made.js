// Panels and looks made up for tests: what the server would send, already read, and a page on which a letter is 7 px wide.

/** A panel of numbers, whole unless `rows` and `first` say which of them are shown. */
export function panel(key, values, { cols, first = [0, 0], size, made = null, ...more } = {}) {
  const width = cols ?? values[0].length;
  const numbers = Float32Array.from(values.flat());
  const rows = numbers.length / width;
  return {
    key, rows, cols: width, values: numbers, first, size: size ?? [rows, width], made,
    shape: [rows, width], named: { values: numbers, first, columns: width }, symbol: key, symbol_axis: "row",
    hidden: null, vacant: null, borders: [], title: key, labels: { row: [], column: [] }, glosses: { row: [], column: [] }, axes: { row: "", column: "" },
    padded: { row: [], column: [] }, scale: "signed", ends: [-1, 1], place: [0, 0], wall: 0, silent: false,
    beside: false, digits: 3, meaning: null, print: false, blank: false, label_events: false, ...more,
  };
}

/** One formula for all cells. */
export function all(formula) {
  return { axis: "", table: [], formulas: [formula] };
}

export function finder(...matrices) {
  const named = new Map(matrices.map((matrix) => [matrix.key, matrix]));
  return (key) => named.get(key);
}

export function look(width, more = {}) {
  return {
    width, height: 800, screen: 1280, density: 1, unit: 1, part: NaN, family: "sans", mode: "light", colors: {},
    font: (size) => `${size}px`,
    measure: (text) => 7 * text.length,
    snapped: (size, least) => Math.max(least, Math.floor(size)),
    ...more,
  };
}

export const [I, J, K] = [["i", 0], ["j", 0], ["k", 0]];
/** a · bᵀ over n */
export const product = (a, b, n) => ["fold", "sum", "k", n, ["·", ["cell", a, I, K], ["cell", b, J, K]]];
