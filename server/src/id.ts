import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Two characters for each number below 3,844: an id is put together from half as many pieces. */
const pairs = [...alphabet].flatMap((first) => [...alphabet].map((second) => first + second));
const fairest = 65_536 - (65_536 % pairs.length);

/** Random numbers are fetched in blocks: one system call for many ids. */
const pool = new Uint16Array(2048);
let used = pool.length;

function randomPair(): string {
  for (;;) {
    if (used >= pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const number = pool[used++] ?? fairest;
    if (number < fairest) return pairs[number % pairs.length] as string;
  }
}

/** `length` characters of base62, unbiased: what would make some of them more likely is thrown away. */
export function randomText(length: number): string {
  let text = '';
  for (let place = 1; place < length; place += 2) text += randomPair();
  return length % 2 === 0 ? text : text + randomPair().charAt(0);
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
