// What Python tells the map: `message` of ui/figures/playing.py.

export type MapMessage = {
  svg: string;
  sentence: string;
  bytes: string; // base64: the numbers of all pictures, 0 to 254 where there are signs
  pictures: Picture[];
  cross: number; // the picture of the attention to the source
  turns: [word: string, heading: string][]; // of the decoder
  told: string[][]; // of each block
  words: Record<string, string>;
  width: number; // of the drawing
  colors: Record<string, Record<string, string[]>>;
};
export type Picture = {
  side: "encoder" | "decoder";
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
