// What the sum is about, on the screen: it stands off these cells, and they come into view beside it.

import { box } from "./places.js";

/** @import { Block, Cell } from "./types.d.ts" */
/** @import { Matrices } from "./matrices.js" */
/** @import { Words } from "./words.js" */

export class Sight {
  /** @param {HTMLElement} root @param {Words} words */
  constructor(root, words) {
    this.window = root.querySelector(".matrix-window");
    this.base = root.querySelector(".matrix-base");
    this.mark = /** @type {HTMLElement} */ (root.querySelector(".matrix-mark")); // lies where cells are that are to be seen
    this.words = words;
    /** @type {Matrices | null} */
    this.matrices = null;
    /** @type {(Cell | Block)[]} */
    this.about = [];
  }

  /**
   * Before the words change: a cell first, then what it was computed from and the chosen one.
   * @param {Matrices} matrices @param {(Cell | Block)[]} about
   */
  look(matrices, about) {
    Object.assign(this, { matrices, about });
    this.fade();
    this.words.pin.lookAround(this.spans());
  }

  /** The first is on screen, beside its sum, and where there is room the others too. */
  reveal() {
    if (!this.about.length) return;
    const { pin, working } = this.words;
    const tall = working.offsetHeight;
    const boxes = this.boxes();
    const [[x, y, width, height]] = boxes;
    const first = Math.min(...boxes.map(([, top]) => top));
    const last = Math.max(...boxes.map(([, top, , high]) => top + high));
    const [top, high] = pin.together(tall) ? [first, last - first] : [y, height];
    this.mark.style.cssText = `left: ${x}px; top: ${top}px; width: ${width}px; height: ${high}px`;
    this.mark.style.scrollMarginBottom = `${tall + 4}px`;
    this.mark.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.settle();
  }

  /** The page has moved: what the sum must not cover is elsewhere. */
  settle() {
    const { pin, working } = this.words;
    this.fade();
    if (!this.about.length) return;
    pin.lookAround(this.spans());
    pin.place(working.offsetHeight);
  }

  /** A board that goes on at the right fades there, until it is scrolled to its end. */
  fade() {
    const { scrollLeft, clientWidth, scrollWidth } = this.window;
    this.window.toggleAttribute("data-goes-on", scrollLeft + clientWidth < scrollWidth - 1);
  }

  boxes() {
    return this.about.map((block) => box(this.matrices.panel(block.panel), block));
  }

  /** From where to where they are in the window. */
  spans() {
    const { top } = this.base.getBoundingClientRect();
    return this.boxes().map(([, y, , height]) => ({ top: top + y, bottom: top + y + height }));
  }
}
