// The bar of a player: its buttons, its slider, its keys, and what they are called.

/** @import { Clock } from "./clock.js" */
/** What a bar leads; a step is 1 or -1. @typedef {{toggle(): void, step(by: number): void, scrub(to: number): void}} Led */
/** Where a key leads: a step, or 0 to play and pause. @typedef {Record<string, number>} Keys */

/** @type {Keys} */
export const ARROWS = { ArrowLeft: -1, ArrowRight: 1, " ": 0 };

export class Bar {
  /**
   * @param {HTMLElement} root says whether it plays
   * @param {(part: string) => HTMLElement | null} find its parts: play, speed and place, and where there are such, back and on
   * @param {Clock} clock @param {Led} player @param {HTMLElement | null} told what is read aloud unless it plays
   */
  constructor(root, find, clock, player, told = null) {
    this.root = root;
    this.clock = clock;
    this.player = player;
    this.told = told;
    this.play = find("play");
    this.speed = find("speed");
    this.steps = [find("back"), find("on")];
    this.slider = /** @type {HTMLInputElement} */ (find("place"));
    /** @type {Record<string, string>} */
    this.words = {};
    this.key = "";
    this.play.onclick = () => player.toggle();
    this.speed.onclick = () => {
      clock.hurry();
      this.tell();
    };
    for (const [at, button] of this.steps.entries()) if (button) button.onclick = () => player.step(2 * at - 1);
    this.slider.oninput = () => player.scrub(Number(this.slider.value));
  }

  /** `place` is what the slider is called, `key` what plays too. @param {Record<string, string>} words @param {{place?: string, key?: string}} [more] */
  name(words, { place = words.place, key = "" } = {}) {
    this.words = words;
    this.key = key;
    this.slider.setAttribute("aria-label", place ?? "");
    for (const [at, button] of this.steps.entries()) if (button) button.ariaLabel = button.title = [words.back, words.on][at];
    this.tell();
  }

  /** What plays, and how fast. */
  tell() {
    const { words, clock, speed } = this;
    const named = (clock.playing ? words.pause : words.play) ?? "";
    this.root.dataset.state = clock.playing ? "playing" : "paused";
    this.play.querySelector("span").textContent = named;
    if (this.key) this.play.title = `${named} (${this.key})`;
    speed.textContent = `${clock.speed}×`;
    speed.ariaLabel = `${words.speed ?? ""} ${clock.speed}×`;
    if (this.told) this.told.ariaLive = clock.playing ? "off" : "polite";
  }

  /** Does what a key says; whether it says anything. @param {KeyboardEvent} event @param {Keys} keys */
  press(event, keys = ARROWS) {
    const { key, ctrlKey, altKey, metaKey } = event;
    const pressed = key === " " && /** @type {Element} */ (event.target).tagName === "BUTTON"; // by the browser itself
    if (!(key in keys) || pressed || ctrlKey || altKey || metaKey) return false;
    event.preventDefault();
    if (keys[key]) this.player.step(keys[key]);
    else this.play.click();
    return true;
  }
}
