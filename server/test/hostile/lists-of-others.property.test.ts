import assert from 'node:assert/strict';
import {
  bindTemplate,
  compareByOrder,
  type FieldLookup,
  fieldReader,
  matchesRecord,
  parseOrder,
  parseTemplate,
  parseWhere,
} from '@pharos/query';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { callerVariables } from '../../src/access/rules/rule-types.ts';
import { firstIdAt } from '../../src/base/id.ts';
import { joinSql, raw, type SqlValue, sql } from '../../src/base/sql.ts';
import { bucketLookup } from '../../src/features/data/buckets/definition/directory.ts';
import { beacons } from '../../src/features/places/beacons/resource.ts';
import { logs } from '../../src/features/presence/logs/resource.ts';
import { events } from '../../src/features/presence/sightings/traces/events.ts';
import { bothDatabases, buildApp, otherApp, type SignedIn, signIn, type TestApp } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { testOn } from '../support/depth.ts';

/**
 * Lists of one's own records beside those of others, in the order of what is filtered: whichever way is taken to a page, it has what
 * the rule and the question mean, evaluated without a database.
 */

interface Listed extends Record<string, unknown> {
  readonly objectId: string;
}

type Condition = readonly [name: string, operand: unknown];

/** What a list is asked for: values that few, some and many records have. */
type Values = Readonly<Record<string, readonly unknown[]>>;

interface Scene {
  readonly name: string;
  readonly url: string;
  readonly lookup: FieldLookup;
  /** If rules may speak of more. */
  readonly ruleLookup?: FieldLookup;
  readonly values: Values;
  /** Of lists, as an app stores them. */
  readonly rules: readonly unknown[];
  /** Writes the records and answers them as their owners see them. */
  fill(app: TestApp, me: SignedIn): Promise<readonly Listed[]>;
  setRule(app: TestApp, list: unknown): Promise<unknown>;
}

const pointer = (className: string, objectId: string) => ({ __type: 'Pointer', className, objectId });
const others = 'somebody0else0at0all';
const owned = { createdBy: '$auth.userId' };
/** Three at a time. */
const timeOf = (n: number) => Date.UTC(2026, 4, 1) + Math.floor(n / 3);
const idOf = (n: number) => `${firstIdAt(timeOf(n))}${String(n).padStart(12, '0')}`;
const isoOf = (n: number) => new Date(timeOf(n)).toISOString();
const times = [0, 700, 1_400].map(isoOf);
const stamps = (n: number) => ({ createdAt: isoOf(n), updatedAt: isoOf(n) });

async function insert(
  { storage: { db } }: TestApp,
  table: string,
  rows: readonly Readonly<Record<string, SqlValue>>[],
) {
  const names = raw(Object.keys(rows[0] ?? {}).join(', '));
  const cell = (name: string, value: SqlValue) =>
    /^n\d$/.test(name) && typeof value === 'number' ? db.dialect.where.number(value) : sql`${value}`;
  const texts = rows.map(
    (row) =>
      sql`(${joinSql(
        Object.entries(row).map(([name, value]) => cell(name, value)),
        ', ',
      )})`,
  );
  for (let from = 0; from < texts.length; from += 500)
    await db.run(sql`insert into ${raw(table)} (${names}) values ${joinSql(texts.slice(from, from + 500), ', ')}`);
}

/** In turn, so that others' records lie between one's own in every index. */
const makers = (own: number, foreign: number) =>
  Array.from(
    { length: own + foreign },
    (_, n) => Math.floor(((n + 1) * own) / (own + foreign)) > Math.floor((n * own) / (own + foreign)),
  );

/** `rare`: few records, `some`: hundreds, `most`: nearly all. Numbers repeat, and some are missing. */
function documentOf(n: number) {
  const kind = n % 97 === 0 ? 'rare' : n % 9 === 0 ? 'some' : 'most';
  const room = n % 3 === 0 ? 'hall' : n % 41 === 0 ? 'attic' : 'yard';
  return { kind, room, ...(n % 7 === 0 ? {} : { level: (n * 7_919) % 23 }), open: n % 2 === 0 };
}

