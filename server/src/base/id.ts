import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const letters = Uint8Array.from(alphabet, (letter) => letter.charCodeAt(0));

/** Random bytes are fetched in blocks: one system call for many ids. */
const pool = new Uint8Array(4096);
let used = pool.length;
let text = Buffer.alloc(64);

/** A random digit of base62, unbiased: bytes of 248 and more are discarded. */
function randomDigit(): number {
  for (;;) {
    if (used >= pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const byte = pool[used++] ?? 255;
    if (byte < 248) return byte % 62;
  }
}

/** `length` random characters of base62. */
export function randomText(length: number): string {
  if (text.length < length) text = Buffer.alloc(length);
  for (let place = 0; place < length; place++) text[place] = letters[randomDigit()] ?? 0;
  return text.toString('latin1', 0, length);
}

/** The last encoded time: many ids are made in one millisecond. */
let last = { time: -1, text: '' };

function timeText(time: number): string {
  if (time === last.time) return last.text;
  let rest = time;
  let text = '';
  for (let place = 0; place < 8; place++) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  last = { time, text };
  return text;
}

const lastTime = 62 ** 8 - 1;

/** Sorts before every objectId of this time (epoch ms) or later, and after those of earlier times. */
export function firstIdAt(time: number): string {
  return timeText(Math.min(Math.max(time, 0), lastTime));
}

/** Digits of an objectId after its time. */
const tailLength = 12;
/** This many of the last digits hold the distance from the previous id in the same millisecond. */
const stepLength = 9;
/** Number of times whose last id is remembered: requests of several milliseconds are in progress at once. */
const rememberedTimes = 32;

/** The last id's digits after the time, by time. */
const lastTails = new Map<number, Uint8Array>();

/**
 * A new objectId: 8 characters of time (epoch ms) and 12 more, so that ids sort by creation and new rows land at the
 * end of an index. Pass the same `now` as for `createdAt`, so that both orders agree. Ids that this process makes
 * within one millisecond ascend: each is a random step of up to 53 bits after the previous one, and the first has 70
 * random bits, so that no id helps to guess another.
 */
export function newObjectId(now: number): string {
  const last = lastTails.get(now);
  if (last && advance(last)) return timeText(now) + tailText(last);
  const tail = last ?? new Uint8Array(tailLength);
  begin(tail);
  if (!last) {
    // A Map iterates in the order of insertion.
    if (lastTails.size >= rememberedTimes) lastTails.delete(lastTails.keys().next().value ?? 0);
    lastTails.set(now, tail);
  }
  return timeText(now) + tailText(tail);
}

/** In the lower half, which leaves room for a hundred thousand steps. */
function begin(tail: Uint8Array): void {
  for (let place = 0; place < tailLength; place++) tail[place] = randomDigit();
  tail[0] = (tail[0] ?? 0) >> 1;
}

/** Adds a random number from 1 to 62^9. False when there is no room, after some hundred thousand ids. */
function advance(tail: Uint8Array): boolean {
  let carry = 1;
  for (let place = tailLength - 1; place >= 0; place--) {
    const isStep = place >= tailLength - stepLength;
    if (!isStep && carry === 0) return true;
    const sum = (tail[place] ?? 0) + (isStep ? randomDigit() : 0) + carry;
    carry = sum >= 62 ? 1 : 0;
    tail[place] = carry === 1 ? sum - 62 : sum;
  }
  return carry === 0;
}

function tailText(tail: Uint8Array): string {
  for (let place = 0; place < tailLength; place++) text[place] = letters[tail[place] ?? 0] ?? 0;
  return text.toString('latin1', 0, tailLength);
}
