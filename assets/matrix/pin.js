// Where the sum of a cell stands: below its board or, while that is off the screen, at the screen's lower edge or upper
// one, and never over the cells that it is about.

/** From where to where something reaches on the screen. @typedef {{top: number, bottom: number}} Span */

const HEADER = 48; // px, of the page: below it is the upper edge

export class Pin {
  /** @param {HTMLElement} root @param {HTMLElement} working */
  constructor(root, working) {
    this.root = root;
    this.working = working;
    this.hand = false; // whether the pointer is on the board
    this.anew = false; // whether what stands there at rest has changed under it
    this.room = 0; // its height at rest
    this.most = 0; // the greatest since the pointer came: it does not shrink under the hand
    this.over = false; // whether it speaks of a cell that is only pointed at
    this.stays = false; // whether it keeps to the lower edge whatever it covers: the hand is on it
    /** @type {Span[]} */
    this.clear = []; // what it must not cover, the cell itself first
  }

  /**
   * Before the words change, for the page is laid out twice if it is asked in between.
   * @param {Span[]} clear
   */
  lookAround(clear) {
    if (!this.hand) this.room = this.working.offsetHeight;
    this.clear = clear;
    const main = this.root.closest(".stMain")?.getBoundingClientRect();
    this.edge = Math.min(innerHeight, main?.bottom ?? innerHeight);
    this.end = this.root.querySelector(".matrix-window").getBoundingClientRect().bottom;
  }

  /** What is at rest there changes with a click: the page follows it then, and not when the pointer leaves. */
  rest() {
    this.anew = true;
    this.most = 0;
  }

  /**
   * The page stands still under the pointer: what is taller than at rest lies over what follows the board.
   * @param {boolean} hand @param {boolean} over
   */
  hold(hand, over, stays = false) {
    const { working } = this;
    Object.assign(this, { hand, over, stays });
    working.toggleAttribute("data-over", over);
    working.toggleAttribute("data-stays", stays);
    Object.assign(working.style, { minHeight: "", marginBottom: "" });
    let tall = working.offsetHeight;
    if (this.anew) this.room = tall;
    this.anew = false;
    this.most = hand ? Math.max(tall, this.most) : 0;
    if (hand) {
      tall = this.most;
      Object.assign(working.style, { minHeight: `${tall}px`, marginBottom: `${this.room - tall}px` });
    }
    this.place(tall);
  }

  /** @param {number} tall */
  place(tall) {
    const { working, edge, end, over, stays } = this;
    const clear = this.together(tall) ? this.clear : this.clear.slice(0, 1);
    const free = (/** @type {number} */ top) => clear.every((one) => one.bottom <= top || one.top >= top + tall);
    const lower = stays || (clear.length > 0 && clear.every(({ bottom }) => bottom <= edge - tall));
    working.toggleAttribute("data-stuck", lower);
    working.style.top = !lower && over && free(HEADER) ? `${HEADER - end}px` : "";
  }

  /** Whether any of it is on screen. */
  seen() {
    const { top, bottom } = this.working.getBoundingClientRect();
    return top < innerHeight && bottom > HEADER;
  }

  /** Whether all that it is about can be on screen with it. @param {number} tall */
  together(tall) {
    const tops = this.clear.map(({ top }) => top), bottoms = this.clear.map(({ bottom }) => bottom);
    return Math.max(...bottoms) - Math.min(...tops) <= this.edge - HEADER - tall;
  }
}
