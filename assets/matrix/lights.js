// What lies over a board: gold around a cell and what it was computed from, dashes around what was computed from it.

import { onPaper } from "./paper.js";
import { box, same } from "./places.js";

/** @import { Block, Cell } from "./types.d.ts" */
/** @import { Layout } from "./layout.js" */
/** @import { Look } from "./look.js" */
/** @import { Matrices } from "./matrices.js" */

/**
 * `chosen` and `hovered` are cells of the board, `own` the operands of the chosen one, `operand` says whether the hovered
 * one is among them, `terms` are cells whose numbers in the sum are pointed at; `ahead`: what is computed from cells is lit too.
 * @typedef {{chosen: Cell | null, own: Block[], hovered: Cell | null, operand: boolean, terms: (Cell | Block)[], ahead: boolean}} Lit
 */

const [THIN, THICK] = [1.5, 3]; // px

export class Lights {
  /** @param {HTMLCanvasElement} canvas @param {HTMLCanvasElement} base @param {Look} look @param {Layout} layout */
  constructor(canvas, base, look, layout) {
    this.canvas = canvas;
    this.base = base; // on paper they are drawn on it
    this.look = look;
    this.layout = layout;
  }

  /** @param {Matrices} matrices @param {Lit} lit */
  paint(matrices, { chosen, own, hovered, operand, terms, ahead }) {
    const other = hovered && !same(hovered, chosen);
    const brush = (onPaper() ? this.base : this.canvas).getContext("2d");
    // A canvas without a light would be drawn with every frame all the same.
    this.canvas.hidden = onPaper() || (!hovered && !chosen && !terms.length);
    if (!this.canvas.hidden) this.look.sized(this.canvas, this.layout.width, this.layout.height);
    if (chosen && other && !operand) brush.globalAlpha = 0.45;
    let lit = chosen ? this.around(brush, matrices, own, THIN) : [];
    if (chosen && ahead) this.follow(brush, matrices, chosen);
    brush.globalAlpha = 1;
    if (other) {
      const theirs = this.around(brush, matrices, matrices.operands(hovered), THIN);
      if (!operand) lit = theirs;
      this.follow(brush, matrices, hovered);
      this.around(brush, matrices, [hovered], THIN);
      this.ticks(brush, matrices, hovered);
    }
    if (chosen) {
      this.around(brush, matrices, [chosen], THICK);
      this.ticks(brush, matrices, chosen);
    }
    this.around(brush, matrices, terms, THICK);
    this.base.dataset.lit = lit.join("; ");
  }

  /**
   * A dashed line around what was computed from a cell.
   * @param {CanvasRenderingContext2D} brush @param {Matrices} matrices @param {Cell} cell
   */
  follow(brush, matrices, cell) {
    brush.setLineDash([4, 3]);
    this.base.dataset.followed = this.around(brush, matrices, matrices.results(cell), THIN).join("; ");
    brush.setLineDash([]);
  }

  /**
   * Gold around blocks; a rim in the colour of the page sets it off from any colour of the scale.
   * @param {CanvasRenderingContext2D} brush @param {Matrices} matrices @param {(Cell | Block)[]} blocks @param {number} width
   */
  around(brush, matrices, blocks, width) {
    const { background, chosen } = this.look.colors;
    for (const [color, line] of /** @type {[string, number][]} */ ([[background, width + 2], [chosen, width]])) {
      brush.strokeStyle = color;
      brush.lineWidth = line;
      for (const block of blocks) brush.strokeRect(...box(matrices.panel(block.panel), block));
    }
    return blocks.map((block) => {
      const { panel, row, lastRow, col, lastCol } = /** @type {Block} */ (block);
      return `${panel} ${row}-${lastRow},${col}-${lastCol}`;
    });
  }

  /** @param {CanvasRenderingContext2D} brush @param {Matrices} matrices @param {Cell} cell */
  ticks(brush, matrices, cell) {
    const panel = matrices.panel(cell.panel);
    const [x, y, width, height] = box(panel, cell);
    brush.fillStyle = this.look.colors.chosen;
    brush.fillRect(panel.x - 5, y, 3, height);
    brush.fillRect(x, panel.y - 5, width, 3);
  }
}
