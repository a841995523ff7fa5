// The forward pass as moments: nothing yet, a block of the encoder at a time, then of the decoder in its first turn, each
// later turn at once, and the whole. What can be seen at a moment follows from its number alone, and how long it lasts
// from what there is to read in it.

/** @import { MapMessage } from "./types.d.ts" */
/** `block` is the number of the one at work. @typedef {{turn: number, block?: number}} Moment */

const TIME = { first: 13_500, brief: 300, turn: 1000, later: 6000 }; // milliseconds: of the first turn, of a moment in it
// without a sentence, of a later turn, and of all those together at the most
const LOOK = { block: 20, attention: 40 }; // what there is to see, in letters to read
const IDEOGRAPH = 3; // letters that are read in the same time

/** Pure: it knows the moments, and nothing of the page. */
export class Story {
  /** @param {Pick<MapMessage, "pictures" | "turns" | "cross" | "threads" | "beats">} data */
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
    this.turn = Math.min(TIME.turn, TIME.later / Math.max(1, this.turns - 1));
    const spoken = numbers.filter((index) => !this.pictures[index].brief);
    /** By block, what there is to read and to see. @type {Map<number, number>} */
    this.weights = new Map(spoken.map((index) => [index, letters(data.beats[index + 1]) + this.look(index)]));
    const whole = [...this.weights.values()].reduce((sum, weight) => sum + weight, 0);
    this.letter = (TIME.first - TIME.brief * (numbers.length - spoken.length)) / whole;
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

  /** @param {number} block */
  look(block) {
    return this.attention.has(block) ? LOOK.attention : LOOK.block;
  }

  /** Milliseconds. @param {number} moment */
  duration(moment) {
    const { turn, block } = this.at(moment);
    if (block === undefined) return 0;
    if (turn > 1) return this.turn;
    return this.pictures[block].brief ? TIME.brief : this.weights.get(block) * this.letter;
  }

  /** The moment whose sentence stands there while it plays: a brief one leaves that of the one before. @param {number} moment @returns {number} */
  tells(moment) {
    const { turn, block } = this.at(moment);
    return turn < 2 && this.pictures[block]?.brief ? this.tells(moment - 1) : moment;
  }
}

/** How long a sentence is to read. @param {string} [markup] */
function letters(markup = "") {
  const text = markup.replaceAll(/<[^>]*>/g, "");
  return text.length + (IDEOGRAPH - 1) * (text.match(/\p{Script=Han}/gu)?.length ?? 0);
}
