/** IMDF knows its features by UUIDs of version 4; an objectId has room in the 122 bits of one, and comes back out of it. */

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const objectId = /^[0-9A-Za-z]{20}$/;
const uuid = /^([0-9a-f]{8})-([0-9a-f]{4})-4([0-9a-f]{3})-([89ab])([0-9a-f]{3})-([0-9a-f]{12})$/;

/** Which feature of a record: some features of IMDF are of no record of their own. */
export const parts = ['record', 'building', 'footprint', 'address'] as const;
export type Part = (typeof parts)[number];

/** 62²⁰ is less than 2¹²⁰, so that two bits are left for the part. */
const partBit = 120n;

export function uuidOf(id: string, part: Part = 'record'): string {
  let value = 0n;
  for (const letter of id) value = (value * 62n + BigInt(Math.max(0, digits.indexOf(letter)))) % (1n << partBit);
  value += BigInt(parts.indexOf(part)) << partBit;
  const hex = value.toString(2).padStart(122, '0');
  const nibbles = (from: number, count: number) =>
    BigInt(`0b${hex.slice(from, from + 4 * count)}`)
      .toString(16)
      .padStart(count, '0');
  const variant = '89ab'[Number.parseInt(hex.slice(60, 62), 2)] ?? '8';
  return `${nibbles(0, 8)}-${nibbles(32, 4)}-4${nibbles(48, 3)}-${variant}${nibbles(62, 3)}-${nibbles(74, 12)}`;
}

/** The objectId in a UUID that `uuidOf` made of a record; undefined: somebody else made it. */
export function objectIdOf(text: string): string | undefined {
  const found = uuid.exec(text.toLowerCase());
  if (!found) return undefined;
  const [, a = '', b = '', c = '', variant = '', d = '', e = ''] = found;
  const bits = (hex: string) =>
    BigInt(`0x${hex}`)
      .toString(2)
      .padStart(4 * hex.length, '0');
  const two = '89ab'.indexOf(variant).toString(2).padStart(2, '0');
  let value = BigInt(`0b${bits(a)}${bits(b)}${bits(c)}${two}${bits(d)}${bits(e)}`);
  let id = '';
  for (let place = 0; place < 20; place++) {
    id = (digits[Number(value % 62n)] ?? '0') + id;
    value /= 62n;
  }
  return value === 0n && objectId.test(id) && uuidOf(id) === text.toLowerCase() ? id : undefined;
}