interface Size {
  readonly own: number;
  readonly foreign: number;
}

function bucket({ own, foreign }: Size, isLearned: boolean): Scene {
  const url = '/api/v2/data/bucket/things';
  const column = isLearned
    ? {}
    : { kind: { type: 'String' }, room: { type: 'String' }, level: { type: 'Number' }, open: { type: 'Boolean' } };
  return {
    name: `${own} own and ${foreign} foreign records with ${isLearned ? 'learned members' : 'declared columns'}`,
    url,
    lookup: bucketLookup({}, []),
    values: {
      'metadata.kind': ['rare', 'some', 'most'],
      'metadata.room': ['hall', 'attic', 'yard', 'none'],
      'metadata.level': [0, 7, 22, null],
      'metadata.open': [true, false],
      createdBy: [pointer('_User', others)],
      createdAt: times,
    },
    rules: [
      'owner',
      'user',
      { 'metadata.kind': { $ne: '$auth.userId' } },
      { 'metadata.kind': 'some' },
      { ...owned, 'metadata.room': { $in: ['hall', 'attic'] } },
      { $or: [owned, { 'metadata.kind': 'rare' }] },
      { $or: [owned, { createdBy: others }, { 'metadata.room': 'attic' }] },
    ],
    async fill(app, me) {
      const { headers } = me;
      if (isLearned) await app.app.buckets.createBucket(app.appId, 'things');
      else await create(app, '/api/v2/data/schema/things', { column }, headers);
      await app.app.idle();
      const { object_id: bucketId, slots } = (await app.storage.db.one<{ object_id: string; slots: string }>(
        sql`select object_id, slots from buckets where app_id = ${app.appId}`,
      )) ?? { object_id: '', slots: '[]' };
      const columns = JSON.parse(slots) as { slot: string; column: string; type: string }[];
      const all = makers(own, foreign).map((isMine, n) => {
        const metadata: Readonly<Record<string, string | number | boolean>> = documentOf(n);
        const createdBy = isMine ? me.userId : others;
        const copies = columns.map(({ slot, column, type }) => {
          const value = metadata[column];
          if (type === 'String') return [slot, value === undefined ? '' : `v${value}`] as const;
          return [slot, value === undefined ? Number.NEGATIVE_INFINITY : Number(value)] as const;
        });
        return {
          row: {
            ...{ app_id: app.appId, bucket_id: bucketId, object_id: idOf(n), doc: JSON.stringify(metadata) },
            ...{ created_by: createdBy, created_at: timeOf(n), updated_at: timeOf(n), ...Object.fromEntries(copies) },
          },
          listed: { objectId: idOf(n), metadata, createdBy: pointer('_User', createdBy), ...stamps(n) },
        };
      });
      await insert(
        app,
        'records',
        all.map(({ row }) => row),
      );
      const where = { 'metadata.kind': 'rare', 'metadata.level': 3, 'metadata.room': 'hall' };
      if (isLearned)
        for (let times = 0; times < 20; times++) await list(app, this, { where, order: 'metadata.open' }, me);
      await app.app.idle();
      return all.map(({ listed }) => listed);
    },
    setRule: (app, rule) => app.app.apps.changeRules(app.appId, { buckets: { things: { list: rule as 'owner' } } }),
  };
}

