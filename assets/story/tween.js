// Between two beats: each actor on its way. Pure: it knows no time and no page.

/** @import { Actor, Cast } from "./types.d.ts" */

const PLACE = ["x", "y"];
const SIZE = ["width", "height"];
const DEFAULT = { opacity: 1, bend: 0, radius: 0, level: 0, size: 16 };

/** Slow, fast, slow. @param {number} part of the way */
export function eased(part) {
  return part < 0.5 ? 4 * part ** 3 : 1 - (2 - 2 * part) ** 3 / 2;
}

/**
 * The actors on their way from one beat to the next, in the order in which they are painted.
 * @param {Cast} before @param {Cast} after @param {number} part of the way, 0 to 1
 * @returns {Actor[]}
 */
export function between(before, after, part) {
  if (part >= 1) return ordered([...after.values()]);
  /** @type {Actor[]} */
  const found = [];
  for (const actor of after.values()) {
    const was = before.get(actor.name);
    if (was === actor) found.push(actor);
    else if (was && was.kind === actor.kind) found.push(...glided(was, actor, part));
    else found.push(entering(actor, before.get(actor.born ?? ""), part));
  }
  for (const actor of before.values())
    if (!after.has(actor.name)) found.push(leaving(actor, after.get(actor.into ?? ""), part));
  return ordered(found);
}

/** @param {Actor[]} actors */
function ordered(actors) {
  return actors.sort((one, other) => (one.level ?? 0) - (other.level ?? 0));
}

/** @param {number | null | undefined} from @param {number | null | undefined} to @param {number} part */
function mixed(from, to, part) {
  if (from === to) return to;
  if (from === null || to === null || from === undefined || to === undefined) return part < 0.5 ? from : to;
  return from + (to - from) * part;
}

/** @param {Actor} from @param {Actor} to @param {number} part @returns {Actor} */
function moved(from, to, part) {
  const at = { ...to };
  for (const [name, end] of Object.entries({ ...DEFAULT, ...to })) {
    const start = from[name] ?? DEFAULT[/** @type {keyof typeof DEFAULT} */ (name)];
    if (typeof end === "number" && typeof start === "number" && name !== "rows") at[name] = mixed(start, end, part);
    else if (numbers(end) && numbers(start) && start.length === end.length)
      at[name] = end.map((one, index) => mixed(start[index], one, part));
    if (name === "value" && Number.isInteger(start) && Number.isInteger(end)) at.value = Math.round(at.value); // a count
  }
  return at;
}

/** @param {unknown} list @returns {list is (number | null)[]} */
function numbers(list) {
  return Array.isArray(list) && list.every((one) => one === null || typeof one === "number");
}

/** What cannot be told as a change of numbers (another word, another shape) fades over. @param {Actor} was @param {Actor} is @param {number} part */
function glided(was, is, part) {
  const at = moved(was, is, part);
  const other = ["text", "chip", "color", "gloss", "rows"].some((name) => was[name] !== is[name] && !("value" in is && name === "text"));
  const shapes = ["values", "points"].some((name) => numbers(is[name]) && is[name].length !== was[name]?.length);
  if (!other && !shapes) return [at];
  const opacity = [was.opacity ?? 1, is.opacity ?? 1];
  const place = Object.fromEntries([...PLACE, ...SIZE].filter((name) => name in at).map((name) => [name, at[name]]));
  return [
    { ...was, ...place, opacity: opacity[0] * (1 - part) },
    { ...at, opacity: opacity[1] * part },
  ];
}

/** @param {Actor} actor @param {Actor | undefined} home @param {number} part @returns {Actor} */
function entering(actor, home, part) {
  const opacity = actor.opacity ?? 1;
  if (!home) return { ...actor, opacity: opacity * part };
  return { ...moved(placed(actor, home), actor, part), opacity: opacity * Math.min(1, 0.4 + part) };
}

/** @param {Actor} actor @param {Actor | undefined} home @param {number} part @returns {Actor} */
function leaving(actor, home, part) {
  const opacity = actor.opacity ?? 1;
  if (!home) return { ...actor, opacity: opacity * (1 - part) };
  return { ...moved(actor, placed(actor, home), part), opacity: opacity * Math.min(1, 2 - 2 * part) };
}

/** An actor where another one is. @param {Actor} actor @param {Actor} home @returns {Actor} */
function placed(actor, home) {
  const at = { ...actor };
  for (const name of PLACE) at[name] = home[name];
  if (home.kind === actor.kind) for (const name of SIZE) if (name in home && name in actor) at[name] = home[name];
  if ("to_x" in actor) Object.assign(at, { to_x: home.x, to_y: home.y });
  return at;
}

/**
 * The cast of every beat of a scene: each message says what is new since the one before, of who was there already
 * the fields that are others now.
 * @param {{actors: Actor[], gone: string[]}[]} beats @returns {Cast[]}
 */
export function casts(beats) {
  /** @type {Cast} */
  let there = new Map();
  return beats.map(({ actors, gone }) => {
    there = new Map(there);
    for (const name of gone) there.delete(name);
    for (const actor of actors) there.set(actor.name, actor.kind ? actor : { ...there.get(actor.name), ...actor });
    return there;
  });
}

/**
 * The points (x, y) of a curve as far as it is drawn: up to the x `until`, which mostly lies between two of them.
 * @param {number[]} points x, y, x, y, … with rising x @param {number} until
 */
export function drawn(points, until) {
  /** @type {[x: number, y: number][]} */
  const found = [];
  for (let at = 0; at < points.length; at += 2) {
    const [x, y] = [points[at], points[at + 1]];
    const last = found.at(-1);
    if (x > until && last) {
      const part = (until - last[0]) / (x - last[0]);
      if (part > 0) found.push([until, last[1] + part * (y - last[1])]);
      return found;
    }
    found.push([x, y]);
  }
  return found;
}
