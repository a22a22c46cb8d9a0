import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { raw, sql } from '../../src/base/sql.ts';
import type { DbTable } from '../../src/db/table.ts';
import { type Answer, databases, type SignedIn, signIn } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { browserOf, openConsole, password, signInToConsole } from '../support/console.ts';
import { runs } from '../support/depth.ts';
import { openSite, pointer, type Site } from '../support/site.ts';
import { insertPast, insertRows, packedTables, packPast, takeAway } from '../support/storage/cold-data.ts';

/**
 * Lists, counts and records of an app with everything stored beside the same with most of it packed: whoever asks whatever is answered
 * the same.
 */

const day = 86_400_000;
const { numRuns, seed } = runs(50);

type Asks = (path: string) => Promise<Answer>;

interface Question {
  readonly of: 'events' | 'verdicts' | 'logs' | 'deliveries';
  readonly by: number;
  readonly query: Readonly<Record<string, string>>;
}

/** What a question names: things that are there. */
interface Known {
  readonly beacons: readonly string[];
  readonly installations: readonly string[];
  readonly visits: readonly string[];
  readonly ids: Readonly<Record<Question['of'], readonly string[]>>;
  readonly now: number;
}

function questions(known: Known): fc.Arbitrary<Question> {
  const iso = fc.integer({ min: -210, max: 1 }).map((days) => new Date(known.now + days * day).toISOString());
  const one = (values: readonly unknown[]) => fc.constantFrom(...values);
  const choice = (values: readonly unknown[]) =>
    fc.oneof(
      one(values),
      fc.array(one(values), { maxLength: 3 }).map((some) => ({ $in: some })),
      one(values).map((value) => ({ $ne: value })),
    );
  const span = fc.oneof(
    fc.record({ $gte: iso, $lt: iso }),
    iso.map((at) => ({ $lt: at })),
    iso.map((at) => ({ $gte: at })),
  );
  const members: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    beaconId: choice(known.beacons.map((id) => pointer('Beacon', id))),
    installationId: choice(known.installations.map((id) => pointer('_Installation', id))),
    event: choice(['ENTER', 'EXIT', 'NEAR']),
    createdAt: span,
  };
  const more: Readonly<Record<Question['of'], Readonly<Record<string, fc.Arbitrary<unknown>>>>> = {
    events: {
      visitId: choice(known.visits),
      occurredAt: span,
      distance: fc.oneof(fc.constantFrom({ $gt: 3 }, { $lte: 2.5 }, null, { $exists: true })),
      inferred: fc.boolean(),
      cause: fc.constantFrom('samples', { $regex: '^d' }),
      rivals: fc.constantFrom(null, { $exists: true }),
      objectId: choice(known.ids.events),
    },
    verdicts: {
      visitId: choice(known.visits),
      triggerId: choice(['T1'.padEnd(20, '0'), 'T2'.padEnd(20, '0')]),
      reason: choice(['fired', 'cap', 'event']),
      text: fc.constantFrom({ $regex: '“[12]”' }, 'Because of fired – “1”.'),
      dueAt: fc.constantFrom(null, { $exists: true }),
      eventId: choice(known.ids.events),
      objectId: choice(known.ids.verdicts),
    },
    deliveries: {
      state: choice(['sent', 'failed', 'queued']),
      reason: fc.constantFrom(null, { $exists: true }, { $regex: '[12]' }),
      triggerId: choice(['T1'.padEnd(20, '0'), 'T2'.padEnd(20, '0')]),
      pushId: fc.constantFrom(null, { $exists: true }),
      receivedAt: fc.oneof(fc.constantFrom(null, { $exists: true }), span),
      attempts: fc.constantFrom(1, { $gt: 1 }),
      objectId: choice(known.ids.deliveries),
    },
    logs: {
      moduleType: choice(['PRESENCE', 'STORYLINE']),
      updatedAt: span,
      objectId: fc.oneof(
        choice(known.ids.logs),
        one(known.ids.logs).map((id) => ({ $lt: id })),
      ),
    },
  };
  const page = {
    limit: fc.constantFrom('0', '3', '20', '100', '1000'),
    skip: fc.constantFrom('0', '0', '0', '5', '700'),
    count: fc.constantFrom('0', '1'),
  };
  return fc.constantFrom('events' as const, 'verdicts' as const, 'logs' as const, 'deliveries' as const).chain((of) => {
    const fields: Readonly<Record<string, fc.Arbitrary<unknown>>> = { ...members, ...more[of] };
    // A delivery names neither a beacon nor an event's kind.
    const names = Object.keys(fields).filter(
      (name) => of !== 'deliveries' || (name !== 'beaconId' && name !== 'event'),
    );
    const condition = fc
      .constantFrom(...names)
      .chain((name) => (fields[name] as fc.Arbitrary<unknown>).map((operand) => ({ [name]: operand })));
    const where = fc.oneof(
      { weight: 2, arbitrary: fc.constant({}) },
      { weight: 4, arbitrary: condition },
      { weight: 3, arbitrary: fc.tuple(condition, condition).map(([a, b]) => ({ ...a, ...b })) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.constantFrom('$or', '$and', '$nor'), fc.array(condition, { minLength: 1, maxLength: 3 }))
          .map(([key, parts]) => ({ [key]: parts })),
      },
    );
    const term = fc.tuple(fc.constantFrom('', '-'), fc.constantFrom(...names)).map((parts) => parts.join(''));
    const order = fc.option(
      fc.oneof(
        fc.constantFrom('objectId', '-objectId', 'createdAt', '-createdAt'),
        fc.array(term, { minLength: 1, maxLength: 2 }).map((terms) => terms.join(',')),
      ),
      { nil: undefined },
    );
    return fc.record({ where, order, ...page, by: fc.nat({ max: 2 }) }).map(({ where, order, by, ...rest }) => ({
      of,
      by,
      query: { where: JSON.stringify(where), ...(order === undefined ? {} : { order }), ...rest },
    }));
  });
}

