import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const letters = Uint8Array.from(alphabet, (letter) => letter.charCodeAt(0));

/** Random bytes are fetched in blocks: one system call for many ids. */
const pool = new Uint8Array(4096);
let used = pool.length;
let text = Buffer.alloc(64);

/** `length` characters of base62, unbiased: bytes of 248 and more are thrown away. */
export function randomText(length: number): string {
  if (text.length < length) text = Buffer.alloc(length);
  for (let place = 0; place < length; ) {
    if (used >= pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const byte = pool[used++] ?? 255;
    if (byte < 248) text[place++] = letters[byte % 62] ?? 0;
  }
  return text.toString('latin1', 0, length);
}

/** The last time that was put into words: many ids are made in one millisecond. */
let told = { time: -1, text: '' };

function timeText(time: number): string {
  if (time === told.time) return told.text;
  let rest = time;
  let text = '';
  for (let place = 0; place < 8; place++) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  told = { time, text };
  return text;
}

const lastTime = 62 ** 8 - 1;

/** Sorts before every objectId of the time (epoch ms) and of later ones, and behind those of earlier ones. */
export function firstIdAt(time: number): string {
  return timeText(Math.min(Math.max(time, 0), lastTime));
}

/**
 * A new objectId: 8 characters of time (epoch ms) and 12 random ones (71 bits), so that ids sort by creation and new
 * rows land at the end of an index. Give it the same `now` as `createdAt`: then both orders are the same.
 */
export function newObjectId(now: number): string {
  return timeText(now) + randomText(12);
}
