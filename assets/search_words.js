// What is typed in the search, and what stands there, as words that can be compared: without endings and without the words
// that every question has; Chinese, which has no spaces, as runs of characters.

const WORDS = /\p{Script=Han}+|(?:(?!\p{Script=Han})[\p{L}\p{N}_])+/gu;
const EMPTY = new Set(
  `a an the and or of to in on at by for from with into as is are was be been being do does did done can could should would
  will have has had i im me my mine we our you your it its this that these those there here what why how when where which who
  whats so if then than but just only really very always ever every each any some all about
  between vs versus difference differ mean need use using used work get getting make made want instead keep still
  happen happens forget forgot must non singleton got given class transformer model nn torch pytorch`.split(/\s+/),
);
const EMPTY_HAN =
  /为什么|好处|优点|缺点|优势|作用|使用|用途|用处|功能|重要|是什么|什么是|什么样|什么|怎么办|怎么样|怎么|怎样|如何|为何|哪里|哪个|哪些|多少|有没有|有什么|区别|不同|一样|意思|应该|需要|可以|到底|究竟|一直|总是|都是|还是|我的|我们|这个|那个|请问|[的了吗呢啊是和与跟及或在有要会能就也都很把被让用做里我你它]/gu;

/** Without accents and capitals; letters of full width are letters, and a root is the word for it. @param {string} text */
export const folded = (text) =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase()
    .replace(/√|根号/g, " sqrt ").replace(/n['’]t\b|(?<=\b(?:do|does|is|wo|ca))nt\b/g, " not ");
/** @param {string} text */
export const isHan = (text) => /\p{Script=Han}/u.test(text);
/** @param {string} text @returns {string[]} */
export const wordsOf = (text) => text.match(WORDS) ?? [];

/** Without its ending, so that mask, masks, masked and masking are one. @param {string} word */
export const stem = (word) => {
  if (!/^[a-z]{4,}$/.test(word)) return word;
  const rest = word
    .replace(/(?<=[a-z]{3})iz(?=e|ing|ation)/, "is")
    .replace(/ies$/, "y")
    .replace(/(ss|sh|ch|x)es$|([^suia])s$/, "$1$2")
    .replace(/(?<=[a-z]{3})(?:ing|ed|ation|ly)$/, "")
    .replace(/(?<=[a-z]{2})e$/, "");
  return rest.replace(/([bdgklmnprt])\1$/, "$1");
};

/** The words that say what is looked for; where there are none but the others all of them, or none if something else is
 * known that says it. @param {string} text @param {boolean} [known] @returns {string[]} */
export const telling = (text, known = false) => {
  const every = wordsOf(text);
  const left = every.flatMap((word) => {
    if (isHan(word)) return word.replace(EMPTY_HAN, " ").split(" ").filter(Boolean);
    return EMPTY.has(word) ? [] : [word];
  });
  return [...new Set(left.length || known ? left : every)];
};

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