for (const database of databases) {
  describe(`packed rows on ${database}`, () => {
    let site: Site;
    let known: Known;
    let asks: readonly Asks[];
    let vera: SignedIn;
    before(async () => {
      site = await openSite(database);
      const { app } = site;
      const retentionDays = { logs: 900, visits: 900, events: 900, deliveries: 900, positions: 900 };
      const rateLimit = { enabled: false, perSecond: 1, burst: 1 };
      await app.app.apps.change(app.appId, { policy: { rateLimit, retentionDays } });
      vera = await signIn(app);
      const venues: string[] = [];
      for (const name of ['North', 'South']) {
        const made = await site.ask({ method: 'POST', url: '/api/v2/venues', body: { name } });
        venues.push(made.body.result.objectId);
      }
      const beacons: string[] = [];
      for (let minor = 30; minor < 36; minor++)
        beacons.push(
          await site.beacon({ name: `B${minor}`, minor, venueId: pointer('Venue', venues[minor % 2] ?? '') }),
        );
      const installations: string[] = [];
      for (let n = 0; n < 9; n++) {
        const body = { installationId: `past-${n}`, deviceType: 'ios' };
        installations.push(await create(app, '/api/v2/installations', body, n < 3 ? vera.headers : {}));
      }
      const owner = await openConsole(app, 'owner');
      const email = 'venue@museum.example';
      const apps = [{ appId: app.appId, venues: venues.slice(0, 1) }];
      const made = await owner.send({
        method: 'POST',
        url: '/administrators',
        body: { email, name: 'V', role: 'editor', password, apps },
      });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const limited = browserOf(app, await signInToConsole(app, email));
      await app.app.idle();
      // Hers since the beginning, as if she had come with the first of these visits.
      await app.storage.db.run(sql`update installations set held_since = 0 where app_id = ${app.appId}`);
      const now = app.clock.now;
      await insertPast(app.storage.db, { appId: app.appId, beacons, installations, now, days: 200, visits: 200 });
      const idsOf = async (table: string) =>
        (await app.storage.db.all<{ id: string }>(raw(`select object_id as id from ${table} order by object_id`)))
          .map(({ id }) => id)
          .filter((_, n) => n % 60 === 0);
      known = {
        beacons,
        installations,
        now,
        visits: await idsOf('visits'),
        ids: {
          events: await idsOf('events'),
          verdicts: await idsOf('verdicts'),
          logs: await idsOf('logs'),
          deliveries: await idsOf('deliveries'),
        },
      };
      asks = [
        (path) => site.ask({ method: 'GET', url: `/api/v2/${path}` }),
        (path) => app.send({ method: 'GET', url: `/api/v2/${path}`, headers: vera.headers }),
        (path) => limited.send({ method: 'GET', url: `/apps/${app.appId}/v2/${path}` }),
      ];
    });
    after(() => site.close());

    const answerOf = async ({ of, by, query }: Question) => {
      const ask = asks[by] as Asks;
      const { status, body } = await ask(`${of}?${new URLSearchParams(query)}`);
      return { status, results: body.results, count: body.count, truncated: body.truncated };
    };
    const countOf = async (table: DbTable) =>
      Number((await site.app.storage.db.one<{ n: number }>(raw(`select count(*) as n from ${table.name}`)))?.n);

    test('are listed, counted and got as before, also while late rows lie between them', async () => {
      const { app } = site;
      const { db } = app.storage;
      const past = { appId: app.appId, now: known.now };
      const asked = fc.sample(questions(known), { numRuns, seed });
      const stored: Awaited<ReturnType<typeof answerOf>>[] = [];
      for (const question of asked) stored.push(await answerOf(question));
      assert.ok(stored.filter(({ results }) => results?.length > 0).length > numRuns / 4);
      const records = await gotten();

      const late = new Map<DbTable, Awaited<ReturnType<typeof takeAway>>>();
      for (const table of packedTables) late.set(table, await takeAway(db, table, past));
      const before = await Promise.all(packedTables.map(countOf));
      const packed = await packPast(db, past);
      assert.deepEqual(
        await Promise.all(packedTables.map(countOf)),
        before.map((n, place) => n - (packed[place] ?? 0)),
      );
      assert.ok(
        packed.every((n) => n > 100),
        `packed: ${packed}`,
      );
      for (const [table, rows] of late) await insertRows(db, table, rows);
      await compare('with late rows');

      await packPast(db, past);
      await packPast(db, past);
      await compare('packed once more');

      async function compare(when: string) {
        for (const [n, question] of asked.entries())
          assert.deepEqual(await answerOf(question), stored[n], `${when}: ${JSON.stringify(question)}`);
        assert.deepEqual(await gotten(), records);
      }
      async function gotten() {
        const all: unknown[] = [];
        for (const id of known.ids.events)
          for (const ask of asks) {
            const { status, body, headers } = await ask(`events/${id}`);
            all.push([status, body.result, headers['etag']]);
          }
        return all;
      }
    });
  });
}
