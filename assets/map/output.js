// What the model writes, in large letters, each word above what it means in the reader's language.

import { comeUp, halt } from "./motion.js";

/** @import { Line } from "./types.d.ts" */

export class Output {
  /** @param {HTMLElement} home */
  constructor(home) {
    this.home = home;
  }

  /** @param {Line} line @param {string} name */
  update({ tokens, glosses }, name) {
    const heading = document.createElement("div");
    heading.className = "output-name";
    heading.textContent = name;
    this.words = tokens.map((token, at) => {
      const word = document.createElement("div");
      word.className = "output-word";
      for (const [kind, text] of [["written", token], ["gloss", glosses[at] ?? ""]]) {
        const part = document.createElement("span");
        part.className = kind;
        part.textContent = text;
        word.append(part);
      }
      return word;
    });
    this.home.style.setProperty("--many", String(Math.max(1, tokens.length / 10)));
    this.home.classList.toggle("glossed", glosses.some(Boolean));
    this.home.replaceChildren(...(tokens.length ? [heading, ...this.words] : []));
  }

  /** @param {number} count of words that are written @param {number} now the turn that writes, 0 for none @param {number} milliseconds @param {number} begins part of that time after which its word comes up */
  show(count, now, milliseconds, begins) {
    for (const [at, word] of this.words.entries()) {
      halt(word);
      word.classList.toggle("shown", at < count);
      word.classList.toggle("now", at + 1 === now);
    }
    if (now && milliseconds) comeUp(this.words[now - 1], 0, milliseconds, begins);
  }
}