function siteOf({ own, foreign }: Size): Scene {
  return {
    name: `${own} own and ${foreign} foreign beacons`,
    url: '/api/v2/beacons',
    lookup: beacons.records.lookup,
    values: {
      venueId: [pointer('Venue', 'north'), pointer('Venue', 'south')],
      zoneId: [pointer('Zone', 'hall'), pointer('Zone', 'yard'), null],
      major: [1, 2, 3],
      minor: [7, 800],
      name: ['Door', 'Gate'],
      createdBy: [pointer('_User', others)],
      createdAt: times,
    },
    rules: ['owner', 'user', { ...owned, major: { $gte: 2 } }, { venueId: pointer('Venue', 'north') }],
    async fill(app, me) {
      const all = makers(own, foreign).map((isMine, n) => {
        const [name, major, minor] = [n % 2 === 0 ? 'Door' : 'Gate', n % 4, n];
        const [venue, zone] = [n % 30 === 0 ? 'south' : 'north', n % 3 === 0 ? null : n % 50 === 1 ? 'hall' : 'yard'];
        const createdBy = isMine ? me.userId : others;
        const uuid = 'f7826da6-4fa2-4e98-8024-bc5b71e0893e';
        return {
          row: {
            ...{ app_id: app.appId, object_id: idOf(n), name, uuid, uuid_key: uuid, major, minor, metadata: '{}' },
            ...{ venue_id: venue, zone_id: zone, created_by: createdBy, created_at: timeOf(n), updated_at: timeOf(n) },
          },
          listed: {
            ...{ objectId: idOf(n), name, uuid, major, minor, metadata: {}, venueId: pointer('Venue', venue) },
            ...{
              ...(zone ? { zoneId: pointer('Zone', zone) } : {}),
              createdBy: pointer('_User', createdBy),
              ...stamps(n),
            },
          },
        };
      });
      await insert(
        app,
        'beacons',
        all.map(({ row }) => row),
      );
      return all.map(({ listed }) => listed);
    },
    setRule: (app, rule) => app.app.apps.changeRules(app.appId, { resources: { beacons: { list: rule as 'owner' } } }),
  };
}

function logOf(size: number): Scene {
  const door = (name: string) => pointer('Beacon', name);
  return {
    name: `${size} records of the log`,
    url: '/api/v2/logs',
    lookup: logs.records.lookup,
    values: {
      beaconId: [door('few'), door('some'), door('most')],
      moduleType: ['PRESENCE', 'STORYLINE'],
      event: ['ENTER', 'EXIT'],
    },
    rules: ['user', { beaconId: door('most') }, { moduleType: 'PRESENCE', event: 'ENTER' }],
    async fill(app) {
      const all = Array.from({ length: size }, (_, n) => {
        const beacon = n % 90 === 0 ? 'few' : n % 6 === 0 ? 'some' : 'most';
        const [moduleType, event] = [n % 4 < 2 ? 'PRESENCE' : 'STORYLINE', n % 3 === 0 ? 'ENTER' : 'EXIT'];
        return {
          row: {
            ...{ app_id: app.appId, object_id: idOf(n), module_type: moduleType, event, beacon_id: beacon },
            ...{ occurred_at: timeOf(n), created_at: timeOf(n), updated_at: timeOf(n) },
          },
          listed: { objectId: idOf(n), moduleType, event, beaconId: door(beacon), ...stamps(n) },
        };
      });
      await insert(
        app,
        'logs',
        all.map(({ row }) => row),
      );
      return all.map(({ listed }) => listed);
    },
    setRule: (app, rule) => app.app.apps.changeRules(app.appId, { resources: { logs: { list: rule as 'user' } } }),
  };
}

