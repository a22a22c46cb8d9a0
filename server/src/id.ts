import { randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random bytes are fetched in blocks: one system call for many ids. */
let pool = Buffer.alloc(0);
let used = 0;

/** `length` characters of base62, unbiased: bytes of 248 and more are thrown away. */
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    if (used >= pool.length) {
      pool = randomBytes(4096);
      used = 0;
    }
    const byte = pool[used++] ?? 255;
    if (byte < 248) text += alphabet[byte % 62];
  }
  return text;
}

function timeText(now: number): string {
  let rest = now;
  let text = '';
  for (let place = 0; place < 8; place++) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
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
