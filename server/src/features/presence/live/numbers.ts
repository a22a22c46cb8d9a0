import { createHmac } from 'node:crypto';
import type { Db } from '../../../db/db.ts';
import { findOwnText } from '../../../db/settings.ts';

/** How a listener is told the numbers of events. */
export interface Numbers {
  readonly encode: (seq: number) => number;
  /** Reads a number that the listener sends back. */
  readonly decode: (shown: number) => number;
}

/** For those who hear of all events. */
export const plainNumbers: Numbers = { encode: (seq) => seq, decode: (shown) => shown };

const keySetting = 'stream_numbers';

/** One key for all nodes, kept over restarts, so that streams can be resumed anywhere. */
export const readNumbersKey = (db: Db): Promise<string> => findOwnText(db, keySetting, 43);

/** Of 48 bits, which a number holds exactly: 36 for what counts, and 12 random ones. */
const chanceBits = 12;
const maxShown = 2 ** 48;
const half = 2 ** 24;
const rounds = 8;

/**
 * Numbers for somebody who hears only of some events. From the true ones she would know how many others there are, and when. These
 * look random, and one event is told with another number each time; only the service reads them.
 */
export function secretNumbers(key: string, listener: string): Numbers {
  const mix = (round: number, part: number): number =>
    createHmac('sha256', key)
      .update(JSON.stringify([listener, round, part]))
      .digest()
      .readUIntBE(0, 3);
  return {
    encode(seq) {
      const plain = seq * 2 ** chanceBits + Math.floor(Math.random() * 2 ** chanceBits);
      let [left, right] = [Math.floor(plain / half), plain % half];
      for (let round = 0; round < rounds; round++) [left, right] = [right, left ^ mix(round, right)];
      return left * half + right;
    },
    decode(shown) {
      if (!(shown < maxShown)) return Number.NaN;
      let [left, right] = [Math.floor(shown / half), shown % half];
      for (let round = rounds - 1; round >= 0; round--) [left, right] = [right ^ mix(round, left), left];
      return Math.floor((left * half + right) / 2 ** chanceBits);
    },
  };
}
