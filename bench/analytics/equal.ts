/**
 * A verdict, not a figure: what the service counts of many visits, late and corrected ones among them, and answers from hours, days, months, parts
 * and years, against what somebody counts who looks at every visit.
 */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { createRollups } from '../../server/src/app/rollups.ts';
import { openSqlite } from '../../server/src/db/sqlite/sqlite.ts';
import { addDays, addMonths, dateOf } from '../../server/src/features/analytics/numbers/calendar.ts';
import {
  between,
  type Counted,
  countBy,
  dayOf,
  firstsOf,
  movesOf,
  peaksOf,
  type Spots,
  spotsOf,
  type Visit,
} from './by-hand.ts';
import { zone } from './fill.ts';
import { type Place, type Service, serve } from './service.ts';
import type { Site } from './site.ts';

export interface Raw {
  readonly place: Place;
  readonly appId: string;
  readonly site: Site;
}

/** One in so many visits is taken back, takes longer, or comes late. */
const changedEach = 997;
/** Sets of more visitors are estimated, with a standard error of 0.8 %. */
const [mostExact, off] = [2_048, 0.04];

/** Counts all visits of a file, changes some, counts these, and compares every answer. @throws Error with what differs */
export async function assertEqual({ place, appId, site }: Raw): Promise<void> {
  const file = join(place.folder, 'pharos.db');
  const db = await openSqlite({ file, queryDeadlineMs: 600_000 });
  const rollups = createRollups({ db, now: Date.now, inBackground: () => undefined });
  try {
    await timed('counting all visits', () => rollups.rebuild(appId));
    changeSome(file, appId);
    await timed('counting what has changed', () => rollups.settle(appId));
  } finally {
    await db.close();
  }
  const visits = readVisits(file, appId);
  const service = await serve(place, appId);
  try {
    const compared = await timed('comparing', () => compareAll(service, visits, spotsOf(site)));
    console.log(`${visits.length.toLocaleString('en')} visits: ${compared.toLocaleString('en')} numbers are equal`);
  } finally {
    await service.stop();
  }
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  console.log(`${what}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return result;
}

/** As the service writes them: with a note of each in the same transaction. */
function changeSome(file: string, appId: string): void {
  const db = new Sqlite(file, { timeout: 30_000 });
  const note =
    db.prepare(`insert or replace into visit_changes (app_id, object_id, installation_id, beacon_id, entered_at)
    values (@app_id, @object_id, @installation_id, @beacon_id, @entered_at)`);
  const names = db.pragma('table_info(visits)') as { readonly name: string }[];
  const columns = names.map(({ name }) => name);
  const add = db.prepare(
    `insert into visits (${columns.join(', ')}) values (${columns.map((name) => `@${name}`).join(', ')})`,
  );
  // Some hundred rows of a million are changed: only these are read whole.
  const ids = db.prepare('select object_id from visits where app_id = ? order by object_id').pluck();
  const all = ids.all(appId) as string[];
  const read = db.prepare('select * from visits where app_id = ? and object_id = ?');
  db.transaction(() => {
    for (let index = 0; index + 2 < all.length; index += changedEach) {
      const [gone, longer, copied] = all.slice(index, index + 3).map((id) => read.get(appId, id)) as [
        Visit,
        Visit,
        Visit,
      ];
      db.prepare('delete from visits where app_id = ? and object_id = ?').run(appId, gone.object_id);
      db.prepare(
        'update visits set dwell = dwell + 600, left_at = left_at + 600000 where app_id = ? and object_id = ?',
      ).run(appId, longer.object_id);
      const moved = randomInt(-20, 20) * 86_400_000;
      const late = {
        ...copied,
        object_id: `late${index}`,
        entered_at: Math.min(copied.entered_at + moved, Date.now() - 86_400_000),
      };
      add.run({ ...late, left_at: late.entered_at + late.dwell * 1000 });
      for (const changed of [gone, longer, late]) note.run(changed);
    }
  })();
  db.close();
}

function readVisits(file: string, appId: string): Visit[] {
  const db = new Sqlite(file, { readonly: true });
  const rows = db.prepare(
    'select object_id, installation_id, beacon_id, entered_at, dwell from visits where app_id = ? order by entered_at',
  );
  const numbers = new Map<string, number>();
  const visits: Visit[] = [];
  for (const row of rows.iterate(appId) as Iterable<Omit<Visit, 'visitor'>>) {
    const visitor = numbers.get(row.installation_id) ?? numbers.size;
    numbers.set(row.installation_id, visitor);
    visits.push({ ...row, visitor });
  }
  db.close();
  return visits;
}

const dimensions = ['beacon', 'zone', 'floor', 'venue'] as const;
type Row = Readonly<Record<string, string | number>>;

async function compareAll(service: Service, visits: readonly Visit[], spots: Spots): Promise<number> {
  let compared = 0;
  const ask = async (what: string, query: Readonly<Record<string, string>>) =>
    (
      await service.ask<{ result: { rows: Row[]; total: Row; moves: Row[] } }>(
        'GET',
        `/analytics/${what}?${new URLSearchParams(query)}`,
      )
    ).result;
  const assertNear = (told: unknown, hand: number, what: string, isExact = hand <= mostExact) => {
    compared++;
    const isRight = isExact || hand === 0 ? told === hand : Math.abs(Number(told) / hand - 1) <= off;
    if (!isRight) throw new Error(`${what}: ${told}, and by hand ${hand}`);
  };
  const assertRow = (row: Row | undefined, hand: Counted, what: string) => {
    if (!row) throw new Error(`${what} has no row, and by hand ${hand.visits} visits`);
    assertNear(row['visits'], hand.visits, `visits, ${what}`, true);
    assertNear(row['visitors'], hand.visitors.size, `visitors, ${what}`);
    assertNear(row['newVisitors'], hand.newcomers, `new, ${what}`, hand.visitors.size <= mostExact);
    assertNear(row['dwellMean'], Math.round(hand.dwellMs / hand.visits / 100) / 10, `dwell, ${what}`, true);
  };
  const assertRows = (
    rows: readonly Row[],
    hand: ReadonlyMap<string, Counted>,
    keyOf: (row: Row) => string,
    what: string,
  ) => {
    const told = new Map(rows.filter(({ visits: count }) => count !== 0).map((row) => [keyOf(row), row]));
    if (told.size !== hand.size) throw new Error(`${what}: ${told.size} rows, and by hand ${hand.size}`);
    for (const [key, counted] of hand) assertRow(told.get(key), counted, `${what}, ${key}`);
  };
  const firsts = firstsOf(visits);
  const today = dateOf(Date.now(), zone);
  const first = `${Number(today.slice(0, 4)) - 1}-01-01`;
  const years = [first, addMonths(first, 12)].map((from) => ({ from, until: addMonths(from, 12) }));
  const months = Array.from({ length: 24 }, (_, n) => ({ from: addMonths(first, n), until: addMonths(first, n + 1) }));
  const during = ({ from, until }: { from: string; until: string }) =>
    between(visits, Date.parse(from), Date.parse(until));
  for (const period of [
    ...years,
    ...months,
    { from: first, until: addDays(today, -3) },
    { from: addDays(today, -400), until: today },
  ]) {
    const ofPeriod = during(period);
    if (ofPeriod.length === 0) continue;
    const name = `${period.from} to ${period.until}`;
    const all = countBy(ofPeriod, firsts, () => ['']).get('') as Counted;
    for (const dimension of dimensions) {
      const id = `${dimension}Id` as const;
      const hand = countBy(ofPeriod, firsts, (visit) => [spots.get(visit.beacon_id)?.[id] ?? '']);
      const { rows, total } = await ask('visits', { ...period, groupBy: dimension });
      assertRows(rows, hand, (row) => String(row[id]), `${dimension}s, ${name}`);
      assertRow(total, all, `all, ${name}`);
    }
  }
  for (const year of years) {
    const ofYear = during(year);
    const byDay = countBy(ofYear, firsts, ({ entered_at }) => [new Date(entered_at).toISOString().slice(0, 10)]);
    assertRows((await ask('visits', { ...year, interval: 'day' })).rows, byDay, (row) => String(row['start']), 'days');
    const hourOf = (at: number) => `${((new Date(at).getUTCDay() + 6) % 7) + 1} ${new Date(at).getUTCHours()}`;
    const byHour = countBy(ofYear, firsts, ({ entered_at }) => [hourOf(entered_at)]);
    const hours = await ask('visits', { ...year, interval: 'hourOfWeek' });
    assertRows(hours.rows, byHour, (row) => `${row['weekday']} ${row['hour']}`, 'hours of the week');
  }
  const nameOf = (end: unknown) => (end as { zoneId?: string } | null)?.zoneId ?? '';
  // What is over is kept for the second question.
  for (const period of [...years, ...years, ...months.slice(-3)]) {
    const ofPeriod = during(period);
    const hand = movesOf(ofPeriod, spots);
    const { moves } = await ask('flows', period);
    if (moves.length !== hand.size) throw new Error(`${moves.length} moves, and by hand ${hand.size}`);
    for (const { from, to, tours, visitors } of moves) {
      const key = `${nameOf(from)}>${nameOf(to)}`;
      assertNear(tours, hand.get(key)?.tours ?? 0, `tours ${key}`, true);
      assertNear(visitors, hand.get(key)?.visitors.size ?? 0, `visitors ${key}`);
    }
    const assertPeaks = async (query: Readonly<Record<string, string>>, hand: ReadonlyMap<string, number>) => {
      const { rows } = await ask('peaks', { ...period, ...query, interval: 'day' });
      if (rows.length !== hand.size) throw new Error(`${rows.length} peaks, and by hand ${hand.size}`);
      for (const { start, zoneId, beaconId, peak } of rows) {
        const place = zoneId ?? beaconId;
        assertNear(peak, hand.get(`${dayOf(Date.parse(String(start)))} ${place}`) ?? 0, `peak ${start} ${place}`, true);
      }
    };
    await assertPeaks(
      {},
      peaksOf(ofPeriod, (visit) => spots.get(visit.beacon_id)?.zoneId ?? ''),
    );
    for (const beaconId of [...spots.keys()].filter((_, index) => index % 40 === 0)) {
      const there = ofPeriod.filter((visit) => visit.beacon_id === beaconId);
      await assertPeaks(
        { beaconId },
        peaksOf(there, () => beaconId),
      );
    }
  }
  return compared;
}
