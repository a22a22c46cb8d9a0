import { hash } from 'node:crypto';

/** What a phone keeps of a place, cut into parts of which only those that differ are sent again. Pure. */

/** The lists of a part. */
export const kinds = [
  'venues',
  'floors',
  'files',
  'zones',
  'beacons',
  'radio',
  'signals',
  'notifications',
  'storylines',
  'scenarios',
  'pictures',
] as const;
export type Kind = (typeof kinds)[number];

export interface Kept {
  readonly kind: Kind;
  /** The id, from which its part follows. */
  readonly id: string;
  readonly value: unknown;
}

type Part = Readonly<Partial<Record<Kind, readonly unknown[]>>>;

export interface Parts {
  readonly tag: string;
  readonly isWhole: boolean;
  /** By number; one without records is `{}`. */
  readonly parts: Readonly<Record<string, Part>>;
}

const partCount = 32;
/** 48 bits of each part: a change that goes unnoticed is one in 10^14. */
const digestBytes = 6;

const partOf = (id: string): number => (hash('sha256', id, 'buffer')[0] ?? 0) % partCount;

/**
 * The parts that differ from those of which `since` is the tag; all of them without it, or if it is none. A part takes the place of the
 * former one of its number, so what is gone from it was deleted, or is hidden now.
 */
export function cut(kept: readonly Kept[], since: string | undefined): Parts {
  const lists = Array.from({ length: partCount }, (): Partial<Record<Kind, unknown[]>> => ({}));
  for (const { kind, id, value } of kept) {
    const part = lists[partOf(id)] ?? {};
    part[kind] ??= [];
    part[kind].push(value);
  }
  const digests = lists.map((part) => hash('sha256', JSON.stringify(part), 'buffer').subarray(0, digestBytes));
  const known = readTag(since);
  const parts = lists.flatMap((part, number) =>
    known && digests[number]?.equals(known.subarray(number * digestBytes, (number + 1) * digestBytes))
      ? []
      : [[String(number), part] as const],
  );
  return {
    tag: Buffer.concat(digests).toString('base64url'),
    isWhole: known === undefined,
    parts: Object.fromEntries(parts),
  };
}

function readTag(tag: string | undefined): Buffer | undefined {
  const bytes = Buffer.from(tag ?? '', 'base64url');
  return bytes.length === partCount * digestBytes ? bytes : undefined;
}
