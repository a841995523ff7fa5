import { deepEqual, equal } from "node:assert/strict";
import { finder } from "../../assets/search_ranking.js";
import { folded, stem, telling } from "../../assets/search_words.js";

const entry = (title, more = {}) => ({ kind: "section", title, text: "", ...more });
const titles = (entries, synonyms, typed) => finder({ entries, synonyms })(typed).map(({ title }) => title);

Deno.test("a word is one word with all its endings", () => {
  for (const words of [
    ["mask", "masks", "masked", "masking"], ["scale", "scales", "scaled", "scaling"], ["stop", "stops", "stopped", "stopping"],
    ["normalise", "normalize", "normalised", "normalization"], ["query", "queries"], ["loss", "losses"], ["bias", "biases"],
  ]) deepEqual([...new Set(words.map(stem))].length, 1, words.join());
});

Deno.test("words that differ in more than an ending stay two", () => {
  for (const [one, other] of [["axis", "ax"], ["loss", "los"], ["d_ks", "d_k"], ["bias", "bia"]]) {
    equal(stem(one) === stem(other), false, one);
  }
});

Deno.test("what every question has says nothing, but where there is nothing else", () => {
  deepEqual(telling("why is the softmax so flat"), ["softmax", "flat"]);
  deepEqual(telling("what is it"), ["what", "is", "it"]);
  deepEqual(telling("what is it", true), []);
  deepEqual(telling("残差连接和归一化的作用是什么"), ["残差连接", "归一化"]);
});

Deno.test("capitals, accents, full width and roots are told apart by nobody", () => {
  equal(folded("Sóftmax ＫＶ √d 根号d"), "softmax kv  sqrt d  sqrt d");
  equal(folded("It doesn't; DOESNT"), "it does not ; does not ");
});

Deno.test("who looks for a synonym finds what it is called here, in any order and with any ending", () => {
  const found = [[entry("Residual connection"), entry("Connection to a server")], [["residual connection", "skip connection", "子层连接"]]];
  for (const typed of ["skip connection", "connections that skip", "子层连接", "子层连接是什么"]) {
    equal(titles(...found, typed)[0], "Residual connection", typed);
  }
});

Deno.test("a name in parts is found by its parts", () => {
  deepEqual(titles([entry("The batch comes first"), entry("Positions")], [], "batch_first"), ["The batch comes first"]);
});

Deno.test("a longer name is taken before one that is in it", () => {
  const entries = [entry("填充掩码"), entry("嵌入"), entry("掩码")];
  equal(titles(entries, [["掩码", "遮掩"], ["填充掩码", "填充遮掩"]], "填充遮掩")[0], "填充掩码");
});

Deno.test("a text is found with its section, and shown", () => {
  const section = entry("Wavelengths", { text: "Positions", section: "waves", says: ["A fast pair repeats soon.", "Toeplitz matrices have equal diagonals."] });
  const [one, ...others] = finder({ entries: [section], synonyms: [] })("toeplitz");
  deepEqual([one.title, one.text, others], ["Wavelengths", "Positions · Toeplitz matrices have equal diagonals.", []]);
});

Deno.test("a slip is allowed for in titles, and not in texts", () => {
  equal(titles([entry("Dropout"), entry("Layers", { says: ["dropout"] })], [], "drpoout").join(), "Dropout");
});

Deno.test("of a long sentence a little is enough where nothing has more, but a slip is not", () => {
  const entries = [entry("Dropout"), ...Array.from({ length: 99 }, (_, at) => entry(`Section ${at}`))];
  deepEqual(titles(entries, [], "yesterday somebody dropout breaks everything"), ["Dropout"]);
  deepEqual(titles(entries, [], "yesterday somebody drpoout breaks everything"), []);
});

Deno.test("a number that stands nowhere says nothing, and one that is there little", () => {
  const entries = [entry("Shapes of tensors"), entry("Step 4")];
  deepEqual(titles(entries, [], "tensors 10 11 3 17 29 51"), ["Shapes of tensors"]);
  equal(titles(entries, [], "tensors 4")[0], "Shapes of tensors");
});

Deno.test("a piece of another name that says nothing is no name", () => {
  const entries = [entry("RNN"), entry("GPT", { also: "它 的区别" })];
  deepEqual(titles(entries, [], "RNN 的区别"), ["RNN"]);
});

Deno.test("whatever is typed is harmless", () => {
  const find = finder({ entries: [entry("constructor"), entry("掩码")], synonyms: [["掩码", "mask"]] });
  for (const typed of ["", "\0", "<b>", "[".repeat(10_000), "_".repeat(10_000), "掩".repeat(10_000), "a_b ".repeat(5_000), "\ud83d", "قناع маска 掩码"]) {
    equal(Array.isArray(find(typed)), true);
  }
  deepEqual(find("__proto__ toString hasOwnProperty"), []);
});
