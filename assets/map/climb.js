// The words themselves, on their way through the figure: up from block to block, from the encoder to the decoder, out at
// the top, and back in below.

import { lay } from "./line.js";
import { along, comeUp, corners, halt } from "./motion.js";
import { levelsOf, sceneAt } from "./scene.js";
import { rowsOf, Threads } from "./threads.js";

/** @import { Box, Laid, Line, MapMessage, Point } from "./types.d.ts" */
/** @import { Story } from "./story.js" */
/** A word is a place, and the letters in its middle. @typedef {HTMLElement[]} Row */

const WIDER = 12; // than a block, on either side: the room of a line of words
const SMALLEST = 9.2; // pixels of a letter that can be read
const LARGEST = 12.5; // and in units of the drawing, where it is large
const PADDING = 0.6; // of a word, in sizes of a letter
const LANE = 1.28; // from line to line
/** @type {Point} */
const OUT = [546, 53]; // where a word that has been written drops out
const EDGE = 572; // on which it falls
export const PARTS = { falls: 0.8, again: 0.35, arrives: 0.55, threads: 0.5, out: 0.78 }; // of a moment

export class Climb {
  /** @param {HTMLElement} home */
  constructor(home) {
    this.home = home;
    this.rows = /** @type {HTMLElement} */ (home.querySelector(".map-rows"));
    this.svg = /** @type {SVGElement} */ (home.querySelector(".map-threads"));
    this.threads = new Threads(this.svg);
    this.brush = document.createElement("canvas").getContext("2d");
    this.moment = 0;
    this.unit = 0;
    new ResizeObserver(() => this.unit !== this.measured() && this.story && this.fit()).observe(home);
  }

  /**
   * @param {MapMessage} data @param {Story} story @param {Box[]} boxes of the blocks
   * @param {string} memory corners of the way from the encoder to the decoder @param {number} height of the drawing
   */
  update(data, story, boxes, memory, height) {
    this.data = data;
    this.story = story;
    this.boxes = boxes;
    this.height = height;
    this.memory = corners(memory);
    this.levels = levelsOf(boxes, story);
    const longest = Math.max(data.source.tokens.length, data.read.tokens.length);
    /** @type {Record<"source" | "read" | "keys" | "out", Row>} */
    this.words = {
      source: row("encoder", data.source),
      read: row("decoder", data.read),
      keys: row("key", { tokens: Array(longest).fill(""), glosses: [], unknown: [] }),
      out: row("decoder hero", { tokens: [""], glosses: [], unknown: [] }),
    };
    this.rows.replaceChildren(...this.words.keys, ...this.words.source, ...this.words.read, ...this.words.out);
    this.svg.setAttribute("viewBox", `0 0 ${data.width} ${height}`);
    this.moment = 0;
    this.fit();
  }

  measured() {
    return this.home.clientWidth / (this.data?.width ?? 1);
  }

  // Words as large as there is room for, by the size that the figure has on the screen
  fit() {
    this.unit = this.measured();
    if (!this.unit) return;
    const { source, read } = this.data;
    /** @type {Record<"source" | "read", number[]>} */
    const widths = { source: this.widths(source), read: this.widths(read) };
    const least = Math.min(...[widths.source, widths.read].map((line) => this.laidOut(line).size || Infinity));
    const size = Number.isFinite(least) ? least : 0;
    /** @type {Record<"source" | "read", Laid>} */
    this.laid = { source: this.laidOut(widths.source, size), read: this.laidOut(widths.read, size) };
    this.home.style.setProperty("--word", `${(100 * (size || this.largest())) / this.data.width}cqw`);
    this.home.toggleAttribute("data-lines", Object.values(this.laid).some(({ lanes }) => lanes > 1));
    for (const line of /** @type {const} */ (["source", "read"]))
      for (const word of this.words[line]) word.classList.toggle("dot", !this.laid[line].size);
    this.show(this.moment);
  }

  /** @param {number[]} widths @param {number} [largest] @returns {Laid} */
  laidOut(widths, largest = this.largest()) {
    const room = this.boxes[0].width + 2 * WIDER;
    if (!widths.length) return { x: [], lane: [], lanes: 1, size: largest };
    return lay(widths, room, SMALLEST / this.unit, largest || this.largest());
  }

  largest() {
    return Math.max(LARGEST, LARGEST / this.unit);
  }

  /** In sizes of a letter. @param {Line} line */
  widths({ tokens }) {
    this.brush.font = `600 100px ${getComputedStyle(this.home).fontFamily}`;
    return tokens.map((token) => this.brush.measureText(token).width / 100 + PADDING);
  }

  /** In the drawing. @param {"source" | "read"} line @param {"encoder" | "decoder"} side @param {number} at @param {number} y @returns {Point} */
  place(line, side, at, y) {
    const { x, lane, lanes, size } = this.laid[line];
    const { encoder, decoder } = this.story;
    const left = this.boxes[side === "encoder" ? encoder[0] : decoder[0]].left - WIDER;
    const above = y === this.levels.input[side] ? 0 : (lanes - 1) / 2; // below the blocks, lines go on downwards
    return [left + x[at], y + (lane[at] - above) * LANE * size];
  }

