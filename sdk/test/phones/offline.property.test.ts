import assert from 'node:assert/strict';
import { createRandom } from '@pharos/engine/simulation';
import { describe, test } from 'vitest';
import { generateRecordings } from '../../../bench/proximity/generated.ts';
import { readRecordings, type Walk } from '../../../bench/proximity/recordings.ts';
import { openSite, pointer, type Site, uuid } from '../../../server/test/support/site.ts';
import { type OfflineMessage, OfflinePhone } from '../../offline/index.ts';
import { PharosClient, type TextStorage } from '../../src/index.ts';

/** The recorded walks (PHAROS_RSSI_DATA), or generated ones: with a network, without one, and with one that comes and goes. */

const recordings = readRecordings() ?? generateRecordings();
const start = Date.UTC(2026, 5, 3, 10);

/** A phone of the test, with a network that can be cut and a storage that outlives it. */
class TestPhone {
  readonly name: string;
  readonly shown: string[] = [];
  isOnline = true;
  /** The service has done it, and the answer is lost. */
  losesAnswers = false;
  #site: Site;
  #phone: OfflinePhone | undefined;
  readonly #kept = new Map<string, string>();
  objectId = '';

  constructor(site: Site, name: string) {
    this.#site = site;
    this.name = name;
  }

  async open(): Promise<OfflinePhone> {
    const { app } = this.#site;
    this.objectId ||= await this.#site.installation({
      installationId: this.name,
      deviceToken: `token of ${this.name}`,
    });
    const client = new PharosClient({
      baseUrl: 'http://localhost',
      appId: app.appId,
      appKey: app.appKey,
      retry: false,
      fetch: async (url, init) => {
        if (!this.isOnline) throw new TypeError('no network');
        const { pathname, search } = new URL(String(url));
        const { statusCode, headers, payload } = await app.app.server.inject({
          method: (init?.method ?? 'GET') as 'GET',
          url: pathname + search,
          headers: { ...(init?.headers as Record<string, string>), ...this.#site.user.headers },
          ...(init?.body ? { payload: String(init.body) } : {}),
        });
        if (this.losesAnswers) throw new TypeError('the answer is lost');
        return new Response(payload, {
          status: statusCode,
          headers: { 'content-type': String(headers['content-type']) },
        });
      },
    });
    this.#phone = await OfflinePhone.open(client, {
      installation: { objectId: this.objectId, installationId: this.name },
      storage: (name): TextStorage => ({
        load: () => this.#kept.get(name) ?? null,
        save: (text) => void this.#kept.set(name, text),
      }),
      onMessage: (message: OfflineMessage) => this.shown.push(message.triggerId),
      onError: (error) => assert.fail(String(error)),
      now: () => this.#site.now,
      patience: 60_000,
    });
    return this.#phone;
  }

  get phone(): OfflinePhone {
    assert.ok(this.#phone);
    return this.#phone;
  }
}

async function openMuseum() {
  const site = await openSite('sqlite', {}, start);
  site.app.app.ticker.stop();
  const minors = new Map<string, number>();
  const ids: string[] = [];
  for (const [index, [name, { x, y }]] of [...recordings.beacons].entries()) {
    minors.set(name, 100 + index);
    ids.push(await site.beacon({ name: `Room ${index}`, minor: 100 + index, location: { x, y, floor: 0 } }));
  }
  for (const [index, id] of ids.entries()) {
    const beaconId = pointer('Beacon', id);
    const delivery = [{}, { dwellSeconds: 5 }, { caps: [{ count: 1, per: 'trigger', window: 'day' }] }][index % 3];
    await site.notification({ beaconId, delivery });
    await site.notification({
      beaconId,
      event: index % 2 ? 'NEAR' : 'EXIT',
      delivery: { coolDown: { seconds: 60, per: 'app' } },
    });
  }
  await site.scenario({ beacons: ids, delivery: { caps: [{ count: 2, per: 'app', window: 3_600 }] } });
  return { site, minors };
}

