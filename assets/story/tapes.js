// What a film is recorded on: WebM, by the browser's own recorder, or GIF, by ours.

import { Gif, matcher, paletteOf } from "./gif.js";

const RATE = 30; // pictures a second of a WebM
const BITS = 4_000_000; // a second
const TYPES = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];
const [APART, LAST] = [100, 2000]; // ms: from one picture of a GIF to the next, at least; and that the end stands
export const MOST = 2_900_000; // bytes of a GIF, which messages and course pages take

/** @typedef {{see: (at: number, share: number) => void, end: (at: number, then: (file: Blob) => void) => void,
 *   cancel: () => void}} Tape what it sees at a time, in ms, and how much of the story that is, 0 to 1 */

/** What kind of WebM this browser can record; "" where it can none. */
function typeOf() {
  if (typeof MediaRecorder !== "function" || !HTMLCanvasElement.prototype.captureStream) return "";
  return TYPES.find((type) => MediaRecorder.isTypeSupported(type)) ?? "";
}

/** @param {HTMLCanvasElement} picture @returns {Tape | null} */
function webm(picture) {
  const type = typeOf();
  if (!type) return null;
  const recorder = new MediaRecorder(picture.captureStream(RATE), { mimeType: type, videoBitsPerSecond: BITS });
  /** @type {Blob[]} */
  const parts = [];
  recorder.ondataavailable = ({ data }) => parts.push(data);
  recorder.start();
  return {
    see: () => {},
    end: (_, then) => {
      recorder.onstop = () => then(new Blob(parts, { type }));
      recorder.stop();
    },
    cancel: () => {
      recorder.onstop = null;
      if (recorder.state !== "inactive") recorder.stop();
    },
  };
}

/** Pictures come as often as the size allows: of all bytes no larger share is used up than has been told of the story.
 * @param {HTMLCanvasElement} picture @param {Record<string, any>} colors @returns {Tape} */
function gif(picture, colors) {
  const { width, height } = picture;
  const palette = paletteOf(colors);
  const match = matcher(palette);
  const file = new Gif(width, height, palette);
  const brush = picture.getContext("2d");
  let last = -APART;
  /** @param {number} at */
  const take = (at) => {
    last = at;
    file.add(match(brush.getImageData(0, 0, width, height).data), at);
  };
  return {
    see: (at, share) => at - last >= APART && file.size <= MOST * share && take(at),
    end: (at, then) => {
      take(at);
      then(new Blob(file.end(at + LAST), { type: "image/gif" }));
    },
    cancel: () => {},
  };
}

/** How wide a picture is, in px, and what records it. */
export const TAPES = { webm: { width: 1280, begin: webm }, gif: { width: 640, begin: gif } };
