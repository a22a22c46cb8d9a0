import type { Venue, Zone } from '@pharos/sdk';
import { dateLocale, t } from '../../lib/words/words.ts';

/** The values of the venue's form; what is optional is empty. */
export interface VenueFields {
  readonly name: string;
  readonly timeZone: string;
  readonly address: string;
  readonly 'location.latitude': number | string;
  readonly 'location.longitude': number | string;
  readonly capacity: number | string;
  /** Null: its hours are unknown. */
  readonly openingHours: readonly Opening[] | null;
  readonly exceptions: readonly Exception[];
}

export type Opening = NonNullable<Venue['openingHours']>[number];
export type Exception = Venue['exceptions'][number];
export type Hours = Exception['hours'][number];
export const fieldsOf = (venue?: Venue): VenueFields => ({
  name: venue?.name ?? '',
  timeZone: venue?.timeZone ?? '',
  address: venue?.address ?? '',
  'location.latitude': venue?.location?.latitude ?? '',
  'location.longitude': venue?.location?.longitude ?? '',
  capacity: venue?.capacity ?? '',
  openingHours: venue?.openingHours ?? null,
  exceptions: venue?.exceptions ?? [],
});

export function bodyOf(fields: VenueFields) {
  const [latitude, longitude] = [fields['location.latitude'], fields['location.longitude']];
  return {
    name: fields.name.trim(),
    timeZone: fields.timeZone || null,
    address: fields.address.trim() || null,
    location: latitude === '' && longitude === '' ? null : { latitude, longitude },
    capacity: fields.capacity === '' ? null : fields.capacity,
    openingHours: fields.openingHours,
    exceptions: fields.exceptions.toSorted((a, b) => (a.date < b.date ? -1 : 1)),
  };
}

export const venueLabels: Readonly<Record<keyof VenueFields, string>> = {
  name: t('Name'),
  timeZone: t('Time zone'),
  address: t('Address'),
  'location.latitude': t('Latitude'),
  'location.longitude': t('Longitude'),
  capacity: t('Visitors at once, at most'),
  openingHours: t('Opening hours'),
  exceptions: t('Holidays and other days'),
};

const isNextDay = ({ from, until }: Hours) => until <= from && until !== '24:00';

/** `10:00–18:00`, `20:00–03:00 (next day)`; `closed` for none. */
export function hoursText(hours: readonly Hours[]): string {
  if (hours.length === 0) return t('closed');
  return hours
    .toSorted((a, b) => (a.from < b.from ? -1 : 1))
    .map((one) =>
      t('{from}–{until}{isNextDay, select, true { (next day)} other {}}', {
        from: one.from,
        until: one.until,
        isNextDay: Boolean(isNextDay(one)),
      }),
    )
    .join(', ');
}

const dayFormat = new Intl.DateTimeFormat(dateLocale(), {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** `Fri, 25 Dec 2026`; a day of the calendar has no time zone. */
export function dayText(date: string): string {
  const at = Date.parse(`${date}T00:00:00Z`);
  return Number.isNaN(at) ? date : dayFormat.format(at);
}

export const kindTexts: Readonly<Record<Zone['kind'], string>> = {
  room: t('Room'),
  exhibition: t('Exhibition'),
  queue: t('Queue'),
  shop: t('Shop'),
  cafe: t('Café'),
  entrance: t('Entrance'),
  passage: t('Passage'),
  stairs: t('Stairs'),
  lift: t('Lift'),
  toilets: t('Toilets'),
  staff: t('Staff only'),
  outdoors: t('Outdoors'),
  other: t('Something else'),
};
