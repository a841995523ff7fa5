// The forward pass as moments: nothing yet, a block of the encoder at a time, then of the decoder in its first turn, each
// later turn at once, and the whole. What can be seen at a moment follows from its number alone.

/** @import { MapMessage } from "./types.d.ts" */
/** `block` is the number of the one at work. @typedef {{turn: number, block?: number}} Moment */

const SLOW = { block: 1400, attention: 2400, norm: 900, word: 2000, turn: 1100 }; // milliseconds of a moment
const MOST = 20_000; // of all turns after the first

/** Pure: it knows the moments, and nothing of the page. */
export class Story {
  /** @param {Pick<MapMessage, "pictures" | "turns" | "cross" | "threads">} data */
  constructor(data) {
    const numbers = data.pictures.map((_, index) => index);
    this.encoder = numbers.filter((index) => data.pictures[index].side === "encoder");
    this.decoder = numbers.filter((index) => data.pictures[index].side === "decoder");
    this.pictures = data.pictures;
    this.turns = data.turns.length;
    this.first = this.encoder.length + this.decoder.length; // the last moment of the first turn
    this.last = this.turns && this.first + this.turns;
    this.cross = data.cross;
    this.attention = new Set(data.threads.map(({ block }) => block));
    this.hurry = Math.min(1, MOST / (SLOW.turn * Math.max(1, this.turns - 1)));
  }

  /** The turn, counted from 1 (0 is the encoder's), and the block at work. @param {number} moment @returns {Moment} */
  at(moment) {
    if (moment === 0) return { turn: 0 };
    if (moment === this.last) return { turn: this.turns };
    if (moment > this.first) return { turn: moment - this.first + 1, block: this.cross };
    const block = moment - 1;
    return { turn: block < this.encoder.length ? 0 : 1, block };
  }

  /**
   * How many rows of a block's tensor there are: all of the encoder's at once, one more of the decoder's each turn.
   * @param {number} index @param {number} moment
   */
  rows(index, moment) {
    const { turn, block } = this.at(moment);
    if (this.pictures[index].side === "encoder") {
      const reached = turn > 0 || (block !== undefined && index <= block);
      return reached ? this.pictures[index].size[1] : 0;
    }
    return turn === 1 && block !== undefined && index > block ? 0 : turn;
  }

  /** How many words are written. @param {number} moment */
  words(moment) {
    return this.rows(this.decoder.at(-1), moment);
  }

  /** The turns whose attention to the source can be seen. @param {number} moment */
  looks(moment) {
    return this.rows(this.cross, moment);
  }

  /** Whether a moment is a turn after the first, in which the whole decoder works. @param {number} moment */
  isTurn(moment) {
    return moment > this.first && moment < this.last;
  }

  /** Milliseconds. @param {number} moment */
  duration(moment) {
    const { turn, block } = this.at(moment);
    if (block === undefined) return 0;
    if (turn > 1) return this.hurry * SLOW.turn;
    if (this.attention.has(block)) return SLOW.attention;
    if (block === this.decoder.at(-1)) return SLOW.word;
    return this.pictures[block].brief ? SLOW.norm : SLOW.block;
  }
}
