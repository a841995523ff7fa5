// The control of a play: its buttons, its slider, its keys, its clock.

import { clamp } from "./indices.js";
import { partsOf } from "./order.js";
import { Play } from "./play.js";

/** @import { Moment } from "./types.d.ts" */
/** @import { Matrices } from "./matrices.js" */

const SPEEDS = [1, 2, 0.5, 0.25];
/** Where a key leads on a board or its slider. @type {Record<string, number>} */
const BY = { ",": -1, ".": 1 };
/** @type {Record<string, number>} */
const ALONG = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, ...BY };

export class Player {
  /** @param {HTMLElement} root @param {() => void} moved */
  constructor(root, moved) {
    /** @param {string} part @returns {HTMLElement} */
    const find = (part) => root.querySelector(`.matrix-${part}`);
    this.root = find("player");
    this.button = find("play");
    this.slider = /** @type {HTMLInputElement} */ (find("place"));
    this.faster = find("speed");
    this.moved = moved;
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    /** @type {Matrices | null} */
    this.matrices = null;
    /** @type {Play | null} */
    this.known = null; // made when it is asked for
    /** @type {number | null} */
    this.step = null; // null where all is there
    this.speed = SPEEDS[0];
    this.frame = 0;
    /** @type {Record<string, string>} */
    this.words = {};
    this.button.addEventListener("click", () => this.toggle());
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.faster.addEventListener("click", () => this.hurry());
    this.root.addEventListener("keydown", (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.target !== this.slider || !ALONG[event.key]) { if (!this.key(event.key)) return; }
      else this.by(ALONG[event.key]);
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /** @param {Matrices} matrices of another message @param {Record<string, string>} words */
  receive(matrices, words) {
    if (matrices !== this.matrices) {
      this.rest();
      this.matrices = matrices;
      this.known = null;
    }
    this.words = words;
    this.root.hidden = !matrices.made;
    this.root.setAttribute("aria-label", words.progress ?? "");
    this.slider.setAttribute("aria-label", words.progress ?? "");
    this.tell();
  }

  get play() {
    this.known ??= new Play(partsOf(this.matrices));
    return this.known;
  }

  get playing() {
    return this.frame !== 0;
  }

  /** What there is now; null where all is. @returns {Moment | null} */
  get moment() {
    return this.step === null ? null : this.play.at(this.step);
  }

  /** What a key on the board does; false where it is none of these. @param {string} key */
  key(key) {
    if (this.root.hidden) return false;
    if (BY[key]) this.by(BY[key]);
    else if (key === "k" || key === "K") this.toggle();
    else return false;
    return true;
  }

  toggle() {
    if (this.playing) this.pause();
    else if (this.still.matches) this.go(this.play.next(this.step ?? -1));
    else this.start();
  }

  /** From where it is, or from the beginning. */
  start() {
    if (this.root.hidden || this.playing) return;
    const { play } = this;
    let time = play.start(this.step ?? 0);
    let last = performance.now();
    /** @param {number} now */
    const tick = (now) => {
      time += Math.max(0, now - last) * this.speed;
      last = now;
      const step = play.stepAt(time);
      this.frame = step < play.steps ? requestAnimationFrame(tick) : 0;
      if (step !== this.step) this.reach(step);
    };
    this.frame = requestAnimationFrame(tick);
    this.reach(this.step ?? 0);
  }

  pause() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.tell();
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

  hurry() {
    this.speed = SPEEDS[(SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length];
    this.tell();
  }

  /** @param {number} step */
  reach(step) {
    const { steps } = this.play;
    this.step = step < steps ? step : null;
    this.root.setAttribute("data-open", "");
    this.slider.max = String(steps);
    this.slider.value = String(step);
    this.tell();
    this.moved();
  }

  /** What its buttons are called now. */
  tell() {
    const { words, button, faster } = this;
    const named = (this.playing ? words.pause : words.play) ?? "";
    this.root.dataset.state = this.playing ? "playing" : "paused";
    button.querySelector("span").textContent = named;
    button.title = `${named} (K)`;
    faster.textContent = `${this.speed}×`;
    faster.ariaLabel = `${words.speed ?? ""} ${this.speed}×`;
  }

  /** What the slider says of where it is. @param {string} text */
  say(text) {
    this.slider.setAttribute("aria-valuetext", text || (this.words.whole ?? ""));
  }
}
