// The forward pass as moments: nothing yet, a block of the encoder at a time, those of the decoder in every turn, and
// the whole. What can be seen at a moment follows from its number alone.

/** @import { MapMessage } from "./types.d.ts" */
/** `block` is the number of the one at work. @typedef {{turn: number, block?: number}} Moment */

const SLOW = { encoder: 700, first: 550, later: 150, word: 550 }; // milliseconds of a moment
const MOST = 20_000; // of all turns after the first

/** Pure: it knows the moments, and nothing of the page. */
export class Story {
  /** @param {Pick<MapMessage, "pictures" | "turns" | "cross">} data */
  constructor(data) {
    const numbers = data.pictures.map((_, index) => index);
    this.encoder = numbers.filter((index) => data.pictures[index].side === "encoder");
    this.decoder = numbers.filter((index) => data.pictures[index].side === "decoder");
    this.pictures = data.pictures;
    this.turns = data.turns.length;
    this.last = this.encoder.length + this.decoder.length * this.turns + 1;
    this.cross = data.cross;
    const turn = SLOW.later * (this.decoder.length - 2) + 2 * SLOW.word;
    this.hurry = Math.min(1, MOST / (turn * Math.max(1, this.turns - 1)));
  }

  /** The turn, counted from 1 (0 is the encoder's), and the block at work. @param {number} moment @returns {Moment} */
  at(moment) {
    const step = moment - 1 - this.encoder.length;
    if (moment === 0) return { turn: 0 };
    if (moment === this.last) return { turn: this.turns };
    if (step < 0) return { turn: 0, block: this.encoder[moment - 1] };
    const turn = 1 + Math.floor(step / this.decoder.length);
    return { turn, block: this.decoder[step % this.decoder.length] };
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
    return block === undefined || turn === 0 || index <= block ? turn : turn - 1;
  }

  /** How many words are written. @param {number} moment */
  words(moment) {
    return this.rows(this.decoder.at(-1), moment);
  }

  /** The turns whose attention to the source can be seen. @param {number} moment */
  looks(moment) {
    return this.rows(this.cross, moment);
  }

  /** Milliseconds. @param {number} moment */
  duration(moment) {
    const { turn, block } = this.at(moment);
    if (block === undefined) return 0;
    if (turn < 2) return turn === 0 ? SLOW.encoder : SLOW.first;
    const long = block === this.decoder[0] || block === this.decoder.at(-1);
    return this.hurry * (long ? SLOW.word : SLOW.later);
  }
}