/** Rules may speak of the venue of an event's beacon, which is in another table. */
function eventsOf(size: number): Scene {
  const door = (name: string) => pointer('Beacon', name);
  return {
    name: `${size} events at venues`,
    url: '/api/v2/events',
    lookup: events.records.lookup,
    ruleLookup: events.records.ruleLookup,
    values: {
      beaconId: [door('few'), door('some'), door('most')],
      event: ['ENTER', 'EXIT'],
      visitId: ['visit 7', 'none'],
      occurredAt: times,
    },
    rules: [{ venueId: pointer('Venue', 'north') }, { venueId: pointer('Venue', 'north'), event: 'ENTER' }],
    async fill(app) {
      const venues: Readonly<Record<string, string>> = { few: 'north', some: 'south', most: 'north' };
      const uuid = 'f7826da6-4fa2-4e98-8024-bc5b71e0893e';
      const found = Object.entries(venues).map(([name, venue_id], minor) => ({
        ...{ app_id: app.appId, object_id: name, name, uuid, uuid_key: uuid, major: 1, minor, metadata: '{}' },
        ...{ venue_id, created_at: 1, updated_at: 1 },
      }));
      await insert(app, 'beacons', found);
      const all = Array.from({ length: size }, (_, n) => {
        const beacon = n % 90 === 0 ? 'few' : n % 6 === 0 ? 'some' : 'most';
        const [event, visitId] = [n % 3 === 0 ? 'ENTER' : 'EXIT', `visit ${Math.floor(n / 2)}`];
        return {
          row: {
            ...{ app_id: app.appId, object_id: idOf(n), event, beacon_id: beacon, installation_id: 'phone' },
            ...{ visit_id: visitId, occurred_at: timeOf(n), cause: 'samples', inferred: 0, created_at: timeOf(n) },
          },
          listed: {
            ...{ objectId: idOf(n), event, beaconId: door(beacon), visitId, occurredAt: isoOf(n), createdAt: isoOf(n) },
            venueId: pointer('Venue', venues[beacon] ?? ''),
          },
        };
      });
      await insert(
        app,
        'events',
        all.map(({ row }) => row),
      );
      return all.map(({ listed }) => listed);
    },
    setRule: (app, rule) => app.app.apps.changeRules(app.appId, { resources: { events: { list: rule as 'user' } } }),
  };
}

const scenes: readonly Scene[] = [
  bucket({ own: 505, foreign: 12 }, false),
  bucket({ own: 12, foreign: 1_500 }, true),
  siteOf({ own: 600, foreign: 900 }),
  logOf(1_600),
  eventsOf(1_600),
];
/** The same with other numbers. */
const moreScenes: readonly Scene[] = [
  bucket({ own: 2_000, foreign: 600 }, false),
  bucket({ own: 800, foreign: 1_200 }, true),
  bucket({ own: 0, foreign: 300 }, false),
];

async function list(app: TestApp, { url }: Scene, query: Readonly<Record<string, unknown>>, { headers }: SignedIn) {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    given.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  const answer = await app.send({ method: 'GET', url: `${url}?${given}`, headers });
  assert.equal(answer.status, 200, `${given}: ${app.log.at(-2)}`);
  return answer.body as { readonly results: readonly Listed[]; readonly count: number };
}

function questionsOf({ values, rules }: Scene) {
  const names = Object.keys(values);
  const conditionOn = (name: string) => {
    const value = fc.constantFrom(...(values[name] ?? []));
    const bound = value.filter((each) => typeof each === 'string' || typeof each === 'number');
    const hasBounds = values[name]?.some((each) => typeof each === 'string' || typeof each === 'number');
    const range = fc.tuple(fc.constantFrom('$lt', '$lte', '$gt', '$gte'), bound);
    const plain = value.map((operand): Condition => [name, operand]);
    const usual = hasBounds
      ? fc.oneof(
          plain,
          range.map(([key, by]): Condition => [name, { [key]: by }]),
        )
      : plain;
    const odd = fc.oneof(
      fc.tuple(value, value).map(($in): Condition => [name, { $in }]),
      value.map(($ne): Condition => [name, { $ne }]),
    );
    return { usual, any: fc.oneof({ weight: 5, arbitrary: usual }, { weight: 1, arbitrary: odd }) };
  };
  const some = (length: number, which: 'usual' | 'any') =>
    fc
      .uniqueArray(fc.constantFrom(...names), { minLength: length, maxLength: length })
      .chain((chosen) => fc.tuple(...chosen.map((name) => conditionOn(name)[which])));
  const sign = fc.constantFrom('', '-');
  const anything = fc.record({
    rule: fc.constantFrom(...rules),
    conditions: fc.constantFrom(1, 2, 2, 3).chain((length) => some(length, 'any')),
    isEither: fc.constantFrom(false, false, false, true),
    order: fc.tuple(sign, fc.constantFrom(0, 1, 2, 'objectId')),
    limit: fc.constantFrom(1, 2, 5, 20),
    skip: fc.constantFrom(0, 0, 1, 7),
  });
  // Two conditions in all, in the order of one.
  const two = fc.record({
    rule: fc.constantFrom(...rules.slice(0, 2)),
    isEither: fc.constant(false),
    order: fc.tuple(sign, fc.constant(0)),
    limit: fc.constantFrom(1, 2, 5),
    skip: fc.constant(0),
  });
  const ofTwo = two.chain((question) =>
    some(question.rule === 'owner' ? 1 : 2, 'usual').map((conditions) => ({ ...question, conditions })),
  );
  return fc.oneof(anything, ofTwo);
}

