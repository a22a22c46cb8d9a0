import type { Venue } from '@pharos/sdk';
import { entityTag, operations } from '@pharos/sdk';
import { asItIsNow } from '../../../components/form/use-one-click.ts';
import { changeAsPreviewed, changedSince } from '../../../components/import/as-previewed.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { canonical } from '../../../lib/text/json-compare.ts';
import { t } from '../../../lib/words/words.ts';
import { asKnown, type ReadHours, readOsmHours } from '../osm-hours.ts';
import type { Exception } from '../venue-fields.ts';
import { capacityOf, compared, type PlannedFeature, refused, rowOf } from './planned.ts';
import { type Found, labelOf } from './read.ts';

/** What a file would change of the venue itself, its hours and its holidays. */
export class VenueRows {
  readonly #appId: string;
  readonly #venue: Venue;
  #days: Promise<unknown> = Promise.resolve();

  constructor(appId: string, venue: Venue) {
    this.#appId = appId;
    this.#venue = venue;
  }

  /** Of another venue, whose floors are copied here, nothing is taken over. */
  row(found: Found): readonly PlannedFeature[] {
    const venue = this.#venue;
    if (found.id !== venue.objectId) return [];
    const { name, time_zone, address } = found.properties;
    const read = hoursOf(found);
    if ('unknown' in read)
      return [
        refused(
          found,
          t(
            'This part of its hours cannot be understood: {text}. Hours of weekdays and of dates can, such as Tu-Su 10:00-18:00; 2026 Dec 25 off.',
            { text: read.unknown.slice(0, 100) },
          ),
        ),
      ];
    const { openingHours, exceptions } = asKnown(read, venue);
    const wanted = {
      name: labelOf(name) || venue.name,
      ...(openingHours ? { openingHours } : {}),
      ...(exceptions.length > 0 ? { exceptions: withDays(venue.exceptions, exceptions) } : {}),
      ...capacityOf(found),
      ...(typeof time_zone === 'string' && time_zone !== '' ? { timeZone: time_zone } : {}),
      ...(typeof address === 'string' && address !== '' ? { address } : {}),
    };
    const { venues } = dataOf(this.#appId);
    const save = async ({ exceptions: changed, ...members }: Partial<Pick<Venue, 'exceptions'>>, before: object) => {
      await changeAsPreviewed({
        before: before as Readonly<Record<string, unknown>>,
        after: members,
        read: () => venues.get(venue.objectId),
        send: (ifMatch) => venues.update(venue.objectId, members, { ifMatch }),
      });
      // Day by day, so that what somebody else has changed of other days stays.
      if (changed) for (const day of exceptions) await this.#save(day);
    };
    return [{ ...compared(found, venue, wanted, save), name: wanted.name }];
  }

  /** A day with hours of its own, of a table that is read. */
  day(found: Found): PlannedFeature {
    const venue = this.#venue;
    const { date, hours } = found.properties as unknown as Exception;
    const known = venue.exceptions.find((one) => one.date === date);
    const name = labelOf(found.properties['name']) || known?.name;
    const day: Exception = { date, hours, ...(name ? { name } : {}) };
    const apply = () => this.#save(day);
    const row = { ...rowOf(found), name: name || date };
    return known ? { ...compared(found, known, day, apply), name: row.name } : { ...row, kind: 'new', apply };
  }

  /** One after the other: all days are one member of the venue. */
  #save(day: Exception): Promise<void> {
    const before = this.#venue.exceptions.find(({ date }) => date === day.date);
    const saving = this.#days.then(() => changeDay(this.#appId, this.#venue.objectId, { before, day }));
    this.#days = saving.catch(() => undefined);
    return saving;
  }
}

/** A table has cells of its own; other files have the text of OpenStreetMap. */
function hoursOf({ properties: { hours, opening_hours } }: Found): ReadHours | { readonly unknown: string } {
  if (typeof hours === 'string') return readOsmHours(hours);
  const openingHours = Array.isArray(opening_hours) ? (opening_hours as ReadHours['openingHours']) : undefined;
  return { openingHours, exceptions: [] };
}

/** In the order that they have, where none is new. */
function withDays(known: readonly Exception[], days: readonly Exception[]): readonly Exception[] {
  const changed = known.map((one) => days.find(({ date }) => date === one.date) ?? one);
  const fresh = days.filter(({ date }) => known.every((one) => one.date !== date));
  return fresh.length === 0 ? changed : [...changed, ...fresh].sort((a, b) => (a.date < b.date ? -1 : 1));
}

const isSame = (one: Exception | undefined, other: Exception | undefined) =>
  canonical(one ?? null) === canonical(other ?? null);

/**
 * Gives one day of a venue its hours, unless somebody else has done so since the preview; what they change of other days at the same time
 * stays.
 *
 * @throws Error whose message is a sentence, PharosError
 */
export function changeDay(
  appId: string,
  venueId: string,
  { before, day }: { readonly before: Exception | undefined; readonly day: Exception },
): Promise<void> {
  const data = dataOf(appId);
  return asItIsNow(async () => {
    const venue = await data.venues.get(venueId);
    const now = venue.exceptions.find(({ date }) => date === day.date);
    if (isSame(now, day)) return;
    if (!isSame(now, before)) throw changedSince();
    const others = venue.exceptions.filter(({ date }) => date !== day.date);
    const exceptions = [...others, day].sort((a, b) => (a.date < b.date ? -1 : 1));
    await data.call(operations.updateVenue, {
      params: { objectId: venueId },
      body: { exceptions },
      ifMatch: entityTag(venue),
    });
  });
}
