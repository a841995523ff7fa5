// Finds among the entries of a page what a reader types: words and their beginnings, with a slip of the hand, and what
// others call the same; Chinese by its characters. A rare word counts for more than one that is in every sentence, and a
// title for more than a text.

import { average, meeting, readings, together } from "./search_fields.js";
import { folded, isHan, stem, telling, wordsOf } from "./search_words.js";

/** @typedef {import("./search_fields.js").Entry} Entry */
/** @typedef {import("./search_fields.js").Read} Read */
/** @typedef {import("./search_fields.js").Met} Met */
/** @typedef {{entries: Entry[], synonyms: string[][]}} Found of the synonyms, what is said here first */
/** A name, and what it means here. @typedef {{words: string[], meant: string[][]}} Name */
/** Words that are looked for as one thing, and what else it is called. @typedef {{typed: string[], meant: string[][]}} Unit */

export const MOST = 12; // results
const LONGEST = 200; // letters of what is looked for: more than any question has
const ENOUGH = 0.42; // of what is looked for, rare words counting for more
const LITTLE = 0.25; // is enough where nothing has more, as of a whole sentence or an error message
const OTHER_NAME = 0.9;
/** @type {string[][]} */
const NOTHING_ELSE = [];
const IN_PART = 0.5; // of a name that only some words of are there
const OF_A_NUMBER = 0.3; // of a word
const RARE = 0.01; // of the entries: what is in fewer counts no more
const UNKNOWN = 0.05; // a word that stands nowhere counts as one of this share of the entries

/** What each name means here; a Chinese word that is said here means itself, for no space sets it off.
 * @param {Found} found @returns {Name[]} the longest first */
const namesOf = ({ entries, synonyms }) => {
  const terms = entries.flatMap(({ kind, title, also }) => [...(kind === "term" ? [title] : []), ...(also ?? "").split(" ")]);
  const said = [...terms, ...synonyms.map(([here]) => here)].map(folded).filter((word) => /^\p{Script=Han}{2,}$/u.test(word) && telling(word, true).length);
  /** @type {Map<string, Name>} */
  const names = new Map(said.map((word) => [word, { words: [word], meant: NOTHING_ELSE }]));
  for (const [meant, ...others] of synonyms.map((group) => group.map((name) => folded(name)))) {
    for (const name of others) {
      const words = isHan(name) ? [name] : telling(name).map(stem);
      const key = words.join(" ");
      names.set(key, { words, meant: [...(names.get(key)?.meant ?? []), telling(meant)] });
    }
  }
  /** @param {Name} name */
  const long = ({ words }) => words.join("").length;
  return [...names.values()].sort((one, other) => other.words.length - one.words.length || long(other) - long(one));
};

/** What is looked for, name by name and word by word: a name that means something here is taken as a whole.
 * @param {string} looked @param {Name[]} names @returns {Unit[]} */
const unitsOf = (looked, names) => {
  /** @type {Unit[]} */
  const units = [];
  let rest = looked;
  for (const { words, meant } of names.filter(({ words }) => isHan(words[0]))) {
    if (!rest.includes(words[0])) continue;
    rest = rest.replaceAll(words[0], " ");
    units.push({ typed: words, meant });
  }
  let left = telling(rest, units.length > 0);
  for (const { words, meant } of names.filter(({ words }) => !isHan(words[0]))) {
    const typed = left.filter((word) => words.includes(stem(word)));
    if (typed.length < words.length) continue;
    left = left.filter((word) => !typed.includes(word));
    units.push({ typed, meant });
  }
  return [...units, ...left.map((word) => ({ typed: [word], meant: NOTHING_ELSE }))];
};

/** What an entry has for a unit: of the field that counts most, and how well it is met in any. @param {Unit} unit @param {Read} read @param {Met} met */
const best = ({ typed, meant }, { fields }, met) => {
  const found = { score: 0, well: 0 };
  for (const field of fields) {
    const own = average(typed.map((word) => met(word, field)));
    const well = Math.max(own, ...meant.map((words) => OTHER_NAME * together(words, field, met)));
    found.score = Math.max(found.score, field.weight * well);
    found.well = Math.max(found.well, well);
  }
  return found;
};

/** How much a unit counts: the rarer the more, as much as its words or characters; what stands nowhere less, and a number
 * that stands nowhere not at all. @param {Unit} unit @param {number} share of the entries that have it */
const weightOf = ({ typed }, share) => {
  const number = typed.every((word) => /^\d+$/.test(word));
  if (number && !share) return 0;
  const long = number ? OF_A_NUMBER : typed.reduce((sum, word) => sum + (isHan(word) ? word.length : 1), 0);
  return (share ? long : Math.min(long, 2)) * Math.log(1 + 1 / Math.max(RARE, share || UNKNOWN));
};

/** @param {Read[]} every @param {Name[]} names @param {Met} met @param {string} typed @returns {Entry[]} the best first */
const find = (every, names, met, typed) => {
  const looked = folded(typed.slice(0, LONGEST)).trim();
  const scores = every.map(() => 0);
  const covered = every.map(() => 0);
  const sure = every.map(() => 0); // how well the unit is met that is met best: a slip alone is not enough for little
  let all = 0;
  for (const unit of unitsOf(looked, names)) {
    const found = every.map((read) => best(unit, read, met));
    const weight = weightOf(unit, found.filter(({ well }) => well > IN_PART).length / every.length);
    all += weight;
    for (const [at, { score, well }] of found.entries()) {
      scores[at] += weight * score;
      covered[at] += weight * well;
      sure[at] = Math.max(sure[at], weight && well);
    }
  }
  const ranked = every
    .map(({ entry, shown, title }, at) => {
      const exact = title === looked ? 2 : 1;
      const asked = entry.kind === "question" ? 1.2 : 1; // of equals, what answers
      const short = 1 + 1 / (1 + wordsOf(title).join("").length / 8); // of two titles that have it, the shorter
      const share = all && covered[at] / all;
      return { entry, shown, share, met: sure[at], score: scores[at] * share * exact * asked * short };
    })
    .sort((one, other) => one.score - other.score);
  const enough = ranked.filter(({ share }) => share >= ENOUGH);
  const good = enough.length ? enough : ranked.filter(({ share, met }) => share >= LITTLE && met > IN_PART);
  const once = new Map(good.map(({ entry, shown, score }) => [entry, { shown, score }])); // the best of each comes last
  return [...once.values()].sort((one, other) => other.score - one.score).slice(0, MOST).map(({ shown }) => shown);
};

/** What finds among these entries, by their own words and by others' names for them.
 * @param {Found} found @returns {(typed: string) => Entry[]} */
export const finder = (found) => {
  const [every, names] = [found.entries.flatMap(readings), namesOf(found)];
  const looks = meeting(every);
  return (typed) => find(every, names, looks(), typed);
};
