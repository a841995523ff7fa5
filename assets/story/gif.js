// An animated GIF, picture by picture: GIF89a with one palette, of each picture only the rectangle that has changed,
// and in it transparent what has not. https://www.w3.org/Graphics/GIF/spec-gif89a.txt

import { channels, ramp } from "../colors.js";

/** @import { Color } from "../colors.js" */

const [CODES, CLEAR, END, FIRST] = [4096, 256, 257, 258]; // of LZW: how many there are, and those that are no pixels
const SAME = 255; // the index of a pixel that stays as it was
const [BLENDS, SHADES] = [6, 64]; // steps from the page to a colour, and along a scale
const table = new Uint16Array(CODES * 256); // code and next pixel -> code

/** What a stage paints with and what lies between that and the page: at most 255 colours, that of the page first.
 * @param {Record<string, any>} colors as theme.canvas tells them @returns {Color[]} */
export function paletteOf({ scales, ...named }) {
  const page = channels(named.background);
  const every = [page, channels("#ffffff")];
  for (const color of Object.values(named).map(channels))
    for (let step = BLENDS; step > 0; step -= 1)
      every.push(/** @type {Color} */ (page.map((part, at) => Math.round(part + (step / BLENDS) * (color[at] - part)))));
  for (const scale of Object.values(scales)) every.push(...ramp(scale).filter((_, at) => at % (256 / SHADES) === 0));
  return [...new Map(every.map((color) => [color.join(), color])).values()].slice(0, SAME);
}

/** Where the nearest colour of a palette is, for every pixel of a picture. @param {Color[]} palette */
export function matcher(palette) {
  const known = new Int16Array(2 ** 18).fill(-1);
  /** @param {number} red @param {number} green @param {number} blue */
  const nearest = (red, green, blue) => {
    let [best, least] = [0, Infinity];
    for (const [at, [r, g, b]] of palette.entries()) {
      const far = 2 * (r - red) ** 2 + 4 * (g - green) ** 2 + 3 * (b - blue) ** 2; // the eye is surest of green
      if (far < least) [best, least] = [at, far];
    }
    return best;
  };
  /** @param {Uint8ClampedArray} pixels red, green, blue and opacity of each */
  return (pixels) => {
    const found = new Uint8Array(pixels.length / 4);
    for (let at = 0; at < found.length; at += 1) {
      const [red, green, blue] = [pixels[4 * at], pixels[4 * at + 1], pixels[4 * at + 2]];
      const key = ((red >> 2) << 12) | ((green >> 2) << 6) | (blue >> 2);
      if (known[key] < 0) known[key] = nearest(red, green, blue);
      found[at] = known[key];
    }
    return found;
  };
}

/** Pixels as a GIF has them: LZW, in blocks of at most 255 bytes. @param {Uint8Array} pixels */
export function packed(pixels) {
  /** @type {number[]} */
  const bytes = [];
  let [bits, held, size, next] = [0, 0, 9, FIRST];
  /** @param {number} code */
  const put = (code) => {
    bits |= code << held;
    for (held += size; held >= 8; held -= 8, bits >>>= 8) bytes.push(bits & 255);
  };
  const begin = () => {
    put(CLEAR);
    table.fill(0);
    [size, next] = [9, FIRST];
  };
  begin();
  let code = pixels[0];
  for (let at = 1; at < pixels.length; at += 1) {
    const place = 256 * code + pixels[at];
    if (table[place]) {
      code = table[place];
      continue;
    }
    put(code);
    if (next === CODES) begin();
    else {
      table[place] = next;
      if (next === 1 << size && size < 12) size += 1;
      next += 1;
    }
    code = pixels[at];
  }
  put(code);
  if (next === 1 << size && size < 12) size += 1;
  put(END);
  if (held) bytes.push(bits & 255);
  const blocks = [8];
  for (let at = 0; at < bytes.length; at += 255) {
    const block = bytes.slice(at, at + 255);
    blocks.push(block.length, ...block);
  }
  return Uint8Array.from([...blocks, 0]);
}

/** @param {number} number */
const two = (number) => [number & 255, (number >> 8) & 255];

export class Gif {
  /** @param {number} width @param {number} height @param {Color[]} palette */
  constructor(width, height, palette) {
    this.width = width;
    this.height = height;
    const colors = Array.from({ length: 256 }, (_, at) => palette[at] ?? [0, 0, 0]).flat();
    /** @type {Uint8Array<ArrayBuffer>[]} */
    this.parts = [
      Uint8Array.from([...ascii("GIF89a"), ...two(width), ...two(height), 0xf7, 0, 0, ...colors]),
      Uint8Array.from([0x21, 0xff, 11, ...ascii("NETSCAPE2.0"), 3, 1, 0, 0, 0]), // over and over: it has no button
    ];
    this.size = this.parts[0].length; // in bytes, of nearly all so far
    /** @type {Uint8Array | null} */
    this.shown = null;
    this.since = 0; // hundredths of a second
    /** @type {Uint8Array<ArrayBuffer> | null} */
    this.control = null; // of the last picture: says how long it stands
  }

  /** @param {Uint8Array} picture an index for each pixel @param {number} at in milliseconds, from when on it is seen */
  add(picture, at) {
    const box = this.changed(picture);
    if (!box) return;
    this.hold(at);
    const [left, top, width, height] = box;
    const pixels = new Uint8Array(width * height);
    for (let row = 0; row < height; row += 1)
      for (let column = 0; column < width; column += 1) {
        const place = (top + row) * this.width + left + column;
        pixels[row * width + column] = this.shown && this.shown[place] === picture[place] ? SAME : picture[place];
      }
    this.control = Uint8Array.from([0x21, 0xf9, 4, 0b101, 0, 0, SAME, 0]); // what was there stays, SAME is transparent
    const place = Uint8Array.from([0x2c, ...two(left), ...two(top), ...two(width), ...two(height), 0]);
    for (const part of [this.control, place, packed(pixels)]) {
      this.parts.push(part);
      this.size += part.length;
    }
    this.shown = picture;
  }

  /** Left, top, width and height of what is otherwise than before. @param {Uint8Array} picture */
  changed(picture) {
    const { width, height, shown } = this;
    if (!shown) return [0, 0, width, height];
    let [left, top, right, bottom] = [width, height, -1, -1];
    for (let at = 0; at < picture.length; at += 1)
      if (picture[at] !== shown[at]) {
        const [column, row] = [at % width, Math.floor(at / width)];
        [left, right] = [Math.min(left, column), Math.max(right, column)];
        [top, bottom] = [Math.min(top, row), row];
      }
    return right < 0 ? null : [left, top, right - left + 1, bottom - top + 1];
  }

  /** The last picture stands until now. @param {number} at milliseconds */
  hold(at) {
    const now = Math.round(at / 10);
    if (this.control) this.control.set(two(Math.max(2, now - this.since)), 4);
    this.since = now;
  }

  /** The whole file. @param {number} at in milliseconds, how long it is */
  end(at) {
    this.hold(at);
    return [...this.parts, Uint8Array.of(0x3b)];
  }
}

/** @param {string} text */
function ascii(text) {
  return [...text].map((letter) => letter.charCodeAt(0));
}
