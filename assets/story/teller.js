// Tells a story: which moment it is, its buttons and keys, and what the page shows of it.

import { modeOf } from "../colors.js";
import { onFirstVisit } from "../first_visit.js";
import { onPaper, SHARP } from "../matrix/paper.js";
import { Bar } from "../player/bar.js";
import { Clock } from "../player/clock.js";
import { Film } from "./film.js";
import { gathered, whole } from "./held.js";
import { momentsOf } from "./moments.js";
import { Stage } from "./stage.js";
import { between, eased } from "./tween.js";
import { nameParts, sentencesOf } from "./words.js";

/** @import { Cast, Moment, Read, StoryMessage } from "./types.d.ts" */
/** @typedef {(name: string, value: unknown) => void} Tell what Streamlit hears */

const PHONE = 620; // px: a narrower page has the narrow stage
const BELOW = 260; // px of the screen: the page's title, the sentence, the buttons
const AMID = 430; // px: and those of what else is on a page that tells one scene
const LEAST = 220; // px: a stage is not lower, however low the screen
const PATIENCE = 500; // ms before it begins
const SPEEDS = [1, 2, 0.5];
const STANDS = 200; // ms at a moment of a time-lapse before the server is told

export class Teller {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    /** @param {string} part @returns {HTMLElement} */
    this.find = (part) => root.querySelector(`.story-${part}`);
    this.canvas = /** @type {HTMLCanvasElement} */ (this.find("stage"));
    this.stage = new Stage(this.canvas);
    this.clock = new Clock(SPEEDS, () => this.halt());
    this.bar = new Bar(root, this.find, this.clock, this, this.find("sentences"));
    /** @type {Read | null} */
    this.data = null;
    /** @type {Moment[]} */
    this.moments = [];
    /** @type {number[]} */
    this.starts = []; // the first moment of each scene
    /** @type {number[]} */
    this.ends = []; // and the last one
    /** @type {Cast} */
    this.before = new Map();
    this.at = 0; // the moment that is shown, or on its way
    this.part = 1; // of the way to it
    this.goes = true; // on to the next beat by itself, once it is there
    /** @type {number | null} */
    this.opening = null; // the scene that Play begins with, while the poster is shown
    this.told = this.sent = ""; // the story, and its scenes as they came
    this.reported = -1; // the scene, of a time-lapse the moment
    this.fitted = "";
    /** @type {number | undefined} */
    this.standing = this.asking = undefined;
    /** @type {Tell} */
    this.setState = this.setTrigger = () => {};
    this.stay = () => {}; // it does not begin by itself any more
    this.film = new Film(this);
    this.listen();
  }

  listen() {
    this.find("take").onclick = () => {
      this.stay();
      this.pause();
      this.setTrigger("take", [this.shown, this.at - this.starts[this.shown], this.kind]);
    };
    this.root.onkeydown = (event) => {
      if (event.target !== this.bar.slider) this.bar.press(event);
    };
    this.observer = new ResizeObserver(() => this.refit());
    this.observer.observe(this.root);
  }

  /** @param {StoryMessage} data @param {Tell} setState @param {Tell} setTrigger */
  receive(data, setState, setTrigger) {
    Object.assign(this, { setState, setTrigger });
    const told = data.name || data.scenes;
    const again = told === this.told && (!data.scenes || data.scenes === this.sent);
    const scenes = again ? this.data.scenes : gathered(data);
    if (!scenes.length || !scenes.every(whole)) this.ask(data.name);
    if (!scenes.length) return; // what is there stays until they come
    const first = !this.data;
    const other = !first && told !== this.told;
    const more = !first && !other && scenes !== this.data.scenes;
    const news = data.number !== this.data?.number;
    this.data = { ...data, scenes };
    Object.assign(this, { told, sent: data.scenes });
    if (first || other || more) {
      this.read();
      this.refit(true);
    }
    this.tell();
    const { length } = this.moments;
    if (news) this.reported = data.cue >= 0 ? data.cue : data.stops ? length - 1 : 0;
    if (first && !data.stays) this.arrive(data.cue);
    else if (data.stays && (first || other)) this.show(this.ends[Math.max(0, Math.min(this.reported, this.ends.length - 1))]);
    else if (data.stays && this.opening !== null) this.show(this.at); // left at its poster
    else if (news && data.cue !== this.stand) this.go(data.cue);
    else if (other && this.opening !== null) this.open(Math.min(this.opening, this.ends.length - 1));
    else if (other) this.show(data.stops ? Math.min(this.at, length - 1) : this.ends[Math.min(this.scene, this.ends.length - 1)]);
    else if (more) this.say();
  }

  /** For the scenes of a story that are not there, once what is there is seen. @param {string} name */
  ask(name) {
    clearTimeout(this.asking);
    this.asking = setTimeout(() => this.setTrigger("lacks", name), 0);
  }

  release() {
    clearTimeout(this.asking);
    this.stay();
    this.film.release();
    this.observer.disconnect();
    this.pause();
    clearTimeout(this.standing);
    this.clock.release();
  }

  /** The scene that is told, or that is to begin. */
  get scene() {
    return this.opening ?? this.shown;
  }

  /** The scene that is on the stage. */
  get shown() {
    return this.moments[this.at]?.scene ?? 0;
  }

  /** Where the reader stands, as the server knows it: a scene, or a moment of a time-lapse. */
  get stand() {
    return this.data.stops ? this.at : this.scene;
  }

  /** What is seen of the scene where nothing moves: its end, or of a time-lapse the moment. */
  get home() {
    return this.data.stops ? this.at : this.ends[this.shown];
  }

  /** The scenes as moments, on the stage that there is room for. */
  read() {
    const { scenes, words } = this.data;
    Object.assign(this, momentsOf(scenes, this.kind));
    this.find("sentences").replaceChildren(...sentencesOf(scenes));
    nameParts(this.root, this.find, words);
    this.root.toggleAttribute("data-alone", scenes.length === 1);
    this.root.toggleAttribute("data-lapse", Boolean(this.data.stops));
    this.root.toggleAttribute("data-fixed", Boolean(this.data.fixed));
    this.bar.slider.max = String(this.moments.length - 1);
  }

  /** @returns {"wide" | "narrow"} */
  get kind() {
    return this.root.clientWidth < PHONE && !onPaper() ? "narrow" : "wide";
  }

  /** The stage as large as the page and the screen let it be. */
  refit(anew = false) {
    if (!this.data || !this.root.clientWidth) return;
    const { sizes, colors } = this.data;
    const kind = this.kind;
    if (this.fitted && kind !== this.fitted && !anew) {
      const { shown, at } = this;
      this.read(); // of another number of beats, a time-lapse apart
      this.at = this.data.stops ? at : this.ends[shown];
      this.halt();
    }
    this.fitted = kind;
    const [width, height] = sizes[kind];
    const letters = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16; // a lecture's are larger
    const below = this.starts.length > 1 ? BELOW : AMID;
    const tallest = Math.max(LEAST, innerHeight - below * letters);
    const unit = Math.min(this.root.clientWidth / width, kind === "wide" && !onPaper() ? tallest / height : Infinity);
    this.stage.dress(colors[modeOf(this.root)]);
    this.stage.fit(width, height, unit, onPaper() ? SHARP : window.devicePixelRatio || 1);
    this.paint();
  }

  paint() {
    const at = onPaper() && this.moments.length ? this.home : this.at;
    const moment = this.moments[at];
    if (!moment) return;
    const started = performance.now();
    this.stage.dress(this.data.colors[modeOf(this.root)]);
    this.stage.paint(between(this.before, moment.cast, onPaper() ? 1 : eased(this.part)));
    const took = performance.now() - started;
    this.canvas.dataset.painted = String(at);
    this.canvas.dataset.slowest = String(Math.max(took, Number(this.canvas.dataset.slowest ?? 0)));
  }

  // -------------------------------------------------------------- time

  /** The poster of the scene that is told; what was asked for plays, from the first one on. @param {number} scene */
  arrive(scene) {
    const { length } = this.ends;
    if (this.data.stops && scene >= 0) return this.show(Math.min(scene, this.moments.length - 1));
    if (scene >= 0) {
      this.open(Math.min(scene, length - 1));
      this.stay = onFirstVisit(this.root, () => this.opening === 0 && this.play());
    } else if (this.clock.still) this.show(this.ends[0]);
    else this.begin();
  }

  /** At once, as who has pressed a button to see it sees it: once it is in the tab that is looked at. */
  begin() {
    this.show(this.starts[0]);
    this.clock.playing = true;
    this.tell();
    this.clock.wait(PATIENCE, () => this.rest(0));
  }

  /** The whole frame from which Play begins with a scene: its end, or the poster of the story. @param {number} scene */
  open(scene) {
    this.show(this.ends[scene || this.data.poster]);
    this.opening = scene;
    this.say();
  }

  /** To the first beat of a scene, and through it. @param {number} scene */
  go(scene) {
    if (this.data.stops || scene < 0) return this.arrive(scene);
    const to = Math.max(0, Math.min(scene, this.starts.length - 1));
    if (this.clock.still) this.show(this.ends[to]);
    else this.glide(this.starts[to]);
  }

  /** @param {number} by scenes, or moments of a time-lapse */
  step(by) {
    if (this.data.fixed) return;
    this.pause();
    if (this.data.stops) return this.show(Math.max(0, Math.min(this.at + by, this.moments.length - 1)));
    const to = by > 0 && this.scene !== this.shown ? this.scene : this.scene + by; // which the poster has not told
    if (to < 0 || to >= this.starts.length) return;
    this.go(to);
    this.report();
  }

  /** @param {number} moment */
  scrub(moment) {
    this.pause();
    const scene = this.scene;
    this.show(moment);
    if (this.scene !== scene) this.report();
  }

  /** What is on the stage glides to this moment. @param {number} moment */
  glide(moment) {
    const now = between(this.before, this.moments[this.at].cast, eased(this.part));
    this.before = this.part < 1 ? new Map(now.map((actor) => [actor.name, actor])) : this.moments[this.at].cast;
    this.at = moment;
    this.part = 0;
    this.goes = true;
    this.opening = null;
    this.say();
    const { glide, rest } = this.moments[moment];
    this.clock.run((passed) => {
      this.part = glide ? Math.min(1, passed / glide) : 1;
      this.paint();
      if (this.part < 1) return;
      this.clock.stop();
      this.rest(rest);
    });
  }

  /** Before the next beat, which that of another scene is only while it plays. @param {number} milliseconds */
  rest(milliseconds) {
    const { last, scene } = this.moments[this.at];
    this.state();
    const { playing } = this.clock;
    if (!this.goes) return;
    if (this.at === this.moments.length - 1) {
      this.film.end(this.reading(scene));
      return this.pause();
    }
    if (last && (!playing || (this.data.scenes[scene].asks && !this.film.rolling))) return this.pause();
    this.clock.wait(last ? this.reading(scene) : milliseconds, () => {
      this.glide(this.at + 1);
      if (last) this.report();
    });
  }

  /** Time to read a scene's sentence after its last beat. @param {number} scene */
  reading(scene) {
    return 900 + 12 * this.find("sentences").children[scene].textContent.length;
  }

  /** At once. @param {number} moment */
  show(moment) {
    this.clock.stop();
    this.at = moment;
    this.part = 1;
    this.goes = true;
    this.opening = null;
    this.before = this.moments[moment].cast;
    this.say();
    this.paint();
    this.state();
  }

  /** Without motion: the end of the scene. */
  halt() {
    const { opening } = this;
    this.pause();
    if (opening === null) this.show(this.home);
    else this.open(opening);
  }

  toggle() {
    if (this.data.stays) this.setTrigger("again", true);
    else if (this.clock.playing) this.pause();
    else this.play();
  }

  play() {
    if (this.clock.still) return this.step(1);
    clearTimeout(this.standing);
    this.clock.playing = this.goes = true;
    this.tell();
    const end = this.at === this.moments.length - 1;
    if (this.opening !== null) this.glide(this.starts[this.opening]);
    else if (!end && this.part >= 1) this.glide(this.at + 1);
    else if (end) this.glide(0);
    if (!this.data.stops) this.report();
  }

  pause() {
    if (this.part >= 1) this.clock.stop(); // what is on its way arrives
    this.clock.playing = this.goes = false;
    if (this.film.rolling) this.film.stop("film_stopped");
    clearTimeout(this.standing);
    if (this.data?.stops) this.standing = setTimeout(() => this.report(), STANDS);
    this.tell();
  }

  // -------------------------------------------------------------- telling

  /** To the server, which keeps the scene, or the moment, in the link. */
  report() {
    if (this.stand === this.reported || this.data.fixed) return;
    this.reported = this.stand;
    if (this.data.stops) this.setTrigger("moment", this.at);
    else this.setState("scene", this.scene);
  }

  /** For who waits for it: the scene, whether something moves, and whether that was its last beat. */
  state() {
    const moving = this.part < 1;
    const ended = !moving && this.moments[this.at].last;
    const said = { scene: this.scene, moment: this.at, moving, ended };
    for (const [name, value] of Object.entries(said)) this.root.dataset[name] = String(value);
  }

  // The words on its buttons
  tell() {
    if (!this.data) return;
    const { words, stays } = this.data;
    this.root.toggleAttribute("data-stays", Boolean(stays));
    this.bar.name(stays ? { ...words, play: words.again, pause: words.again } : words);
  }

  say() {
    const count = this.starts.length;
    const { slider } = this.bar;
    slider.value = String(this.opening === 0 ? 0 : this.at);
    const { stops, words } = this.data;
    const said = stops ? words.moment.replace("#", String(stops[this.at])) : `${this.scene + 1} / ${count}`;
    slider.setAttribute("aria-valuetext", said);
    this.find("count").textContent = said;
    for (const [index, sentence] of [...this.find("sentences").children].entries())
      sentence.toggleAttribute("data-told", index === this.shown);
    this.film.caption(this.find("sentences").children[this.shown]?.querySelector("p").textContent ?? "");
    /** @type {HTMLButtonElement} */ (this.find("back")).disabled = this.scene === 0;
    /** @type {HTMLButtonElement} */ (this.find("on")).disabled = this.scene === count - 1;
    this.state();
  }
}
