// What Python tells the map: `message` of ui/chapters/map/figures/playing.py.

export type MapMessage = {
  svg: string;
  sentence: string;
  bytes: string; // base64: the numbers of all pictures, 0 to 254 where there are signs
  pictures: Picture[];
  cross: number; // the picture of the attention to the source
  turns: [word: string, heading: string][]; // of the decoder; none: there is nothing to play
  source: Line;
  read: Line; // by the decoder
  wrote: Line; // by the model, one in each turn
  threads: Woven[];
  beats: string[]; // markup: a sentence for each moment
  told: string[][]; // of each block
  still: string[]; // markup: what holds of a block in every turn, "" where its first beat says it
  words: Record<string, string>;
  width: number; // of the drawing
  colors: Record<string, Record<string, string[]>>;
};
export type Line = { tokens: string[]; glosses: string[]; unknown: boolean[] };
/** `bytes` are weights in base64, a row of `keys` per query, each from 0 to 255 for 1; `told` is which query and key each
 * turn tells of, -1 for none. */
export type Woven = { block: number; keys: number; bytes: string; told: [query: number, key: number][] };
export type Picture = {
  side: "encoder" | "decoder";
  brief: boolean; // its moment, in which nothing is told while it plays
  place: [left: number, top: number, width: number, height: number];
  size: [heads: number, rows: number, columns: number];
  first: number; // of its bytes
  scale: string;
};
export type Listed = Picture & {
  canvas: HTMLCanvasElement;
  small: HTMLCanvasElement; // a pixel per number
  rows: number; // that are shown
  bytes: Uint8Array;
};

/** In units of the drawing. */
export type Point = [x: number, y: number];
export type Box = { left: number; top: number; width: number; height: number };
/** Words side by side: where each has its middle, its lane, and how large letters are; 0 where they cannot be read. */
export type Laid = { x: number[]; lane: number[]; lanes: number; size: number };
