// What a hand or a key makes of a drawing: whole levels, from 0 at the bottom to FULL at the top, one for each point.
// Nothing here changes what it is given.

export const FULL = 1000;

/** @param {number} level */
export const within = (level) => Math.min(Math.max(Math.round(level), 0), FULL);

/**
 * Bars with one of them at a level; the others share what is left in their proportions, so that the sum stays FULL. Where
 * they are all nothing they share it alike.
 * @param {number[]} levels @param {number} at @param {number} level
 */
export function shared(levels, at, level) {
  if (levels.length === 1) return [FULL];
  const left = FULL - within(level);
  const before = levels.reduce((sum, one, other) => sum + (other === at ? 0 : one), 0);
  const exact = levels.map((one, other) => {
    if (other === at) return 0;
    return before ? (one * left) / before : left / (levels.length - 1);
  });
  const made = exact.map(Math.floor);
  const short = left - made.reduce((sum, one) => sum + one, 0);
  // What rounding down has left over goes to those that have lost most by it.
  const order = exact.map((_, other) => other).filter((other) => other !== at);
  order.sort((one, other) => exact[other] - made[other] - (exact[one] - made[one]) || one - other);
  for (const other of order.slice(0, short)) made[other] += 1;
  made[at] = FULL - left;
  return made;
}

/** @param {number[]} levels @param {number} at @param {number} level */
export const lifted = (levels, at, level) => levels.map((one, other) => (other === at ? within(level) : one));

/** @typedef {[at: number, level: number]} Touch */

/**
 * The points that a stroke from one place to another passes, each at its level, in their order.
 * @param {Touch} from @param {Touch} to @returns {Touch[]}
 */
export function passed([first, low], [last, high]) {
  const way = Math.sign(last - first);
  const count = Math.abs(last - first);
  return Array.from({ length: count + 1 }, (_, step) => {
    const share = count ? step / count : 1;
    return [first + way * step, within(low + (high - low) * share)];
  });
}

/**
 * A drawing after a stroke.
 * @param {number[]} levels @param {Touch} from @param {Touch} to @param {boolean} isShared
 */
export function stroked(levels, from, to, isShared) {
  const put = isShared ? shared : lifted;
  const touches = passed(from, to);
  // Where the stroke began it has been drawn already: bars that share would move under it again.
  const fresh = touches.length > 1 ? touches.slice(1) : touches;
  return fresh.reduce((made, [at, level]) => put(made, at, level), levels);
}

/** @param {number[]} one @param {number[]} other */
export const same = (one, other) => one.length === other.length && one.every((level, at) => level === other[at]);