/** Set to try more, which differ each time. */
const runs = process.env['PHAROS_TEST_RUNS'];

/** An app of its own in the same service. */
async function openApp(service: TestApp): Promise<TestApp> {
  const credentials = await otherApp(service);
  const appId = credentials['x-service-appid'] ?? '';
  await service.app.apps.change(appId, { policy: { rateLimit: { enabled: false, perSecond: 1, burst: 1 } } });
  const send: TestApp['send'] = (request) =>
    service.send({ ...request, headers: { ...credentials, ...request.headers } });
  return { ...service, appId, credentials, send };
}

for (const database of bothDatabases)
  describe(`lists of one's own and of others on ${database}`, () => {
    let service: TestApp;
    beforeAll(async () => {
      service = await buildApp({ database });
    });
    afterAll(() => service.close());

    for (const scene of [...scenes, ...moreScenes])
      (scenes.includes(scene) ? test : testOn(database))(
        `${scene.name} are listed as rule and question mean`,
        async () => {
          const app = await openApp(service);
          const me = await signIn(app, app.credentials);
          const all = await scene.fill(app, me);

          function meantBy(rule: unknown): readonly Listed[] {
            if (rule === 'user') return all;
            const given = rule === 'owner' ? owned : rule;
            const where = bindTemplate(parseTemplate(given, scene.ruleLookup ?? scene.lookup, callerVariables), {
              '$auth.userId': me.userId,
              '$auth.role': 'user',
            });
            return all.filter((record) => matchesRecord(where, record));
          }

          const meant = new Map(scene.rules.map((rule) => [rule, meantBy(rule)]));
          const property = fc.asyncProperty(questionsOf(scene), async (question) => {
            const { rule, conditions, isEither, order, limit, skip } = question;
            const [sign, place] = order;
            const by = `${sign}${typeof place === 'number' ? (conditions[place] ?? conditions[0])?.[0] : place}`;
            const parts = conditions.map((each) => Object.fromEntries([each]));
            const where = isEither ? { $or: parts } : Object.assign({}, ...parts);
            const asked = parseWhere(JSON.stringify(where), scene.lookup);
            const sorting = parseOrder(by, scene.lookup);
            const found = (meant.get(rule) ?? [])
              .filter((record) => matchesRecord(asked, record))
              .sort((left, right) => compareByOrder(sorting, fieldReader(left), fieldReader(right)));
            await scene.setRule(app, rule);
            const query = { where, order: by, limit, skip, count: 1 };
            const { results, count } = await list(app, scene, query, me);
            const said = JSON.stringify({ rule, ...query });
            assert.deepEqual(
              results.map(({ objectId }) => objectId),
              found.slice(skip, skip + limit).map(({ objectId }) => objectId),
              said,
            );
            assert.equal(count, found.length, said);
          });
          await fc.assert(property, runs === undefined ? { numRuns: 25, seed: 5 } : { numRuns: Number(runs) });
        },
      );
  });
