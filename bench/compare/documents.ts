/** The records, the same for every target: the same n gives the same record. */

export interface Document {
  readonly species: string;
  readonly count: number;
  readonly seenAt: string;
  readonly note: string;
  /** No schema declares the members in here. */
  readonly extra: { readonly site: string; readonly level: number };
}

const note = 'Seen from the path beside the old lighthouse, in the rain, between two gusts from the north-west.';

/** A whole number below `below` that looks random but is not. */
function scattered(n: number, below: number): number {
  let mixed = Math.imul(n ^ 0x9e3779b9, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return ((mixed ^ (mixed >>> 16)) >>> 0) % below;
}

export function documentOf(n: number): Document {
  return {
    species: `Species ${scattered(n, 50)}`,
    count: scattered(n + 1_000_003, 1000),
    seenAt: new Date(Date.UTC(2026, 0, 1) + n * 60_000).toISOString(),
    note,
    extra: { site: `Site ${scattered(n + 2_000_003, 50)}`, level: scattered(n + 3_000_017, 1000) },
  };
}

export const documents = (count: number, from = 0): Document[] =>
  Array.from({ length: count }, (_, n) => documentOf(from + n));

/** The filter of the lists: one of fifty values, and at least a certain count; the highest first. */
export const wanted = Array.from({ length: 50 }, (_, n) => ({ name: n, least: 500 + n }));
