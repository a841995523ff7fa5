// The clock of a player: whether it plays, how fast, and what comes next. In a tab that nobody looks at it stands still.

const FIRST_FRAME = 16; // ms: the first frame has moved already
const LONGEST_FRAME = 1000; // ms: between frames further apart nobody has looked
const UNSEEN = 250; // ms from one look at a hidden tab to the next

export class Clock {
  /** @param {number[]} speeds in the order of the button @param {() => void} halt for who wants no motion any more */
  constructor(speeds, halt) {
    this.speeds = speeds;
    this.speed = speeds[0];
    this.playing = false;
    this.frame = 0;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.motion = window.matchMedia("(prefers-reduced-motion: reduce)");
    this.motion.onchange = () => this.still && halt();
  }

  /** Whether the reader wants no motion. */
  get still() {
    return this.motion.matches;
  }

  hurry() {
    this.speed = this.speeds[(this.speeds.indexOf(this.speed) + 1) % this.speeds.length];
  }

  /** Calls `act` after so many milliseconds at this speed. @param {number} milliseconds @param {() => void} act */
  wait(milliseconds, act) {
    this.stop();
    const look = () => {
      if (document.hidden) this.timer = setTimeout(look, UNSEEN);
      else act();
    };
    this.timer = setTimeout(look, milliseconds / this.speed);
  }

  /** Calls `act` with each frame and the milliseconds since now at this speed. @param {(passed: number) => void} act */
  run(act) {
    this.stop();
    let [passed, last] = [0, 0];
    /** @param {number} now */
    const look = (now) => {
      passed += this.speed * (last ? Math.min(now - last, LONGEST_FRAME) : FIRST_FRAME);
      last = now;
      this.frame = requestAnimationFrame(look);
      act(passed);
    };
    this.frame = requestAnimationFrame(look);
  }

  /** Nothing comes next. */
  stop() {
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
  }

  release() {
    this.stop();
    this.motion.onchange = null;
  }
}
