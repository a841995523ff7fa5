// A story as a film: WebM with its sentences under the stage, and beside it the same sentences as captions.

import { whole } from "./held.js";

/** @import { Teller } from "./teller.js" */
/** @typedef {{from: number, to: number, text: string}} Cue in milliseconds */

const [WIDTH, CAPTION, LETTERS, LINE] = [1280, 150, 28, 38]; // px of a frame
const RATE = 30; // frames a second
const BITS = 4_000_000; // a second
const TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

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

/** A text in lines of at most `most` pixels; it breaks at spaces, and between Chinese characters.
 * @param {string} text @param {number} most @param {(text: string) => number} measure @returns {string[]} */
export function wrapped(text, most, measure) {
  const lines = [""];
  for (const part of text.match(/[\u2e80-\uffef]|[^\s\u2e80-\uffef]+\s*|\s+/g) ?? []) {
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
    /** @type {MediaRecorder | null} */
    this.recorder = null;
    /** @type {Cue[]} */
    this.cues = [];
    this.began = 0;
    this.frame = 0;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.hidden = () => document.hidden && this.rolling && this.stop("film_hidden");
    document.addEventListener("visibilitychange", this.hidden);
    teller.find("film").onclick = () => (this.recorder ? this.stop("film_stopped") : this.start());
  }

  /** Nothing of a film that is not at its end is kept. */
  release() {
    document.removeEventListener("visibilitychange", this.hidden);
    this.cancel();
  }

  /** What kind of film this browser can record; "" where it can none. */
  get type() {
    if (typeof MediaRecorder !== "function" || !HTMLCanvasElement.prototype.captureStream) return "";
    return TYPES.find((type) => MediaRecorder.isTypeSupported(type)) ?? "";
  }

  /** @param {string} word */
  tell(word) {
    const { words } = this.teller.data;
    this.teller.find("filmed").textContent = word && words[word];
    this.teller.find("film").textContent = words[this.recorder ? "film_stop" : "film"];
  }

  start() {
    const { teller, type } = this;
    if (!type) return this.tell("film_none");
    if (!teller.data.scenes.every(whole)) return this.tell("film_later");
    const picture = document.createElement("canvas");
    const { width, height } = teller.canvas;
    const tall = Math.round((WIDTH * height) / width);
    Object.assign(picture, { width: WIDTH, height: 2 * Math.ceil((tall + CAPTION) / 2) });
    const brush = picture.getContext("2d");
    const style = getComputedStyle(teller.root);
    const [paper, ink] = ["background", "text"].map((name) => style.getPropertyValue(`--st-${name}-color`));
    const draw = () => {
      brush.fillStyle = paper;
      brush.fillRect(0, 0, picture.width, picture.height);
      brush.drawImage(teller.canvas, 0, 0, WIDTH, tall);
      brush.fillStyle = ink;
      brush.font = `${LETTERS}px ${style.fontFamily}`;
      brush.textAlign = "center";
      const text = this.cues.at(-1)?.text ?? "";
      const lines = wrapped(text, WIDTH - 80, (part) => brush.measureText(part).width);
      for (const [at, line] of lines.entries()) brush.fillText(line, WIDTH / 2, tall + LINE * (at + 1));
      teller.root.dataset.filmed = String(Math.round((100 * (teller.at + 1)) / teller.moments.length));
      teller.find("filmed").textContent = `${teller.root.dataset.filmed} %`;
      this.frame = requestAnimationFrame(draw);
    };
    this.recorder = new MediaRecorder(picture.captureStream(RATE), { mimeType: type, videoBitsPerSecond: BITS });
    /** @type {Blob[]} */
    const parts = [];
    this.recorder.ondataavailable = ({ data }) => parts.push(data);
    this.recorder.onstop = () => this.save(parts, type);
    this.cues = [];
    this.rolling = true;
    this.began = performance.now();
    this.recorder.start();
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
      this.cues.at(-1).to = performance.now() - this.began;
      this.recorder?.stop();
    }, milliseconds);
  }

  /** @param {string} why a word for it */
  stop(why) {
    this.cancel();
    this.teller.pause();
    this.tell(why);
  }

  cancel() {
    const { recorder } = this;
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.recorder = null;
    this.rolling = false;
    if (!recorder) return;
    recorder.onstop = null;
    recorder.stop();
    this.teller.root.removeAttribute("data-filmed");
  }

  /** @param {Blob[]} parts @param {string} type */
  save(parts, type) {
    const { cues } = this;
    this.recorder = null;
    this.cancel();
    cancelAnimationFrame(this.frame);
    const name = `glassformer-${location.pathname.split("/").pop() || "map"}`;
    for (const [blob, ending] of /** @type {const} */ ([
      [new Blob(parts, { type }), "webm"],
      [new Blob([vtt(cues)], { type: "text/vtt" }), "vtt"],
    ])) {
      const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `${name}.${ending}` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    }
    this.teller.root.removeAttribute("data-filmed");
    this.tell("film_saved");
  }
}
