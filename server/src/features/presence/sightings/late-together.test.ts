import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { bothDatabases, signIn } from '../../../../test/support/build-app.ts';
import { isFull } from '../../../../test/support/depth.ts';
import { openSite, pointer, type Site, stay, walk } from '../../../../test/support/site.ts';

/** Late samples of many installations at the same moment: each gets the answer that it gets when it comes by itself. */

const walkers = isFull ? 24 : 8;
const batches = 6;
const seconds = 40;
const minute = 60_000;

/** Different walks past two beacons, cut into batches; each walker's come in another order. */
function batchesOf(walker: number, start: number): object[][] {
  const near = 1 + (walker % 3) * 0.4;
  const legs = [stay(near, 50 + walker), stay(20, 40), stay(0.5, 30), stay(6, 60), stay(near, 60)];
  const metres = [...stay(20, walker % 7), ...legs.flat()];
  const cut = Array.from({ length: batches }, (_, batch) => {
    const [from, to] = [batch * seconds, (batch + 1) * seconds];
    const other = metres.slice(from, to).map((distance) => 8 - Math.min(7, distance));
    return [
      ...walk(metres.slice(from, to), start + from * 1_000),
      ...walk(other, start + from * 1_000, 2).filter((_, second) => second % 4 === walker % 4),
    ];
  });
  const step = [1, 5, 7][walker % 3] as number;
  return cut.map((_, place) => cut[(place * step + walker) % batches] as object[]);
}

interface Told {
  readonly body: { readonly result: { readonly events?: readonly { readonly objectId: string }[] } };
}

const ownIds = ['installationId', 'visitId', 'eventId', 'deliveryId'];

/** An answer without the ids of the installation, its visits and its events. */
function shown({ body: { result } }: Told): unknown {
  const events = result.events?.map(({ objectId: _own, ...event }) => event);
  const told = JSON.stringify({ ...result, events }, (key, value) => (ownIds.includes(key) ? undefined : value));
  return JSON.parse(told);
}

const columns = {
  visits: ['beacon_id', 'entered_at', 'left_at', 'is_open', 'source', 'ended_by', 'inferred'],
  events: ['beacon_id', 'event', 'occurred_at', 'entered_at', 'left_at', 'distance', 'cause', 'inferred'],
  logs: ['beacon_id', 'module_type', 'event', 'occurred_at'],
  verdicts: ['beacon_id', 'trigger_id', 'event', 'occurred_at', 'outcome', 'reason'],
  firings: ['trigger_id', 'fired_at'],
  presence: ['beacon_id', 'visit_count'],
} as const;

/** What is stored of each installation, without ids, by its id. */
async function stored(site: Site, ids: readonly string[]): Promise<object[]> {
  const tables = await Promise.all(
    Object.entries(columns).map(async ([table, names]) => {
      const own = Map.groupBy(await site.rows(table), (row) => row['installation_id']);
      return ids.map((id) => (own.get(id) ?? []).map((row) => names.map((name) => row[name]).join(' ')).sort());
    }),
  );
  const names = Object.keys(columns);
  return ids.map((_, place) => Object.fromEntries(names.map((name, table) => [name, tables[table]?.[place]])));
}

interface Phone {
  readonly id: string;
  readonly installationId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly batches: readonly object[][];
}

for (const database of bothDatabases) {
  describe(`late samples of many at once on ${database}`, () => {
    test('are reported and stored as if each had arrived separately', async () => {
      const site = await openSite(database);
      try {
        site.app.app.ticker.stop();
        await site.app.app.apps.change(site.app.appId, { policy: { pushTimeToLive: 3_600 } });
        await site.beacon({ minor: 2 });
        await site.notification({ delivery: { coolDown: { seconds: 60, per: 'trigger' } } });
        await site.notification({ event: 'NEAR', delivery: { nthVisit: { n: 2, mode: 'from' } } });
        await site.notification({ event: 'EXIT', delivery: { caps: [{ count: 1, per: 'trigger', window: 'day' }] } });
        const start = site.now;
        site.app.clock.now += 10 * minute;
        const phones: Phone[] = [];
        for (const name of ['together', 'alone'])
          for (let walker = 0; walker < walkers; walker++) {
            // Some are signed in, so that what the person was shown counts.
            const user = walker % 4 === 0 ? await signIn(site.app) : undefined;
            const installationId = `${name}-${walker}`;
            const owner = user === undefined ? {} : { userId: pointer('_User', user.userId) };
            const id = await site.installation({ installationId, deviceToken: installationId, ...owner });
            phones.push({ id, installationId, headers: user?.headers ?? {}, batches: batchesOf(walker, start) });
          }
        const send = async ({ installationId, headers, batches }: Phone, batch: number) => {
          const body = { installationId, sightings: batches[batch] };
          const answer = await site.app.send({ method: 'POST', url: '/api/v2/sightings', headers, body });
          assert.equal(answer.status, 200, JSON.stringify(answer.body));
          return shown(answer);
        };
        const [together, alone] = [phones.slice(0, walkers), phones.slice(walkers)];
        for (let batch = 0; batch < batches; batch++) {
          const answers = await Promise.all(together.map((phone) => send(phone, batch)));
          for (const [walker, phone] of alone.entries()) assert.deepEqual(answers[walker], await send(phone, batch));
        }
        const [of, expected] = [
          await stored(
            site,
            together.map(({ id }) => id),
          ),
          await stored(
            site,
            alone.map(({ id }) => id),
          ),
        ];
        for (const [walker, found] of of.entries()) assert.deepEqual(found, expected[walker], `walker ${walker}`);
        assert.ok((await site.rows('visits')).length > 3 * walkers);
        assert.ok((await site.rows('firings')).length > walkers);
      } finally {
        await site.close();
      }
    });
  });
}
