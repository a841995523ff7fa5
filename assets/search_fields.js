// How well the words that are looked for are met by what an entry has: its title, its other names, its texts. Each word that
// is there knows where, so that a word looked for is compared with each of them once.

import { folded, isHan, slipped, stem, wordsOf } from "./search_words.js";

/** @typedef {{kind: string, title: string, text: string, also?: string, says?: string[], link?: string, chapter?: string, section?: string}} Entry */
/** @typedef {{whole: string, weight: number, slips: boolean}} Field */
/** An entry, or one of its texts; how it is shown. @typedef {{entry: Entry, shown: Entry, title: string, fields: Field[]}} Read */
/** How well a word is met, where it is: 0 to 1. @typedef {(word: string, field: Field) => number} Met */

const WEIGHTS = { title: 3, also: 2.5, text: 1, says: 0.6 };
const SLIP = 0.5;
const BEGINNING = 0.75;
const IN_PARTS = 0.8; // batch_first, as batch and first

/** @param {string} text @param {number} weight @param {boolean} [slips] whether a slip of the hand is allowed for @returns {Field} */
const field = (text, weight, slips = false) => ({ whole: folded(text).trim(), weight, slips });

/** An entry as it can be compared, and each of its texts, which is shown where it is what was found.
 * @param {Entry} entry @returns {Read[]} */
export const readings = ({ says = [], ...entry }) => {
  const [title, also] = [field(entry.title, WEIGHTS.title, true), field(entry.also ?? "", WEIGHTS.also, true)];
  const told = { entry, title: title.whole };
  const texts = says.map((text) => {
    const shown = { ...entry, text: entry.section ? `${entry.text} · ${text}` : text };
    return { ...told, shown, fields: [title, field(text, WEIGHTS.says)] };
  });
  return [{ ...told, shown: entry, fields: [title, also, field(entry.text, WEIGHTS.text)] }, ...texts];
};

/** In Chinese, which has no spaces: all of it, or most of its pairs of characters. @param {string} run @param {string} text */
const within = (run, text) => {
  if (text.includes(run)) return 1;
  const pairs = run.length - 1;
  let there = 0;
  for (let at = 0; at < pairs; at += 1) there += text.includes(run.slice(at, at + 2)) ? 1 : 0;
  return pairs > 1 && there / pairs >= 0.3 ? (BEGINNING * there) / pairs : 0;
};

/** @param {number[]} numbers */
export const average = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** How well these words are met together, which stand there all. @param {string[]} words @param {Field} field @param {Met} met */
export const together = (words, field, met) => {
  const each = words.map((word) => met(word, field));
  return Math.min(...each) && average(each);
};

/** The words of all fields, each with the fields that it is in. @param {Read[]} every */
const wordsIn = (every) => {
  /** @type {Map<string, Set<Field>>} */
  const places = new Map();
  for (const { fields } of every) {
    for (const one of fields) {
      const words = wordsOf(one.whole);
      for (const word of [...words.map(stem), ...(one.slips ? words : [])]) {
        if (!places.has(word)) places.set(word, new Set());
        places.get(word).add(one);
      }
    }
  }
  return places;
};

/** What tells of a word how well a field meets it; of a word that comes again, without looking again.
 * @param {Read[]} every @returns {() => Met} */
export const meeting = (every) => {
  const places = wordsIn(every);

  /** @param {string} word @returns {Map<Field, number>} */
  const look = (word) => {
    /** @type {Map<Field, number>} */
    const found = new Map();
    const root = stem(word);
    const slips = word.length > 3 && !/\d/.test(word);
    for (const [there, fields] of places) {
      const begins = root.length > 1 && there.startsWith(root) ? BEGINNING : 0;
      const well = there === root ? 1 : begins || (slips && slipped(root, there) ? SLIP : 0);
      if (!well) continue;
      for (const one of fields) {
        if ((well > SLIP || one.slips) && well > (found.get(one) ?? 0)) found.set(one, well);
      }
    }
    return found;
  };

  return () => {
    /** @type {Map<string, Map<Field, number>>} */
    const looked = new Map();
    /** @type {Met} */
    const met = (word, one) => {
      if (isHan(word)) return within(word, one.whole);
      if (!looked.has(word)) looked.set(word, look(word));
      const itself = looked.get(word).get(one) ?? 0;
      if (itself === 1 || !word.includes("_")) return itself;
      const parts = word.split("_").filter((part) => part.length > 2);
      return parts.length > 1 ? Math.max(itself, IN_PARTS * together(parts, one, met)) : itself;
    };
    return met;
  };
};
