// The small pictures in the blocks: one canvas each, painted again only when it has other rows.

import { modeOf, ramp } from "../colors.js";

/** @import { Color } from "../colors.js" */
/** @import { Listed, MapMessage } from "./types.d.ts" */

const SHARP = 2; // pixels of a canvas for one of the drawing's units, at the least: edges of numbers stay sharp

/** @typedef {Color[]} Ramp */

export class Pictures {
  /** @param {Element} home @param {MapMessage} data @param {[width: number, height: number]} size of the drawing */
  constructor(home, data, [width, height]) {
    const bytes = Uint8Array.from(atob(data.bytes), (letter) => letter.codePointAt(0));
    /** @type {Listed[]} */
    this.listed = data.pictures.map((picture) => {
      const [left, top, wide, tall] = picture.place;
      const [heads, rows, columns] = picture.size;
      const small = document.createElement("canvas"); // a pixel per number, and a gap between two heads
      small.width = heads * (columns + 1) - 1;
      small.height = rows;
      const canvas = document.createElement("canvas");
      canvas.width = small.width * Math.ceil((SHARP * wide) / small.width);
      canvas.height = rows * Math.ceil((SHARP * tall) / rows);
      canvas.style.cssText =
        `left:${(100 * left) / width}%;top:${(100 * top) / height}%;` +
        `width:${(100 * wide) / width}%;height:${(100 * tall) / height}%`;
      const own = bytes.subarray(picture.first, picture.first + heads * rows * columns);
      return { ...picture, canvas, small, rows: 0, bytes: own };
    });
    home.replaceChildren(...this.listed.map(({ canvas }) => canvas));
    this.colors = data.colors;
    this.mode = ""; // it was dressed for
  }

  /** In the colours of the page, by day or by night. */
  dress() {
    const mode = modeOf(this.listed[0].canvas);
    if (mode === this.mode) return;
    this.mode = mode;
    /** @type {Record<string, Ramp>} */
    this.ramps = {};
    for (const [kind, stops] of Object.entries(this.colors[mode])) this.ramps[kind] = ramp(stops);
    for (const picture of this.listed) this.paint(picture);
  }

  /** Whether it has changed. @param {number} index @param {number} rows */
  show(index, rows) {
    const picture = this.listed[index];
    if (picture.rows === rows) return false;
    picture.rows = rows;
    this.paint(picture);
    return true;
  }

  /** @param {Listed} picture */
  paint({ canvas, small, size: [heads, all, columns], bytes, scale, rows }) {
    const brush = canvas.getContext("2d");
    brush.clearRect(0, 0, canvas.width, canvas.height);
    if (!rows) return;
    const image = new ImageData(small.width, rows);
    const colors = this.ramps[scale];
    for (let head = 0; head < heads; head += 1)
      for (let row = 0; row < rows; row += 1)
        for (let column = 0; column < columns; column += 1) {
          const byte = bytes[(head * all + row) * columns + column];
          // 127 is zero where there are signs
          const [red, green, blue] = colors[scale === "signed" ? Math.round((byte * 255) / 254) : byte];
          image.data.set([red, green, blue, 255], 4 * (row * small.width + head * (columns + 1) + column));
        }
    small.getContext("2d").putImageData(image, 0, 0);
    brush.imageSmoothingEnabled = false;
    const tall = (canvas.height / all) * rows;
    brush.drawImage(small, 0, 0, small.width, rows, 0, 0, canvas.width, tall);
  }
}
