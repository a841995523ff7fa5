// Finds among the entries of a page what a reader types: words and their beginnings, with a slip of the hand; Chinese by its
// characters. A rare word counts for more than one that is in every sentence, and a title for more than a text.

/** @typedef {{kind: string, title: string, text: string, also?: string, link?: string, chapter?: string, section?: string}} Entry */
/** @typedef {{entry: Entry, fields: {words: string[], whole: string, weight: number}[]}} Read */

export const MOST = 12; // results
const LONGEST = 200; // letters of what is looked for: more than any question has
const ENOUGH = 0.45; // of what is looked for, rare words counting for more
const WEIGHTS = { title: 3, also: 2, text: 1 };
const SLIP = 0.5;
const BEGINNING = 0.75;
const WORDS = /\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{N}_])+/gu;
const IS_HAN = /\p{Script=Han}/u;

/** Without accents and capitals; letters of full width are letters, and a root is the word for it. @param {string} text */
const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").replaceAll("√", " sqrt ").toLowerCase();
/** @param {string} text @returns {string[]} */
const wordsOf = (text) => text.match(WORDS) ?? [];

/** Whether one is the other with a letter changed, left out, put in, or two changed round. @param {string} one @param {string} other */
export const slipped = (one, other) => {
  if (Math.abs(one.length - other.length) > 1) return false;
  let from = 0;
  while (from < one.length && one[from] === other[from]) from += 1;
  let [end, there] = [one.length, other.length];
  while (end > from && there > from && one[end - 1] === other[there - 1]) {
    end -= 1;
    there -= 1;
  }
  if (end - from <= 1 && there - from <= 1) return true;
  return end - from === 2 && there - from === 2 && one[from] === other[from + 1] && one[from + 1] === other[from];
};

/** How well a word looked for is met by one that is there: 0 to 1. @param {string} word @param {string} there */
const alike = (word, there) => {
  if (word === there) return 1;
  if (word.length > 1 && there.startsWith(word)) return BEGINNING;
  return word.length > 3 && !/\d/.test(word) && slipped(word, there) ? SLIP : 0;
};

/** The same for Chinese, which has no spaces: all of it, or most of its pairs of characters. @param {string} run @param {string} text */
const within = (run, text) => {
  if (text.includes(run)) return 1;
  const pairs = run.length - 1;
  let there = 0;
  for (let at = 0; at < pairs; at += 1) there += text.includes(run.slice(at, at + 2)) ? 1 : 0;
  return pairs > 1 && there / pairs >= 0.3 ? (BEGINNING * there) / pairs : 0;
};

/** What each entry has for one word: of its best field, and how well that meets it. @param {Read[]} every @param {string} word */
const met = (every, word) => {
  const han = IS_HAN.test(word);
  return every.map(({ fields }) => {
    let best = { score: 0, well: 0 };
    for (const { words, whole, weight } of fields) {
      const well = han ? within(word, whole) : Math.max(0, ...words.map((there) => alike(word, there)));
      if (weight * well > best.score) best = { score: weight * well, well };
    }
    return best;
  });
};

/** @param {Read[]} every @param {string} typed @returns {Entry[]} the best first */
const find = (every, typed) => {
  const looked = folded(typed.slice(0, LONGEST)).trim();
  const words = [...new Set(wordsOf(looked))];
  const scores = every.map(() => 0);
  const covered = every.map(() => 0);
  let all = 0;
  for (const word of words) {
    const found = met(every, word);
    const many = found.filter(({ well }) => well > 0).length;
    const rare = Math.log(1 + every.length / (1 + many)) * (IS_HAN.test(word) ? word.length : 1);
    all += rare;
    for (const [at, { score, well }] of found.entries()) {
      scores[at] += rare * score;
      covered[at] += rare * well;
    }
  }
  return every
    .map(({ entry, fields }, at) => {
      const [title] = fields;
      const exact = title.whole === looked ? 2 : 1;
      const asked = entry.kind === "question" ? 1.2 : 1; // of equals, what answers
      const short = 1 + 1 / (1 + wordsOf(title.whole).join("").length / 8); // of two titles that have it, the shorter
      return { entry, share: all && covered[at] / all, score: (all && (scores[at] * covered[at]) / all) * exact * asked * short };
    })
    .filter(({ share }) => share >= ENOUGH)
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST)
    .map(({ entry }) => entry);
};

/** What finds among these entries. @param {Entry[]} entries @returns {(typed: string) => Entry[]} */
export const finder = (entries) => {
  const every = entries.map((entry) => {
    const fields = /** @type {const} */ (["title", "also", "text"]).map((name) => {
      const whole = folded(entry[name] ?? "").trim();
      return { whole, words: wordsOf(whole), weight: WEIGHTS[name] };
    });
    return { entry, fields };
  });
  return (typed) => find(every, typed);
};
