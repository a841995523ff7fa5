// What a play breaks: a cell that is computed twice or never, or before what it is computed from.

import { formulaOf, operandsOf } from "../../assets/matrix/formula.js";
import { partsOf } from "../../assets/matrix/order.js";
import { Play } from "../../assets/matrix/play.js";

/** @param {{panels: object[], find: Function}} board */
export function* faults(board) {
  const play = new Play(partsOf(board));
  const done = new Set();
  const name = (panel, row, col) => `${panel} ${row},${col}`;
  const given = (panel, row, col) => !formulaOf(board.find(panel), row, col);
  let last = null;
  for (let step = 0; step < play.steps; step += 1) {
    const { panel: key, cell, filled } = play.at(step);
    const panel = board.find(key);
    const [row, col] = [Math.floor(cell / panel.cols), cell % panel.cols];
    const own = name(key, row, col);
    if (!filled) continue;
    if (done.has(own)) yield `${own} comes twice`;
    if (last !== key && [...done].some((other) => other.startsWith(`${key} `))) yield `${key} is left before its end`;
    for (const block of operandsOf(panel, row, col, board.find))
      for (let r = block.row; r <= block.lastRow; r += 1)
        for (let c = block.col; c <= block.lastCol; c += 1)
          if (!given(block.panel, r, c) && !done.has(name(block.panel, r, c)))
            yield `${own} comes before ${name(block.panel, r, c)}`;
    done.add(own);
    last = key;
  }
  for (const { key, rows, cols } of board.panels)
    for (let row = 0; row < rows; row += 1)
      for (let col = 0; col < cols; col += 1)
        if (given(key, row, col) === done.has(name(key, row, col))) yield `${name(key, row, col)} is given or computed`;
  if (play.duration > 6000) yield `it takes ${play.duration} ms`;
}
