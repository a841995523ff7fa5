// Threads between words: from those that are read, below, to those that collect from them, the wider the more.

/** @import { Point, Woven } from "./types.d.ts" */

const FAINT = 0.03; // a weight below this would be a thread that cannot be seen
const SVG = "http://www.w3.org/2000/svg";

export class Threads {
  /** @param {SVGElement} home */
  constructor(home) {
    this.home = home;
  }

  clear() {
    this.home.replaceChildren();
  }

  /**
   * @param {{weights: number[], from: Point[], to: Point, side: string, quiet: boolean}[]} rows a query each
   */
  show(rows) {
    const drawn = [];
    for (const { weights, from, to, side, quiet } of rows)
      for (const [key, weight] of weights.entries()) {
        if (weight < FAINT) continue;
        const path = document.createElementNS(SVG, "path");
        path.setAttribute("class", `thread ${side}${quiet ? " quiet" : ""}`);
        path.setAttribute("d", bow(from[key], to));
        path.setAttribute("stroke-width", (0.5 + 5 * weight).toFixed(2));
        path.setAttribute("stroke-opacity", (0.2 + 0.8 * weight).toFixed(2));
        drawn.push(path);
      }
    this.home.replaceChildren(...drawn);
  }
}

/** Weights, a row per query. @param {Pick<Woven, "bytes" | "keys">} woven */
export function rowsOf({ bytes, keys }) {
  const every = Array.from(atob(bytes), (letter) => letter.codePointAt(0) / 255);
  return Array.from({ length: every.length / keys }, (_, query) => every.slice(query * keys, (query + 1) * keys));
}

/** @param {Point} from @param {Point} to */
function bow([x, y], [toX, toY]) {
  const half = (y + toY) / 2;
  return `M${x.toFixed(1)} ${y.toFixed(1)}C${x.toFixed(1)} ${half.toFixed(1)} ${toX.toFixed(1)} ${half.toFixed(1)} ${toX.toFixed(1)} ${toY.toFixed(1)}`;
}
