// The player: where it is, its buttons and keys, and what the page shows at that moment.

import { draw } from "../drawing.js";
import { Motion } from "./motion.js";
import { Pictures } from "./pictures.js";
import { Story } from "./story.js";

/** @import { MapMessage } from "./types.d.ts" */

const SPEEDS = [1, 2, 4, 0.5];
const PATIENCE = 900; // milliseconds before it plays by itself, once

export class Player {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @param {string} name @returns {HTMLElement} */
    this.find = (name) => root.querySelector(name);
    this.figure = this.find(".figure-one");
    this.slider = /** @type {HTMLInputElement} */ (this.find(".player-place"));
    this.status = this.find(".player-status");
        this.motion = new Motion(this.find(".map-dots"));
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.moment = 0;
    this.playing = false;
    /** @type {number | undefined} */
    this.timer = undefined;
    /** @type {MapMessage | null} */
    this.data = null;
    /** @type {number | undefined} */
    this.pointed = undefined; // the block
    this.speed = SPEEDS[0];
    this.listen();
  }

  /** What is drawn stays where it is, unless it is about another sentence or model. @param {MapMessage} data */
  update(data) {
    const { svg, sentence, bytes } = this.data ?? {};
    if (svg === data.svg && sentence === data.sentence && bytes === data.bytes) return this.pictures.dress();
    this.data = data;
    this.story = new Story(data);
    this.pointed = undefined; // its blocks are drawn anew
    draw(this.find(".map-drawing"), data.svg);
    draw(this.find(".map-sentence"), data.sentence);
    const { width, height } = /** @type {SVGSVGElement} */ (this.root.querySelector(".map-drawing svg")).viewBox.baseVal;
    this.pictures = new Pictures(this.find(".map-pictures"), data, [width, height]);
    this.blocks = /** @type {HTMLElement[]} */ ([...this.figure.querySelectorAll(".block")]);
    this.arrows = /** @type {SVGElement[]} */ ([...this.figure.querySelectorAll(".arrow")]);
    this.heading = this.find(".aside.probabilities");
    this.unsaid = this.heading.textContent;
    this.name();
    this.pictures.dress();
    if (bytes === data.bytes) return this.show(this.moment);
    this.pause();
    this.show(this.story.last);
    this.begin();
  }

  // A newcomer sees it once; who comes back, or wants no motion, sees the whole
  begin() {
    if (this.still.matches || window.mapPlayed === this.data.bytes) return;
    window.mapPlayed = this.data.bytes;
    this.show(0);
    const start = () =>
      document.hidden ? document.addEventListener("visibilitychange", start, { once: true }) : this.play();
    this.timer = setTimeout(start, PATIENCE);
  }

  name() {
    const { words } = this.data;
    this.find(".player").setAttribute("aria-label", words.player);
    this.find(".map-note").textContent = words.note;
    this.slider.max = String(this.story.last);
    this.slider.setAttribute("aria-label", words.place);
    for (const button of ["back", "on"]) {
      this.find(`.player-${button}`).ariaLabel = words[button];
      this.find(`.player-${button}`).title = words[button];
    }
    this.tell();
  }

  // The words on its buttons
  tell() {
    const { words } = this.data;
    this.root.dataset.state = this.playing ? "playing" : "paused";
    this.find(".player-play span").textContent = this.playing ? words.pause : words.play;
    this.find(".player-speed").textContent = `${this.speed}×`;
    this.find(".player-speed").ariaLabel = `${words.speed} ${this.speed}×`;
    this.status.ariaLive = this.playing ? "off" : "polite";
  }

  listen() {
    const player = this.find(".player");
    this.still.onchange = () => this.still.matches && this.pause();
    this.find(".player-play").onclick = () => (this.playing ? this.pause() : this.play());
    this.find(".player-back").onclick = () => this.step(-1);
    this.find(".player-on").onclick = () => this.step(1);
    this.find(".player-speed").onclick = () => {
      this.speed = SPEEDS[(SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length];
      this.tell();
    };
    this.slider.oninput = () => {
      this.pause();
      this.show(Number(this.slider.value));
    };
    player.onkeydown = (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const pressed = event.key === " " && /** @type {Element} */ (event.target).tagName !== "BUTTON";
      if ((!by && !pressed) || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      if (by) this.step(by);
      else this.find(".player-play").click();
    };
    for (const pointed of ["pointerover", "focusin", "pointerleave", "focusout"])
      this.figure.addEventListener(pointed, ({ type, target }) => {
        this.look(/over|in/.test(type) ? blockOf(target) : undefined);
      });
  }

  play() {
    if (this.still.matches) return this.step(1);
    clearTimeout(this.timer);
    if (this.moment === this.story.last) this.show(0);
    this.playing = true;
    this.tell();
    this.tick();
  }

  tick() {
    const next = this.moment + 1;
    const milliseconds = this.story.duration(next) / this.speed;
    this.show(next, milliseconds);
    if (next === this.story.last) this.pause();
    else this.timer = setTimeout(() => this.tick(), milliseconds);
  }

  pause() {
    clearTimeout(this.timer);
    this.playing = false;
    this.tell();
  }

  /** @param {number} by moments */
  step(by) {
    this.pause();
    const to = Math.min(this.story.last, Math.max(0, this.moment + by));
    this.show(to, by > 0 && !this.still.matches ? 400 : 0);
  }

  /** @param {number} moment */
  show(moment, milliseconds = 0) {
    const { story, data } = this;
    const { turn, block } = story.at(moment);
    this.moment = moment;
    this.root.dataset.moment = String(moment);
    const moved = data.pictures.map((_, index) => this.pictures.show(index, story.rows(index, moment)));
    for (const [index, link] of this.blocks.entries()) link.classList.toggle("lit", index === block);
    for (const arrow of this.arrows) arrow.classList.toggle("lit", this.leads(arrow, turn, block));
    const words = story.words(moment);
    const written = block === story.decoder.at(-1) && turn > 0;
    this.heading.textContent = written ? data.turns[turn - 1][1] : this.unsaid;
    this.heading.classList.toggle("lit", written);
    this.light(moment, turn, block, words);
    this.slider.value = String(moment);
    this.say();
    if (!milliseconds || block === undefined) return;
    if (moved[block]) this.motion.comeUp(this.pictures.listed[block].canvas, turn < 2 ? 0 : 0.4, milliseconds);
    const arrows = this.arrows.filter((arrow) => arrow.classList.contains("lit"));
    const word = turn > 1 ? data.turns[turn - 2][0] : "";
    this.motion.send(arrows, data.pictures[block].side, word, data.width, milliseconds);
  }

  /**
   * Whether an arrow is on the way: the decoder's input comes from below in the first turn, then from its own output.
   * @param {SVGElement} arrow @param {number} turn @param {number | undefined} block
   */
  leads(arrow, turn, block) {
    if (arrow.dataset.end !== String(block)) return false;
    if (block !== this.story.decoder[0]) return true;
    return arrow.classList.contains("again") === turn > 1;
  }

  /** @param {number} moment @param {number} turn @param {number | undefined} block @param {number} words */
  light(moment, turn, block, words) {
    const sentence = this.find(".map-sentence");
    const looks = this.story.looks(moment);
    sentence.classList.toggle("read", moment > 0);
    sentence.classList.toggle("whole", block === undefined);
    for (const part of /** @type {NodeListOf<SVGElement>} */ (sentence.querySelectorAll("[data-turn]"))) {
      const own = Number(part.dataset.turn);
      part.classList.toggle("shown", own <= (part.tagName === "line" ? looks : words));
      part.classList.toggle("now", block !== undefined && own === turn);
    }
  }

  // The line under the slider is about the block that is pointed at, or else the one at work, the slider about that one
  say() {
    const { block } = this.story.at(this.moment);
    const lines = this.lines(this.pointed ?? block);
    for (const [at, part] of [...this.status.children].entries()) part.textContent = lines[at];
    this.slider.setAttribute("aria-valuetext", this.lines(block).slice(0, 2).filter(Boolean).join(", "));
  }

  /**
   * Of a block; before its first turn the decoder is spoken of as it is in the last.
   * @param {number | undefined} index
   */
  lines(index) {
    const { words, told, pictures } = this.data;
    if (index === undefined) return ["", words.rest, "", ""];
    const turn = String(this.story.at(this.moment).turn || this.story.turns);
    const when = pictures[index].side === "encoder" ? words.encoder : words.turn.replace("{turn}", turn);
    return [when, ...told[index].map((line) => line.replaceAll("{t}", turn))];
  }

  /** Lights what goes in and out of a block, whatever is at work meanwhile. @param {number | undefined} index */
  look(index) {
    this.pointed = index;
    for (const arrow of this.arrows) {
      arrow.classList.toggle("in", index !== undefined && arrow.dataset.end === String(index));
      arrow.classList.toggle("out", index !== undefined && arrow.dataset.start === String(index));
    }
    this.say();
  }
}

/** The number of the block that an event is about. @param {EventTarget | null} target */
export function blockOf(target) {
  const block = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest(".block"));
  return block ? Number(block.dataset.block) : undefined;
}
