// The control of a play: where on the way it is, and where its bar and the keys on the board lead.

import { Bar } from "../player/bar.js";
import { Clock } from "../player/clock.js";
import { clamp } from "./indices.js";
import { partsOf } from "./order.js";
import { Play } from "./play.js";

/** @import { Moment } from "./types.d.ts" */
/** @import { Matrices } from "./matrices.js" */

const SPEEDS = [1, 2, 0.5, 0.25];
const KEYS = { ",": -1, ".": 1, k: 0, K: 0 }; // on the board
const ALONG = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, ...KEYS }; // on the slider

export class Player {
  /** @param {HTMLElement} root @param {() => void} moved */
  constructor(root, moved) {
    /** @param {string} part @returns {HTMLElement} */
    const find = (part) => root.querySelector(`.matrix-${part}`);
    this.root = find("player");
    this.moved = moved;
    this.clock = new Clock(SPEEDS, () => this.pause());
    const led = { toggle: () => this.toggle(), step: this.by.bind(this), scrub: this.go.bind(this) };
    this.bar = new Bar(this.root, find, this.clock, led);
    /** @type {Matrices | null} */
    this.matrices = null;
    /** @type {Play | null} */
    this.known = null; // made when it is asked for
    /** @type {number | null} */
    this.step = null; // null where all is there
    this.whole = ""; // what the slider says then
    this.root.addEventListener("keydown", (event) => {
      const keys = event.target === this.bar.slider ? ALONG : KEYS;
      if (this.bar.press(event, keys)) event.stopPropagation();
    });
  }

  /** @param {Matrices} matrices of another message @param {Record<string, string>} words */
  receive(matrices, words) {
    if (matrices !== this.matrices) {
      this.rest();
      this.matrices = matrices;
      this.known = null;
    }
    this.whole = words.whole ?? "";
    this.root.hidden = !matrices.made;
    this.root.setAttribute("aria-label", words.progress ?? "");
    this.bar.name(words, { place: words.progress, key: "K" });
  }

  get play() {
    this.known ??= new Play(partsOf(this.matrices));
    return this.known;
  }

  get playing() {
    return this.clock.playing;
  }

  /** What there is now; null where all is. @returns {Moment | null} */
  get moment() {
    return this.step === null ? null : this.play.at(this.step);
  }

  /** What a key on the board does; false where it is none of these. @param {KeyboardEvent} event */
  key(event) {
    return !this.root.hidden && this.bar.press(event, KEYS);
  }

  toggle() {
    if (this.playing) this.pause();
    else if (this.clock.still) this.go(this.play.next(this.step ?? -1));
    else this.start();
  }

  /** From where it is, or from the beginning. */
  start() {
    if (this.root.hidden || this.playing) return;
    const { play } = this;
    const begins = play.start(this.step ?? 0);
    this.clock.playing = true;
    this.clock.run((passed) => {
      const step = play.stepAt(begins + passed);
      if (step === play.steps) this.pause();
      if (step !== this.step) this.reach(step);
    });
    this.reach(this.step ?? 0);
  }

  pause() {
    this.clock.stop();
    this.clock.playing = false;
    this.bar.tell();
  }

  /** To a step, and there it stays. @param {number} step */
  go(step) {
    this.pause();
    this.reach(clamp(step, this.play.steps + 1));
  }

  /** @param {number} steps */
  by(steps) {
    if (this.step !== null) this.go(this.step + steps);
    else this.go(steps > 0 ? 0 : this.play.steps + steps);
  }

  /** As far as a part of all of it, 0 to 1. @param {number} part */
  show(part) {
    if (!this.root.hidden) this.go(Math.round(part * this.play.steps));
  }

  /** All is there, and the control as small as before. */
  end() {
    if (!this.open) return;
    this.rest();
    this.moved();
  }

  rest() {
    this.pause();
    this.root.removeAttribute("data-open");
    this.step = null;
  }

  get open() {
    return this.root.hasAttribute("data-open");
  }

  /** @param {number} step */
  reach(step) {
    const { steps } = this.play;
    this.step = step < steps ? step : null;
    this.root.setAttribute("data-open", "");
    this.bar.slider.max = String(steps);
    this.bar.slider.value = String(step);
    this.bar.tell();
    this.moved();
  }

  /** What the slider says of where it is. @param {string} text */
  say(text) {
    this.bar.slider.setAttribute("aria-valuetext", text || this.whole);
  }
}
