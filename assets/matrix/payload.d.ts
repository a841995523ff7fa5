// The message of a board, as ui/figures/payload.py describes it.

export type NamedMessage = {
  values: string;
  first: [number, number];
  columns: number;
};

export type OperandMessage = {
  key: string;
  size: [number, number];
  named: NamedMessage;
  symbol: string | string[];
  meaning: string | null;
};

export type MadeMessage = {
  axis: "" | "i" | "j" | "cell";
  table: number[];
  formulas: any[][];
};

export type OfAxes = {
  row: string;
  column: string;
};

export type LabelsOfAxes = {
  row: string[];
  column: string[];
};

export type PaddedOfAxes = {
  row: number[];
  column: number[];
};

export type PanelMessage = {
  key: string;
  shape: [number, number];
  values: string;
  named: NamedMessage | null;
  size: [number, number];
  first: [number, number];
  made: MadeMessage | null;
  symbol: string | string[];
  symbol_axis: "row" | "column";
  hidden: string | null;
  vacant: string | null;
  borders: number[];
  title: string;
  labels: LabelsOfAxes;
  glosses: LabelsOfAxes;
  axes: OfAxes;
  padded: PaddedOfAxes;
  scale: "signed" | "probability" | "magnitude" | "mask" | "plain";
  ends: [number, number];
  place: [number, number];
  wall: number;
  silent: boolean;
  beside: boolean;
  digits: number;
  meaning: string | null;
  print: boolean;
  blank: boolean;
  label_events: boolean;
};

export type ColorsMessage = {
  light: Record<string, any>;
  dark: Record<string, any>;
};

export type DrawnMessage = {
  panels: PanelMessage[];
  operands: OperandMessage[];
  colors: ColorsMessage;
};

export type BoardMessage = {
  chosen: [string, number, number] | null;
  words: Record<string, string>;
  alt: string;
  heard: number;
  quiet: boolean;
};