  /** @param {number} moment @param {number} [milliseconds] from the moment before, if it is to be seen */
  show(moment, milliseconds = 0) {
    this.moment = moment;
    if (!this.laid) return;
    const { story, levels, words } = this;
    const scene = sceneAt(story, levels, moment);
    const before = milliseconds ? sceneAt(story, levels, moment - 1) : scene;
    const later = story.isTurn(moment);
    const hero = this.heroes(moment);
    for (const word of this.rows.children) halt(word);

    for (const [at, word] of words.source.entries()) {
      const there = this.place("source", "encoder", at, scene.source);
      this.put(word, there, at === hero.query && scene.keys?.side === "encoder");
      if (before.source !== scene.source && story.at(moment).block !== undefined)
        this.go(word, [this.place("source", "encoder", at, before.source), there], milliseconds);
    }
    for (const [at, word] of words.read.entries()) {
      if (at >= scene.read.count) {
        this.hide(word);
        continue;
      }
      const there = this.place("read", "decoder", at, scene.read.y);
      this.put(word, there, at === hero.query && scene.keys?.side === "decoder");
      if (!milliseconds || story.at(moment).block === undefined) continue;
      const start = this.place("read", "decoder", at, levels.input.decoder);
      if (later && at === scene.read.count - 1)
        this.go(word, [OUT, [EDGE, OUT[1]], [EDGE, start[1]], start, there], milliseconds, { until: PARTS.falls });
      else if (later) this.go(word, [start, there], milliseconds, { from: PARTS.again, until: PARTS.falls, appears: true });
      else if (!before.read.count) this.go(word, [start, there], milliseconds);
      else this.go(word, [this.place("read", "decoder", at, before.read.y), there], milliseconds);
    }
    this.collect(scene, hero, milliseconds, later);
    this.drop(scene.out, milliseconds);
  }

  /**
   * The words that others collect from, and the threads between them.
   * @param {ReturnType<typeof sceneAt>} scene @param {{query: number, key: number}} hero @param {number} milliseconds @param {boolean} later
   */
  collect({ keys, source, read }, hero, milliseconds, later) {
    const { words, data, story } = this;
    const { block } = story.at(this.moment);
    const found = keys && data.threads.find((threads) => threads.block === block);
    this.home.classList.toggle("collecting", !!keys);
    halt(this.svg);
    if (!keys || !found) {
      for (const word of words.keys) this.hide(word);
      this.threads.clear();
      return;
    }
    const { tokens } = data[keys.line];
    const count = Math.min(tokens.length, keys.count);
    const from = tokens.slice(0, count).map((_, at) => this.place(keys.line, keys.side, at, keys.y));
    for (const [at, word] of words.keys.entries()) {
      if (at >= count) {
        this.hide(word);
        continue;
      }
      word.firstElementChild.textContent = tokens[at];
      word.className = `map-word key ${keys.line === "source" ? "encoder" : "decoder"}${this.laid[keys.line].size ? "" : " dot"}`;
      this.put(word, from[at], at === hero.key);
      if (!milliseconds || later || block !== story.cross) continue;
      const start = this.place("source", "encoder", at, source);
      const way = /** @type {Point[]} */ ([start, [start[0], this.memory[1][1]], this.memory[2], [this.memory[3][0], keys.y], from[at]]);
      this.go(word, way, milliseconds, { until: PARTS.arrives });
    }
    const side = keys.side;
    const line = side === "encoder" ? "source" : "read";
    const queries = rowsOf(found)
      .map((weights, at) => ({ weights, at }))
      .filter(({ at }) => side === "encoder" || at === read.count - 1);
    this.threads.show(
      queries.map(({ weights, at }) => ({
        weights,
        from,
        to: this.place(line, side, at, side === "encoder" ? source : read.y),
        side: keys.line === "source" ? "encoder" : "decoder",
        quiet: side === "encoder" && hero.query >= 0 && at !== hero.query,
      })),
    );
    if (milliseconds) comeUp(this.svg, 0, milliseconds, PARTS.threads);
  }

  /** The word of a turn comes out. @param {number} turn, 0 for none @param {number} milliseconds */
  drop(turn, milliseconds) {
    const [word] = this.words.out;
    if (!turn) return this.hide(word);
    word.firstElementChild.textContent = this.data.wrote.tokens[turn - 1];
    this.put(word, OUT, true);
    if (milliseconds) comeUp(word, 0, milliseconds, PARTS.out);
  }

  /** Whom the sentence of a moment tells of: by their places, −1 for nobody. @param {number} moment */
  heroes(moment) {
    const { turn, block } = this.story.at(moment);
    const found = this.data.threads.find((threads) => threads.block === block);
    const [query, key] = found?.told[Math.max(0, turn - 1)] ?? [-1, -1];
    return { query, key };
  }

  /** @param {HTMLElement} word @param {Point} place @param {boolean} hero */
  put(word, [x, y], hero) {
    word.style.cssText = `left:${((100 * x) / this.data.width).toFixed(2)}%;top:${((100 * y) / this.height).toFixed(2)}%`;
    word.classList.toggle("hero", hero);
  }

  /** @param {HTMLElement} word */
  hide(word) {
    word.style.cssText = "visibility:hidden";
  }

  /** @param {HTMLElement} word @param {Point[]} way @param {number} milliseconds @param {Parameters<typeof along>[3]} [when] */
  go(word, way, milliseconds, when) {
    if (milliseconds)
      along(word, way.map(([x, y]) => /** @type {Point} */ ([x * this.unit, y * this.unit])), milliseconds, when);
  }
}

/** @param {string} kind @param {Line} line @returns {Row} */
function row(kind, { tokens, unknown }) {
  return tokens.map((token, at) => {
    const word = document.createElement("div");
    word.className = `map-word ${kind}${unknown[at] ? " unknown" : ""}`;
    const letters = document.createElement("span");
    letters.textContent = token;
    word.append(letters);
    return word;
  });
}
