// Numbers as they travel, as they are written, and as colours; which cells a cell was computed from.

function bytes(text) {
  const letters = atob(text);
  const found = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at += 1) found[at] = letters.charCodeAt(at);
  return found;
}

function floats(text) {
  return new Float32Array(bytes(text).buffer);
}

// The part of a matrix that formulas name
function held(named) {
  return { ...named, values: floats(named.values) };
}

function decode(panel) {
  const values = floats(panel.values);
  const drawn = { values, first: panel.first, columns: panel.shape[1] };
  return {
    ...panel,
    rows: panel.shape[0],
    cols: panel.shape[1],
    values,
    named: panel.named ? held(panel.named) : drawn,
    hidden: panel.hidden && bytes(panel.hidden),
    vacant: panel.vacant && bytes(panel.vacant),
  };
}

// Significant digits, with a true minus sign
function written(value, digits) {
  if (Number.isNaN(value)) return "NaN";
  const size = Math.abs(value);
  let text;
  if (size === Infinity) text = "∞";
  else if (Number.isInteger(value) && size < 1e6) text = String(size);
  else if (size >= 1e-4 && size < 1e6) text = size.toFixed(decimals(size, digits));
  else text = power(size, digits);
  return value < 0 ? `−${text}` : text;
}

// 8.33×10⁻⁵, and 10⁹ where that is all
function power(size, digits) {
  const [mantissa, exponent] = size.toExponential(digits - 1).split("e");
  const raised = [...String(Number(exponent))].map((sign) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(sign)]).join("");
  return `${Number(mantissa) === 1 ? "" : `${mantissa}×`}10${raised}`;
}

function decimals(size, digits) {
  return Math.max(0, Math.min(8, digits - 1 - Math.floor(Math.log10(size))));
}

// As in a printed table: every cell of a matrix with the same number of decimals, but what is exactly 0 says so
function tabulated(value, places) {
  if (!Number.isFinite(value) || value === 0) return written(value, 1);
  const text = Math.abs(value).toFixed(places);
  return value < 0 && Number(text) !== 0 ? `−${text}` : text;
}

function rgb(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

function css([red, green, blue]) {
  return `rgb(${red} ${green} ${blue})`;
}

function luminance(color) {
  const [red, green, blue] = color.map((part) => (part <= 10 ? part / 3295 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// 256 colours through the stops of a scale
function ramp(stops) {
  const colors = stops.map(rgb);
  return Array.from({ length: 256 }, (_, index) => {
    const at = (index / 255) * (colors.length - 1);
    const low = Math.min(Math.floor(at), colors.length - 2);
    return colors[low].map((part, channel) => Math.round(part + (at - low) * (colors[low + 1][channel] - part)));
  });
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

// 1, 2, 5, 10, 20, 50, ... not below `least`
function round(least) {
  for (let ten = 1; ; ten *= 10) for (const step of [ten, 2 * ten, 5 * ten]) if (step >= least) return step;
}

function clamp(index, length) {
  return Math.min(length - 1, Math.max(0, index));
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
