/** SHA-256 (FIPS 180-4) without a platform's own: a browser's works only asynchronously, a phone's JavaScript has none. Not for secrets. */

const isPrime = (n: number) => n > 1 && !Array.from({ length: n }, (_, by) => by).some((by) => by > 1 && n % by === 0);
const primes = Array.from({ length: 312 }, (_, n) => n).filter(isPrime);
/** The first 32 bits after the point. */
const fraction = (root: number) => Math.floor((root % 1) * 2 ** 32);
const initial = Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)));
const constants = Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)));

const words = new Int32Array(64);
let bytes = new Uint8Array(512);

/** The digest of a well-formed text in UTF-8, as eight words of 32 bits. */
export function digestOf(text: string): Uint32Array {
  if (bytes.length < text.length * 3 + 72) bytes = new Uint8Array(text.length * 6 + 72);
  const length = encode(text);
  const end = (((length + 8) >> 6) + 1) << 6;
  bytes.fill(0, length, end);
  bytes[length] = 0x80;
  // The length in bits; texts are shorter than 500 MB.
  for (let byte = 0; byte < 4; byte++) bytes[end - 1 - byte] = (length << 3) >>> (byte * 8);
  const state = initial.slice();
  for (let at = 0; at < end; at += 64) compress(state, at);
  return state;
}

/** Writes the text into `bytes`, and returns its length there. */
function encode(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.codePointAt(index) as number;
    if (code < 0x80) bytes[length++] = code;
    else {
      const more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
      if (more === 3) index++;
      bytes[length++] = ([0, 0xc0, 0xe0, 0xf0][more] as number) | (code >> (6 * more));
      for (let left = more - 1; left >= 0; left--) bytes[length++] = 0x80 | ((code >> (6 * left)) & 0x3f);
    }
  }
  return length;
}

const turn = (word: number, by: number) => (word >>> by) | (word << (32 - by));

/** Adds the block of 64 bytes that begins there. */
function compress(state: Uint32Array, at: number): void {
  const w = words;
  for (let i = 0; i < 16; i++) {
    const from = at + i * 4;
    w[i] = (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!;
  }
  for (let i = 16; i < 64; i++) {
    const [near, far] = [w[i - 2]!, w[i - 15]!];
    const ofNear = turn(near, 17) ^ turn(near, 19) ^ (near >>> 10);
    const ofFar = turn(far, 7) ^ turn(far, 18) ^ (far >>> 3);
    w[i] = ofNear + w[i - 7]! + ofFar + w[i - 16]!;
  }
  // Taking an array apart would go through its iterator.
  let [a, b, c, d] = [state[0]!, state[1]!, state[2]!, state[3]!];
  let [e, f, g, h] = [state[4]!, state[5]!, state[6]!, state[7]!];
  for (let i = 0; i < 64; i++) {
    const chosen = (e & f) ^ (~e & g);
    const first = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + chosen + constants[i]! + w[i]!) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
}
