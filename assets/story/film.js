// A story as a film, WebM or GIF, with its sentences under the stage; and beside it the same sentences as captions.

import { modeOf } from "../colors.js";
import { whole } from "./held.js";
import { TAPES } from "./tapes.js";

/** @import { Teller } from "./teller.js" */
/** @import { Tape } from "./tapes.js" */
/** @typedef {{from: number, to: number, text: string}} Cue in milliseconds */

const [WIDTH, CAPTION, LETTERS, LINE] = [1280, 150, 28, 38]; // px of a frame

/** Captions as a browser reads them beside a film. @param {Cue[]} cues */
export function vtt(cues) {
  /** @param {number} time */
  const clock = (time) => {
    const [minutes, seconds] = [Math.floor(time / 60000), (time % 60000) / 1000];
    return `${String(minutes).padStart(2, "0")}:${seconds.toFixed(3).padStart(6, "0")}`;
  };
  /** @param {string} text */
  const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");
  const said = cues.map(({ from, to, text }) => `${clock(from)} --> ${clock(to)}\n${escaped(text)}\n`);
  return ["WEBVTT\n", ...said].join("\n");
}

const CLOSING = "，。、；：？！）》”’"; // with none of these begins a line
const PARTS = new RegExp(`[\\u2e80-\\uffef][${CLOSING}]*|[^\\s\\u2e80-\\uffef]+[${CLOSING}]*\\s*|\\s+`, "g");

/** A text in lines of at most `most` pixels; it breaks at spaces, and between Chinese characters.
 * @param {string} text @param {number} most @param {(text: string) => number} measure @returns {string[]} */
export function wrapped(text, most, measure) {
  const lines = [""];
  for (const part of text.match(PARTS) ?? []) {
    const line = lines[lines.length - 1];
    if (line && measure((line + part).trimEnd()) > most) lines.push(part);
    else lines[lines.length - 1] += part;
  }
  return lines.map((line) => line.trim());
}

export class Film {
  /** @param {Teller} teller */
  constructor(teller) {
    this.teller = teller;
    this.rolling = false;
    /** @type {Tape | null} */
    this.tape = null;
    /** @type {Cue[]} */
    this.cues = [];
    this.began = 0;
    this.frame = 0;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.hidden = () => document.hidden && this.rolling && this.stop("film_hidden");
    document.addEventListener("visibilitychange", this.hidden);
    teller.find("film").onclick = () => (this.tape ? this.stop("film_stopped") : this.start());
  }

  /** Nothing of a film that is not at its end is kept. */
  release() {
    document.removeEventListener("visibilitychange", this.hidden);
    this.cancel();
  }

  /** @param {string} word */
  tell(word) {
    const { words } = this.teller.data;
    this.teller.find("filmed").textContent = word && words[word];
    const kind = /** @type {HTMLSelectElement} */ (this.teller.find("kind"));
    kind.disabled = Boolean(this.tape);
    this.teller.find("film").textContent = words[this.tape ? "film_stop" : "film"];
  }

  /** What the reader has chosen. */
  get kind() {
    return /** @type {"webm" | "gif"} */ (/** @type {HTMLSelectElement} */ (this.teller.find("kind")).value);
  }

  start() {
    const { teller, kind } = this;
    if (!teller.data.scenes.every(whole)) return this.tell("film_later");
    const picture = document.createElement("canvas");
    const { width, height } = teller.canvas;
    const tall = Math.round((WIDTH * height) / width);
    const scale = TAPES[kind].width / WIDTH;
    const high = 2 * Math.ceil((scale * (tall + CAPTION)) / 2);
    Object.assign(picture, { width: TAPES[kind].width, height: high });
    const brush = picture.getContext("2d", { willReadFrequently: kind === "gif" });
    const colors = teller.data.colors[modeOf(teller.root)];
    this.tape = TAPES[kind].begin(picture, colors);
    if (!this.tape) return this.tell("film_none");
    const { fontFamily } = getComputedStyle(teller.root);
    const draw = () => {
      brush.setTransform(scale, 0, 0, scale, 0, 0);
      brush.fillStyle = colors.background;
      brush.fillRect(0, 0, WIDTH, tall + CAPTION + LINE);
      brush.drawImage(teller.canvas, 0, 0, WIDTH, tall);
      brush.fillStyle = colors.text;
      brush.font = `${LETTERS}px ${fontFamily}`;
      brush.textAlign = "center";
      const text = this.cues.at(-1)?.text ?? "";
      const lines = wrapped(text, WIDTH - 80, (part) => brush.measureText(part).width);
      for (const [at, line] of lines.entries()) brush.fillText(line, WIDTH / 2, tall + LINE * (at + 1));
      const share = (teller.at + 1) / teller.moments.length;
      teller.root.dataset.filmed = String(Math.round(100 * share));
      teller.find("filmed").textContent = `${teller.root.dataset.filmed} %`;
      this.tape.see(performance.now() - this.began, share);
      this.frame = requestAnimationFrame(draw);
    };
    this.cues = [];
    this.rolling = true;
    this.began = performance.now();
    this.tell("");
    teller.show(teller.starts[0]);
    teller.clock.playing = true;
    teller.tell();
    draw();
    teller.rest(teller.moments[0].rest);
  }

  /** The sentence that is on the stage from now on. @param {string} text */
  caption(text) {
    if (!this.rolling || this.cues.at(-1)?.text === text) return;
    const now = performance.now() - this.began;
    if (this.cues.length) this.cues.at(-1).to = now;
    this.cues.push({ from: now, to: now, text });
  }

  /** The last moment stands as long as its sentence takes to read. @param {number} milliseconds */
  end(milliseconds) {
    if (!this.rolling) return;
    this.rolling = false;
    this.timer = setTimeout(() => {
      const now = performance.now() - this.began;
      this.cues.at(-1).to = now;
      cancelAnimationFrame(this.frame);
      this.tape.end(now, (film) => this.save(film));
    }, milliseconds);
  }

  /** @param {string} why a word for it */
  stop(why) {
    this.cancel();
    this.teller.pause();
    this.tell(why);
  }

  cancel() {
    const { tape } = this;
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.tape = null;
    this.rolling = false;
    if (!tape) return;
    tape.cancel();
    this.teller.root.removeAttribute("data-filmed");
  }

  /** @param {Blob} film */
  save(film) {
    const { cues, kind } = this;
    this.cancel();
    const name = `glassformer-${location.pathname.split("/").pop() || "map"}`;
    for (const [blob, ending] of /** @type {const} */ ([
      [film, kind],
      [new Blob([vtt(cues)], { type: "text/vtt" }), "vtt"],
    ])) {
      const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `${name}.${ending}` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    }
    this.tell("film_saved");
  }
}