/** What the service has in the end, with times from the beginning of the walk. */
async function endOf(site: Site, { objectId, shown }: TestPhone, from: number) {
  const where = JSON.stringify({ installationId: pointer('_Installation', objectId) });
  const list = async (path: string): Promise<readonly Record<string, never>[]> =>
    site.list(path, { where, limit: '1000' });
  const since = (time: string | undefined) => (time === undefined ? null : Date.parse(time) - from);
  const of = (one: Record<string, { readonly objectId: string }>) => one['beaconId']?.objectId;
  const visits = (await list('visits')).map((one) =>
    [of(one), since(one['enteredAt']), since(one['leftAt'])].join(' '),
  );
  const logs = (await list('logs')).map((one) =>
    [of(one), one['event'], one['moduleType'], since(one['occurredAt'])].join(' '),
  );
  const verdicts = (await list('verdicts'))
    .filter(({ outcome }) => outcome === 'fired')
    .map((one) => [of(one), one['triggerId'], one['event'], since(one['decidedAt'])].join(' '));
  return { visits: visits.sort(), logs: logs.sort(), verdicts: verdicts.sort(), shown: [...shown].sort() };
}

const kinds = ['with a network', 'without one', 'with one that comes and goes', 'restarted each ten seconds'] as const;

async function walkAll(walk: Walk, seed: string) {
  const { site, minors } = await openMuseum();
  try {
    const random = createRandom(seed);
    const phones = await Promise.all(
      kinds.map(async (name) => {
        const one = new TestPhone(site, name);
        await (await one.open()).refresh();
        return one;
      }),
    );
    const [online, offline, cut, restarted] = phones as [TestPhone, TestPhone, TestPhone, TestPhone];
    const from = site.now;
    offline.isOnline = false;
    const begun = walk.samples[0]?.at ?? 0;
    const seconds = Math.ceil(((walk.samples.at(-1)?.at ?? 0) - begun) / 1000) + 1;
    for (let second = 0; second < seconds + 90; second++) {
      site.app.clock.now = from + (second + 1) * 1000;
      if (random.next() < 0.1) cut.isOnline = !cut.isOnline;
      cut.losesAnswers = random.next() < 0.1;
      restarted.isOnline = second % 60 < 20;
      if (second % 10 === 0) await restarted.open();
      const heard = walk.samples
        .filter(({ at }) => Math.floor((at - begun) / 1000) === second)
        .map(({ at, beacon, rssi }) => ({
          ...{ uuid, major: 1, minor: minors.get(beacon), rssi },
          occurredAt: new Date(from + at - begun).toISOString(),
        }));
      for (const { phone } of phones) await phone.sense(...heard);
      if (second % 5 === 0) await site.app.app.ticker.tick();
    }
    const pushed = (await site.pushes()).length;
    for (const one of phones) {
      [one.isOnline, one.losesAnswers] = [true, false];
      await one.phone.flush();
      assert.equal(one.phone.waiting, 0);
    }
    for (let round = 0; round < 20; round++) {
      site.app.clock.now += 5_000;
      await site.app.app.ticker.tick();
    }
    assert.equal((await site.pushes()).length, pushed, 'nothing is sent because of what was told late');
    return {
      expected: await endOf(site, online, from),
      others: await Promise.all(
        [offline, cut, restarted].map(async (one) => [one.name, await endOf(site, one, from)] as const),
      ),
    };
  } finally {
    await site.close();
  }
}

describe('the same walk ends in the same visits, log records and messages', () => {
  for (const walk of recordings.walks)
    test(walk.name, async (t) => {
      const { expected, others } = await walkAll(walk, walk.name);
      void t.annotate(`${expected.visits.length} visits, ${expected.shown.length} messages`);
      assert.ok(expected.visits.length > 0 && expected.shown.length > 0);
      for (const [name, end] of others) assert.deepEqual(end, expected, name);
    });
});
