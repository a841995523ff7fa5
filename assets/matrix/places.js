// Places on a board whose panels have been laid out.

import { clamp } from "./indices.js";

/** @import { Block, Cell, Label, Panel, Point } from "./types.d.ts" */

/**
 * [x, y, width, height] of a cell, or of the block from it to (lastRow, lastCol).
 * @param {Panel} panel @param {{row: number, col: number, lastRow?: number, lastCol?: number}} block
 * @returns {[x: number, y: number, width: number, height: number]}
 */
export function box(panel, { row, col, lastRow = row, lastCol = col }) {
  const [x, y] = [panel.x + col * panel.cw, panel.y + row * panel.ch];
  return [x, y, (lastCol - col + 1) * panel.cw, (lastRow - row + 1) * panel.ch];
}

/** @param {Panel} panel @param {number} index */
export function cellBox(panel, index) {
  return box(panel, { row: Math.floor(index / panel.cols), col: index % panel.cols });
}

/**
 * The cell at a point, or the label where labels can be clicked.
 * @param {Panel[]} panels @param {Point} point @returns {Cell | Label | null}
 */
export function at(panels, { x, y }) {
  for (const panel of panels) {
    const row = Math.floor((y - panel.y) / panel.ch);
    const col = Math.floor((x - panel.x) / panel.cw);
    const inRows = row >= 0 && row < panel.rows;
    const inCols = col >= 0 && col < panel.cols;
    if (inRows && inCols) return { panel: panel.key, row, col };
    if (!panel.label_events) continue;
    if (inRows && panel.labelRoom && x < panel.x && x > panel.x - panel.left + panel.axisRoom)
      return { panel: panel.key, axis: "row", index: row };
    if (inCols && y < panel.y && y > panel.y - panel.ticks.column.height)
      return { panel: panel.key, axis: "column", index: col };
  }
  return null;
}

/**
 * One cell on; over the edge of a panel into the one that lies there.
 * @param {Panel[]} panels @param {Cell} cell @param {number} down @param {number} right @returns {Cell}
 */
export function neighbour(panels, cell, down, right) {
  const panel = panels.find((one) => one.key === cell.panel);
  const next = { ...cell, row: cell.row + down, col: cell.col + right };
  if (next.row >= 0 && next.col >= 0 && next.row < panel.rows && next.col < panel.cols) return next;
  const [left, top] = box(panel, cell);
  const [x, y] = [left + panel.cw / 2, top + panel.ch / 2];
  /** @param {Panel} other */
  const distance = (other) =>
    down ? (down > 0 ? other.y - panel.bottom : panel.y - other.bottom)
      : right > 0 ? other.x - panel.right : panel.x - other.right;
  /** @param {Panel} other */
  const facing = (other) => (down ? x >= other.x && x <= other.right : y >= other.y && y <= other.bottom);
  const [beyond] = panels
    .filter((other) => other !== panel && facing(other) && distance(other) > 0)
    .sort((one, other) => distance(one) - distance(other));
  if (!beyond) return cell;
  const row = down ? (down > 0 ? 0 : beyond.rows - 1) : clamp(Math.floor((y - beyond.y) / beyond.ch), beyond.rows);
  const col = right ? (right > 0 ? 0 : beyond.cols - 1) : clamp(Math.floor((x - beyond.x) / beyond.cw), beyond.cols);
  return { panel: beyond.key, row, col };
}

/** @param {Block} block @param {Cell} cell */
export function covers(block, cell) {
  const { row, lastRow, col, lastCol } = block;
  return block.panel === cell.panel && cell.row >= row && cell.row <= lastRow && cell.col >= col && cell.col <= lastCol;
}

/** @param {Cell | null} one @param {Cell | null} other */
export function same(one, other) {
  return Boolean(one && other) && one.panel === other.panel && one.row === other.row && one.col === other.col;
}
