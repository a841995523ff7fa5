// Indices of rows and columns, and lists of numbers.

/**
 * [2, 3, 4, 7] -> [[2, 4], [7, 7]], those alone that are below `length`.
 * @param {number[]} indices @param {number} length
 */
export function runs(indices, length) {
  /** @type {[first: number, last: number][]} */
  const found = [];
  for (const index of [...new Set(indices)].filter((at) => at >= 0 && at < length).sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last && last[1] === index - 1) last[1] = index;
    else found.push([index, index]);
  }
  return found;
}

/** 1, 2, 5, 10, 20, 50, ... not below `least`. @param {number} least */
export function rounded(least) {
  for (let ten = 1; ; ten *= 10) for (const step of [ten, 2 * ten, 5 * ten]) if (step >= least) return step;
}

/** @param {number} index @param {number} length */
export function clamp(index, length) {
  return Math.min(length - 1, Math.max(0, index));
}

/** @param {number[]} numbers */
export function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
