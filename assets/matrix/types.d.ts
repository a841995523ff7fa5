// What the scripts of the board hand each other. What comes from Python is in payload.d.ts, which is written from its types.

import type { MadeMessage, NamedMessage, OperandMessage, PanelMessage } from "./payload.d.ts";

/** A formula as nested lists, the kind first. */
export type Formula = [kind: string, ...rest: any[]];
/** Where in a matrix: a number, or an index that is moved, or looked up in a table. */
export type Place = number | [variable: string, shift: number, table?: number[], name?: string, held?: [string, number] | null];
/** The values of the indices. */
export type Where = Record<string, number>;

export type Cell = { panel: string; row: number; col: number };
export type Block = Cell & { lastRow: number; lastCol: number };
export type Label = { panel: string; axis: "row" | "column"; index: number };

/** Which formula a cell has, of a panel's. */
export type Made = Omit<MadeMessage, "formulas"> & { formulas: Formula[] };
/** The part of a matrix that formulas name. */
export type Named = Omit<NamedMessage, "values"> & { values: Float32Array };
export type Operand = Omit<OperandMessage, "named"> & { named: Named };
/** A panel with its numbers. */
export type Decoded = Omit<PanelMessage, "values" | "named" | "made" | "hidden" | "vacant"> & {
  rows: number;
  cols: number;
  values: Float32Array;
  named: Named;
  made: Made | null;
  hidden: Uint8Array | null;
  vacant: Uint8Array | null;
};
/** Where a panel lies on the board, in CSS pixels: what the layout finds. */
export type Geometry = {
  x: number;
  y: number;
  right: number;
  bottom: number;
  top: number; // of its title
  left: number; // room for names and labels before its cells
  above: number;
  outer: number; // its width with them
  cw: number; // of a cell
  ch: number;
  tallest: number;
  wish: number;
  axisRoom: number;
  labelRoom: number;
  explained: boolean; // its rows have room for what their labels mean
  ticks: { row: Ticks; column: Ticks };
  bare: boolean; // of a wall: without labels
  follows: boolean; // its row labels are those of the panel before it
  ownLegend: boolean;
};
/** Which labels are drawn: every how many, how large, and whether what they mean stands below. */
export type Ticks = { every: number; size?: number; height?: number; upright?: boolean; below?: boolean };
export type Panel = Decoded & Geometry;
/** A panel as it is seen on its way: what is `settled`, how much of it shines through, which cells are not there yet. */
export type Seen = Panel & { settled?: Panel; opacity?: number; empty?: Uint8Array };

/** A panel in a play: its cells by number, in the order in which they are computed; the terms of the first one's sum. */
export type Part = { panel: string; cells: number[]; terms: number };
/** Where a play is: which cell of which panel is at work, with how many terms, and how many are done with it. */
export type Moment = { part: number; panel: string; filled: number; cell: number; terms: number };

/** What a board's canvas does for others on the page. */
export type BoardCanvas = HTMLCanvasElement & {
  /** Plays how the cells are computed, from where it is, or from the beginning. A board of given numbers does nothing. */
  play(): void;
  /** The board as far as that part of its play, from 0 (the first term of the first cell) to 1 (all, as at rest). */
  show(part: number): void;
  /** Where to point at, in pixels of the window. */
  cellCentre(key: string, row: number, col: number): Point;
  labelCentre(key: string, axis: "row" | "column", index: number): Point;
};
export type Matrix = (Decoded | Operand) & Partial<Shown>;
/** What is drawn of a matrix: how much, and from which cell on. */
export type Shown = { rows: number; cols: number; first: [row: number, col: number] };
export type Find = (key: string) => Matrix;
export type Point = { x: number; y: number };
export type TextStyle = {
  size?: number;
  weight?: number;
  color?: string;
  align?: "left" | "center" | "right";
  most?: number; // pixels: a longer text is cut
};
