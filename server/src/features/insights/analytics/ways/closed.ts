import { WorkSlices } from '../../../../base/work-slices.ts';
import type { Db } from '../../../../db/db.ts';
import { Dwells } from '../numbers/dwells.ts';
import type { Kept, Sized } from '../numbers/kept.ts';
import { type Part, stampsOf } from '../numbers/periods.ts';
import { SealedSet } from '../numbers/sealed-set.ts';
import { addRow } from './rows.ts';
import * as store from './store.ts';
import { type Way, type WayKind, Ways, wayText } from './tours.ts';

/**
 * A cache of closed periods: the ways of years, months and parts of months, until these are rewritten. See ADR 33.
 */

export interface KeepingWays {
  readonly db: Db;
  readonly appId: string;
  /** The app's time zone: cached days and hours are in it. */
  readonly zone: string;
  readonly kept: Kept;
}

export interface ClosedParts {
  readonly closed: readonly Part[];
  /** The days that change or may have changed. */
  readonly open: readonly Part[];
}

export function closedOf(parts: readonly Part[]): ClosedParts {
  return { closed: parts.filter(({ stamps }) => stamps), open: parts.filter(({ stamps }) => !stamps) };
}

/**
 * The closed periods of all venues or of one: from the entry of all venues if it is cached, otherwise of the venue alone.
 *
 * @param what names the kind of entry
 */
export async function keptOf<T extends Sized>(
  { db, appId, zone, kept }: KeepingWays,
  {
    what,
    parts,
    venueId,
  }: { readonly what: string; readonly parts: readonly Part[]; readonly venueId?: string | undefined },
  read: (venueId: string | undefined) => Promise<T>,
): Promise<T> {
  const stamps = parts.flatMap(({ stamps }) => stamps ?? []);
  const keyOf = (venue: string) => [appId, zone, what, venue, ...stamps].join('|');
  const all = keyOf('');
  const asked = kept.has(all) ? undefined : venueId;
  const stretch = { appId, from: parts[0]?.from ?? 0, until: parts.at(-1)?.until ?? 0 };
  const isStill = async () => {
    const now = await stampsOf(db, stretch);
    return stamps.every((stamp) => now.has(stamp));
  };
  return kept.of(asked === undefined ? all : keyOf(asked), () => read(asked), isStill);
}

interface ClosedWay {
  readonly venueId: string;
  readonly place: string;
  readonly tours: number;
  /** Undefined for paths. */
  readonly times: Dwells | undefined;
  readonly visitors: SealedSet;
}

interface ClosedWays extends Sized {
  readonly ways: ReadonlyMap<string, ClosedWay>;
}

/** A way with its closed part and what was added since. Visitors are counted on demand. */
export class CountedWay {
  readonly place: string;
  readonly tours: number;
  readonly #closed: ClosedWay | undefined;
  readonly #open: Way | undefined;

  constructor(closed: ClosedWay | undefined, open: Way | undefined) {
    this.place = closed?.place ?? open?.place ?? '';
    this.tours = (closed?.tours ?? 0) + (open?.tours ?? 0);
    this.#closed = closed;
    this.#open = open;
  }

  get times(): Dwells {
    const [closed, open] = [this.#closed?.times, this.#open?.times];
    if (!closed || !open) return closed ?? open ?? new Dwells();
    const times = new Dwells();
    times.addAll(closed);
    times.addAll(open);
    return times;
  }

  visitors(): number {
    if (!this.#closed) return this.#open?.visitors.size() ?? 0;
    return this.#open ? this.#closed.visitors.sizeWith(this.#open.visitors) : this.#closed.visitors.size;
  }
}

export interface AskedWays {
  readonly kind: WayKind;
  readonly venueId: string | undefined;
  /** Whether the caller may see the ways of a venue. The cache holds all venues. */
  readonly isTheirs: (venueId: string) => boolean;
  readonly isAsked: (way: Pick<Way, 'place'>) => boolean;
}

/** The ways of a kind, in no order. */
export async function readKept(by: KeepingWays, parts: readonly Part[], asked: AskedWays): Promise<CountedWay[]> {
  const { kind, venueId, isTheirs, isAsked } = asked;
  const { closed, open } = closedOf(parts);
  const ways = new Ways();
  for (const part of open)
    for await (const row of rowsOfPart(by, part, { kind, venueId }))
      if (isTheirs(row.venue_id) && isAsked(row)) addRow(ways, row);
  if (closed.length === 0) return [...ways.all()].map((way) => new CountedWay(undefined, way));
  const kept = await keptOf(by, { what: kind, parts: closed, venueId }, (venue) =>
    readClosed(by, closed, { kind, venueId: venue }),
  );
  const counted: CountedWay[] = [];
  for (const [text, way] of kept.ways)
    if (isTheirs(way.venueId) && isAsked(way) && (venueId === undefined || way.venueId === venueId))
      counted.push(new CountedWay(way, ways.find(text)));
  for (const way of ways.all()) if (!kept.ways.has(wayText(way))) counted.push(new CountedWay(undefined, way));
  return counted;
}

type OfKind = Pick<AskedWays, 'kind' | 'venueId'>;

const rowsOfPart = ({ db, appId }: KeepingWays, { unit, from, until }: Part, { kind, venueId }: OfKind) =>
  store.readWays(db, { appId, kind, span: unit, from, until }, { venueId });

async function readClosed(by: KeepingWays, parts: readonly Part[], of: OfKind): Promise<ClosedWays> {
  const ways = new Ways();
  for (const part of parts) for await (const row of rowsOfPart(by, part, of)) addRow(ways, row);
  const sealed = new Map<string, ClosedWay>();
  const slices = new WorkSlices();
  let bytes = 0;
  for (const way of ways.all()) {
    const { venueId, place, tours } = way;
    const visitors = new SealedSet(way.visitors);
    const times = of.kind === 'path' ? undefined : way.times;
    sealed.set(wayText(way), { venueId, place, tours, times, visitors });
    bytes += visitors.bytes + bytesOfText * place.length + (times ? Dwells.bytes : 0);
    await slices.rest();
  }
  return { ways: sealed, bytes };
}

/** Bytes for each letter of a place, which is in the way and in its key. */
const bytesOfText = 4;
