import { WorkSlices } from '../../../base/work-slices.ts';
import type { Db } from '../../../db/db.ts';
import { addDays, dateOf, dayStart } from './numbers/calendar.ts';
import type { PlaceHistory } from './numbers/places.ts';
import * as store from './numbers/store.ts';
import { type RollupCells, Tallies, Tally } from './numbers/tally.ts';

export interface AddingUp {
  readonly db: Db;
  readonly state: store.StateRow;
  readonly places: PlaceHistory;
}

interface Day {
  readonly date: string;
  readonly hours: Set<number>;
  readonly beacons: Set<string>;
  /** The zones, floors and venues in which the beacons were, by `keyOf`. */
  readonly places: Set<string>;
  /** The places with the hour, by `keyOf`. */
  readonly hoursOfPlaces: Set<string>;
}

interface BeaconHour {
  readonly beaconId: string;
  /** Its beginning, epoch ms. */
  readonly hour: number;
}

const keyOf = (dimension: store.PlaceDimension, id: string) => `${dimension} ${id}`;
const hourKey = (hour: number, key: string) => `${hour} ${key}`;

function daysOf({ state, places: history }: AddingUp, touched: readonly BeaconHour[]): Iterable<Day> {
  const days = new Map<string, Day>();
  for (const { beaconId, hour } of touched) {
    const date = dateOf(hour, state.time_zone);
    const day = days.get(date) ?? {
      date,
      hours: new Set(),
      beacons: new Set(),
      places: new Set(),
      hoursOfPlaces: new Set(),
    };
    days.set(date, day);
    day.hours.add(hour);
    day.beacons.add(beaconId);
    for (const dimension of store.placeDimensions) {
      const id = history.idAt(dimension, beaconId, hour);
      if (id === undefined) continue;
      day.places.add(keyOf(dimension, id));
      day.hoursOfPlaces.add(hourKey(hour, keyOf(dimension, id)));
    }
  }
  return days.values();
}

/** Adds up first the hours (each place, and all beacons together), then the days (each beacon, each place, and all together). */
export async function addUp(by: AddingUp, touched: readonly BeaconHour[]): Promise<void> {
  for (const day of daysOf(by, touched)) await addUpDay(by, day);
}

async function addUpDay({ db, state, places: history }: AddingUp, day: Day): Promise<void> {
  const { app_id: appId, time_zone: zone } = state;
  const { date, hours, beacons, places, hoursOfPlaces } = day;
  const [from, until] = [dayStart(date, zone), dayStart(addDays(date, 1), zone)];
  const ofHours = await store.rollupsOf(db, { appId, span: 'hour', from, until });
  const [allHours, ofBeacons, allDay] = [new Tallies<number>(), new Tallies<string>(), new Tally()];
  const [ofPlaces, hourly] = [new Tallies<string>(), new Tallies<string>()];
  const slices = new WorkSlices();
  for (const row of ofHours) {
    if (slices.isOver) await slices.rest();
    const { started_at: hour, beacon_id: beaconId } = row;
    if (hours.has(hour)) allHours.of(hour).add(row);
    if (beacons.has(beaconId)) ofBeacons.of(beaconId).add(row);
    allDay.add(row);
    for (const dimension of store.placeDimensions) {
      const id = history.idAt(dimension, beaconId, hour);
      if (id === undefined) continue;
      const key = keyOf(dimension, id);
      if (places.has(key)) ofPlaces.of(key).add(row);
      if (hoursOfPlaces.has(hourKey(hour, key))) hourly.of(hourKey(hour, key)).add(row);
    }
  }
  const rowOf = (span: store.RollupSpan, startedAt: number, id: string, tally: Tally | undefined): store.RollupRow => ({
    app_id: appId,
    span,
    started_at: startedAt,
    beacon_id: id,
    ...(tally ?? new Tally()).cells(),
  });
  await store.saveRollups(db, [
    ...[...hours].map((hour) => rowOf('allHour', hour, '', allHours.find(hour))),
    ...[...beacons].map((beacon) => rowOf('day', from, beacon, ofBeacons.find(beacon))),
    rowOf('allDay', from, '', allDay),
    ...[...places].map((key) => {
      const [dimension, id] = placeOf(key);
      return rowOf(`${dimension}Day`, from, id, ofPlaces.find(key));
    }),
    ...[...hoursOfPlaces].map((key) => {
      const [hour = '', kind = '', name = ''] = key.split(' ');
      const [dimension, id] = placeOf(`${kind} ${name}`);
      return rowOf(`${dimension}Hour`, Number(hour), id, hourly.find(key));
    }),
  ]);
}

function placeOf(key: string): [store.PlaceDimension, string] {
  const [dimension = '', id = ''] = key.split(' ');
  return [dimension as store.PlaceDimension, id];
}

/** Adds up the zones, floors and venues of a day again, by where its beacons were. */
export async function addUpPlaces(
  { db, state, places: history }: AddingUp,
  { from, until }: { readonly from: number; readonly until: number },
): Promise<void> {
  const { app_id: appId, time_zone: zone } = state;
  await store.deleteRollups(db, { appId, from, until }, 'places');
  const tallies = new Map<string, { readonly row: Omit<store.RollupRow, keyof RollupCells>; readonly tally: Tally }>();
  const add = (span: store.RollupSpan, startedAt: number, id: string, row: store.RollupRow) => {
    const key = `${span} ${startedAt} ${id}`;
    const found = tallies.get(key) ?? {
      row: { app_id: appId, span, started_at: startedAt, beacon_id: id },
      tally: new Tally(),
    };
    tallies.set(key, found);
    found.tally.add(row);
  };
  const slices = new WorkSlices();
  for (const row of await store.rollupsOf(db, { appId, span: 'hour', from, until })) {
    if (slices.isOver) await slices.rest();
    const { started_at: hour, beacon_id: beaconId } = row;
    for (const dimension of store.placeDimensions) {
      const id = history.idAt(dimension, beaconId, hour);
      if (id === undefined) continue;
      add(`${dimension}Hour`, hour, id, row);
      add(`${dimension}Day`, dayStart(dateOf(hour, zone), zone), id, row);
    }
  }
  await store.saveRollups(
    db,
    [...tallies.values()].map(({ row, tally }) => ({ ...row, ...tally.cells() })),
  );
}
