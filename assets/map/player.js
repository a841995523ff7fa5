// The player: where it is, its buttons and keys, and what the page shows at that moment.

import { draw } from "../drawing.js";
import { onFirstVisit } from "../first_visit.js";
import { Bar } from "../player/bar.js";
import { Clock } from "../player/clock.js";
import { Climb, PARTS } from "./climb.js";
import { comeUp, halt } from "./motion.js";
import { Output } from "./output.js";
import { Pictures } from "./pictures.js";
import { Story } from "./story.js";

/** @import { MapMessage } from "./types.d.ts" */

const SPEEDS = [1, 2, 4, 0.5];
const STEP = 700; // milliseconds of a single step
const BEHIND = 0.3; // opacity of a picture behind threads

export class Player {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @param {string} name @returns {HTMLElement} */
    this.find = (name) => root.querySelector(name);
    this.figure = this.find(".figure-one");
    this.clock = new Clock(SPEEDS, () => this.pause());
    const status = this.find(".player-status");
    this.bar = new Bar(root, (part) => this.find(`.player-${part}`), this.clock, this, status);
    this.climb = new Climb(this.find(".map-climb"));
    this.output = new Output(this.find(".map-output"));
    this.moment = 0;
    /** @type {MapMessage | null} */
    this.data = null;
    /** @type {number | undefined} */
    this.pointed = undefined; // the block
    this.stay = () => {}; // it does not begin by itself any more
    this.listen();
  }

  /** What is drawn stays where it is, unless it is about another sentence or model. @param {MapMessage} data */
  update(data) {
    const { svg, sentence, bytes, beats } = this.data ?? {};
    const same = svg === data.svg && sentence === data.sentence && bytes === data.bytes;
    if (same && String(beats) === String(data.beats)) return this.pictures.dress();
    this.data = data;
    this.story = new Story(data);
    this.pointed = undefined; // its blocks are drawn anew
    draw(this.find(".map-drawing"), data.svg);
    draw(this.find(".map-sentence"), data.sentence);
    const { width, height } = /** @type {SVGSVGElement} */ (this.root.querySelector(".map-drawing svg")).viewBox.baseVal;
    this.pictures = new Pictures(this.find(".map-pictures"), data, [width, height]);
    this.blocks = /** @type {HTMLElement[]} */ ([...this.figure.querySelectorAll(".block")]);
    this.arrows = /** @type {SVGElement[]} */ ([...this.figure.querySelectorAll(".arrow")]);
    const boxes = this.blocks.map((block) => boxOf(block.querySelector(".paper")));
    this.climb.update(data, this.story, boxes, this.find(".arrow.memory").getAttribute("points"), height);
    this.output.update(data.wrote, data.words.wrote);
    this.heading = this.find(".aside.probabilities");
    this.unsaid = this.heading.textContent;
    this.name();
    this.pictures.dress();
    if (bytes === data.bytes) return this.show(Math.min(this.moment, this.story.last));
    this.show(this.story.last);
    this.leave();
    if (this.story.last) this.stay = onFirstVisit(this.root, () => this.play());
  }

  leave() {
    this.stay();
    this.pause();
  }

  name() {
    const { words } = this.data;
    this.find(".player").setAttribute("aria-label", words.player);
    this.find(".map-note").textContent = words.note;
    this.bar.slider.max = String(this.story.last);
    for (const control of /** @type {NodeListOf<HTMLButtonElement>} */ (this.root.querySelectorAll(".player :is(button, input)")))
      control.disabled = !this.story.last;
    this.bar.name(words);
  }

  listen() {
    this.find(".player").onkeydown = (event) => void this.bar.press(event);
    for (const pointed of ["pointerover", "focusin", "pointerleave", "focusout"])
      this.figure.addEventListener(pointed, ({ type, target }) => {
        this.look(/over|in/.test(type) ? blockOf(target) : undefined);
      });
  }

  toggle() {
    if (this.clock.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.clock.still || !this.story.last) return this.step(1);
    if (this.moment === this.story.last) this.show(0);
    this.clock.playing = true;
    this.bar.tell();
    this.tick();
  }

  tick() {
    const next = this.moment + 1;
    const lasts = this.story.duration(next);
    this.show(next, lasts / this.clock.speed);
    if (next === this.story.last) this.pause();
    else this.clock.wait(lasts, () => this.tick());
  }

  pause() {
    this.clock.stop();
    this.clock.playing = false;
    this.bar.tell();
    this.say();
  }

  /** @param {number} by moments */
  step(by) {
    this.pause();
    const from = this.moment;
    const to = Math.min(this.story.last, Math.max(0, this.moment + by));
    this.show(to, to > from && !this.clock.still ? STEP : 0);
  }

  /** @param {number} to a moment */
  scrub(to) {
    this.pause();
    this.show(to);
  }

  /** @param {number} to a moment */
  show(to, milliseconds = 0) {
    const { story, data } = this;
    const moment = Math.min(to, story.last);
    const { turn, block } = story.at(moment);
    this.moment = moment;
    this.root.dataset.moment = String(moment);
    const moved = data.pictures.map((_, index) => this.pictures.show(index, story.rows(index, moment)));
    for (const [index, link] of this.blocks.entries()) link.classList.toggle("lit", index === block);
    for (const arrow of this.arrows) arrow.classList.toggle("lit", this.leads(arrow, turn, block));
    const words = story.words(moment);
    const now = block === undefined ? 0 : turn;
    const written = story.isTurn(moment) || block === story.decoder.at(-1);
    this.heading.textContent = written ? data.turns[turn - 1][1] : this.unsaid;
    this.heading.classList.toggle("lit", written);
    this.light(moment, now, words);
    halt(this.heading);
    if (written && milliseconds) comeUp(this.heading, 0, milliseconds, PARTS.out);
    this.output.show(words, written ? now : 0, milliseconds, PARTS.out);
    this.climb.show(moment, milliseconds);
    const behind = story.attention.has(block) ? BEHIND : 1;
    for (const [index, { canvas }] of this.pictures.listed.entries())
      canvas.style.opacity = index === block ? String(behind) : "";
    this.bar.slider.value = String(moment);
    this.say();
    if (milliseconds && block !== undefined && moved[block] && turn < 2)
      comeUp(this.pictures.listed[block].canvas, 0, milliseconds, undefined, behind);
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

  /** @param {number} moment @param {number} now the turn at work @param {number} words */
  light(moment, now, words) {
    const sentence = this.find(".map-sentence");
    const looks = this.story.looks(moment);
    sentence.classList.toggle("read", moment > 0);
    sentence.classList.toggle("whole", !now);
    for (const part of /** @type {NodeListOf<SVGElement>} */ (sentence.querySelectorAll("[data-turn]"))) {
      const own = Number(part.dataset.turn);
      part.classList.toggle("shown", own <= (part.tagName === "line" ? looks : words));
      part.classList.toggle("now", own === now);
    }
  }

  // The lines under the slider are about the block that is pointed at, or else the one at work, the slider about that one
  say() {
    const { when, told, tale } = this.lines(this.pointed);
    const tells = this.find(".player-tale");
    if (tells.dataset.tale !== tale) draw(tells, (tells.dataset.tale = tale));
    for (const [at, part] of [...this.find(".player-small").children].entries()) part.textContent = [when, ...told][at];
    const own = this.pointed === undefined ? { when, told } : this.lines(undefined);
    this.bar.slider.setAttribute("aria-valuetext", [own.when, own.told[0]].filter(Boolean).join(", "));
  }

  /**
   * What is said of the block that is pointed at, as things are at this moment; or of the moment.
   * @param {number | undefined} pointed
   */
  lines(pointed) {
    const { story, moment, data } = this;
    const { turn, block } = story.at(moment);
    const index = pointed ?? block;
    const said = data.beats[this.clock.playing ? story.tells(moment) : moment];
    if (index === undefined) return { when: "", told: ["", "", ""], tale: said };
    const [name, ...shapes] = data.told[index];
    if (!story.rows(index, moment)) return { when: data.words.waits, told: [name, "", ""], tale: "" };
    const encodes = data.pictures[index].side === "encoder";
    const own = pointed === undefined || pointed === block;
    return {
      when: encodes ? data.words.encoder : data.words.turn.replace("{turn}", String(turn)),
      told: [name, ...shapes.map((line) => line.replaceAll("{t}", String(turn)))],
      tale: own ? said : encodes || turn < 2 ? data.beats[index + 1] : data.still[index],
    };
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

/** @param {Element} rect @returns {import("./types.d.ts").Box} */
function boxOf(rect) {
  const [left, top, width, height] = ["x", "y", "width", "height"].map((name) => Number(rect.getAttribute(name)));
  return { left, top, width, height };
}

/** The number of the block that an event is about. @param {EventTarget | null} target */
export function blockOf(target) {
  const block = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest(".block"));
  return block ? Number(block.dataset.block) : undefined;
}
