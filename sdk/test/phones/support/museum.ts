import assert from 'node:assert/strict';
import { generateRecordings } from '../../../../bench/proximity/generated.ts';
import { readRecordings, type Walk } from '../../../../bench/proximity/recordings.ts';
import { openSite, pointer, type Site, uuid } from '../../../../server/test/support/site.ts';
import { type OfflineMessage, OfflinePhone, type OfflineSender } from '../../../offline/index.ts';
import { PharosClient, type TextStorage } from '../../../src/index.ts';
import type { JsonInput } from '../../../src/wire.ts';

/** The recorded walks (PHAROS_RSSI_DATA), or generated ones, through a museum, and phones that can be told of them. */

export const recordings = readRecordings() ?? generateRecordings();

/** A phone of the test, with a network that can be cut and a storage that outlives it. */
export class TestPhone {
  readonly name: string;
  readonly shown: OfflineMessage[] = [];
  isOnline = true;
  /** The service has done it, and the answer is lost. */
  losesAnswers = false;
  /** By how much its clock is ahead, ms. */
  ahead = 0;
  sender: OfflineSender = 'phone';
  readonly #site: Site;
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
      onMessage: (message) => this.shown.push(message),
      onError: (error) => assert.fail(String(error)),
      sender: () => this.sender,
      now: () => this.#site.now + this.ahead,
      patience: 60_000,
    });
    return this.#phone;
  }

  get phone(): OfflinePhone {
    assert.ok(this.#phone);
    return this.#phone;
  }

  /** What it hears at these times of the service, by its own clock. */
  sense(heard: readonly Heard[]): Promise<void> {
    const stamped = heard.map(({ at, minor, rssi }): JsonInput => {
      const occurredAt = new Date(at + this.ahead).toISOString();
      return { uuid, major: 1, minor, rssi, occurredAt };
    });
    return this.phone.sense(...stamped);
  }
}

export interface Heard {
  /** ms */
  readonly at: number;
  readonly minor: number;
  readonly rssi: number;
}

/** What is heard on a walk that begins at `from`, second by second. */
export function secondsOf(
  walk: Walk,
  from: number,
  minors: ReadonlyMap<string, number>,
): readonly (readonly Heard[])[] {
  const begun = walk.samples[0]?.at ?? 0;
  const seconds: Heard[][] = [];
  for (const { at, beacon, rssi } of walk.samples) {
    const second = Math.floor((at - begun) / 1000);
    while (seconds.length <= second) seconds.push([]);
    seconds[second]?.push({ at: from + at - begun, minor: minors.get(beacon) ?? 0, rssi });
  }
  return seconds;
}

export async function openMuseum() {
  const site = await openSite('sqlite', {}, Date.UTC(2026, 5, 3, 10));
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
export async function endOf(site: Site, { objectId, shown }: TestPhone, from: number) {
  const list = async (path: string, where: object = {}): Promise<readonly Record<string, never>[]> => {
    const own = JSON.stringify({ ...where, installationId: pointer('_Installation', objectId) });
    const found = await site.list(path, { where: own, limit: '1000' });
    assert.ok(found.length < 1_000, path);
    return found;
  };
  const since = (time: string | undefined) => (time === undefined ? null : Date.parse(time) - from);
  const of = (one: Record<string, { readonly objectId: string }>) => one['beaconId']?.objectId;
  const visits = (await list('visits')).map((one) =>
    [of(one), since(one['enteredAt']), since(one['leftAt'])].join(' '),
  );
  const logs = (await list('logs')).map((one) =>
    [of(one), one['event'], one['moduleType'], since(one['occurredAt'])].join(' '),
  );
  const verdicts = (await list('verdicts', { outcome: 'fired' })).map((one) =>
    [of(one), one['triggerId'], one['event'], since(one['decidedAt'])].join(' '),
  );
  return {
    visits: visits.sort(),
    logs: logs.sort(),
    verdicts: verdicts.sort(),
    shown: shown.map(({ triggerId }) => triggerId).sort(),
  };
}
