import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { openSite, type Site, stay, walk } from '../../../server/test/support/site.ts';
import { type OfflineMessage, type OfflineOptions, OfflinePhone } from '../../offline/index.ts';
import { PharosClient } from '../../src/index.ts';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

test('engine and decisions are at most 40 kB on the way to a phone', async (t) => {
  const input = pathOf('../../offline/index.ts');
  const bundle = await rolldown({
    input,
    platform: 'neutral',
    logLevel: 'silent',
    resolve: { mainFields: ['module'] },
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  await bundle.close();
  const size = gzipSync(output[0].code, { level: 9 }).length;
  void t.annotate(`${size} bytes`);
  assert.ok(size <= 40_000, `${size} bytes`);
});

describe('a phone that decides by itself', () => {
  let site: Site;
  let baseUrl: string;
  let isOnline: boolean;
  let kept: Map<string, string>;
  let shown: OfflineMessage[];
  let events: string[];

  beforeAll(async () => {
    site = await openSite('sqlite');
    await site.notification();
    await site.app.app.apps.change(site.app.appId, { policy: { readContent: 'app' } as never });
    await site.app.app.server.listen({ host: '127.0.0.1', port: 0 });
    baseUrl = `http://127.0.0.1:${(site.app.app.server.server.address() as AddressInfo).port}`;
  });
  afterAll(() => site.close());
  beforeEach(() => {
    [isOnline, kept, shown, events] = [true, new Map(), [], []];
  });

  const clientOf = (appKey = site.app.appKey, appId = site.app.appId) =>
    new PharosClient({
      baseUrl,
      appId,
      appKey,
      retry: false,
      fetch: async (url, request) => {
        if (!isOnline) throw new TypeError('no network');
        return fetch(url, request);
      },
    });
  const options = (): OfflineOptions => ({
    installation: { objectId: site.phone, installationId: 'phone-1' },
    storage: (name) => ({ load: () => kept.get(name) ?? null, save: (text) => void kept.set(name, text) }),
    onMessage: (message) => shown.push(message),
    onEvent: ({ event }) => events.push(event),
    onError: (error) => assert.fail(String(error)),
    now: () => site.now,
    patience: 60_000,
  });
  const open = (change: Partial<OfflineOptions> = {}) => OfflinePhone.open(clientOf(), { ...options(), ...change });
  /** Stands beside the beacon for some seconds, each of them sensed when it is. */
  async function standBeside(phone: OfflinePhone, seconds: number, offset = 0): Promise<void> {
    for (const sample of walk(stay(1.5, seconds), site.now)) {
      site.app.clock.now += 1_000;
      const { occurredAt, ...rest } = sample as { occurredAt: number };
      await phone.sense({ ...rest, occurredAt: occurredAt + offset });
    }
  }

  test('shows what it was told of, goes on after a restart, and decides nothing before it knows the place', async () => {
    isOnline = false;
    await standBeside(await open(), 10);
    assert.deepEqual([shown, events], [[], []]);
    isOnline = true;
    const first = await open();
    await first.refresh();
    await first.flush();
    site.app.clock.now += 3_600_000;
    [isOnline, shown, events] = [false, [], []];
    await first.passTime();
    [shown, events] = [[], []];
    await standBeside(first, 4);
    const second = await open();
    await standBeside(second, 10);
    assert.deepEqual(
      shown.map(({ kind, isOffline, content }) => [kind, isOffline, content['type']]),
      [['notification', true, 'TEXT']],
    );
    assert.equal(events[0], 'ENTER');
    site.app.clock.now += 60_000;
    await (await open()).passTime();
    assert.equal(events.at(-1), 'EXIT');
    isOnline = true;
    const third = await open();
    await third.flush();
    assert.equal(third.waiting, 0);
  });

  test('asks for consent in the visitor’s language, as the editors wrote it', async () => {
    const { apps } = site.app.app;
    const consentTexts = {
      version: '2',
      language: 'en',
      messages: 'May we?',
      translations: { de: { messages: 'Dürfen wir?' } },
    };
    await apps.change(site.app.appId, { policy: { consentTexts } });
    const german = { ...options().installation, localeIdentifier: 'de-AT' };
    const phone = await open({ installation: german });
    assert.equal(phone.consentTexts, null);
    await phone.refresh();
    isOnline = false;
    const asked = async (installation = options().installation) => (await open({ installation })).consentTexts;
    assert.deepEqual(await asked(german), { version: '2', messages: 'Dürfen wir?' });
    assert.deepEqual(await asked(), { version: '2', messages: 'May we?' });
    await apps.change(site.app.appId, { policy: { consentTexts: { version: '' } } });
  });

  test('holds a bounded number of sightings, and as little of what it knows', async () => {
    const phone = await open();
    await phone.refresh();
    isOnline = false;
    site.app.clock.now += 3_600_000;
    const [sample] = walk([20], site.now) as [{ minor: number }];
    for (let second = 0; second < 300; second++) {
      site.app.clock.now += 1_000;
      const heard = Array.from({ length: 50 }, (_, minor) => ({ ...sample, minor, occurredAt: site.now }));
      await phone.sense(...heard);
    }
    assert.ok(phone.waiting <= 10_000, `${phone.waiting} sightings`);
    const state = kept.get(`${site.app.appId}-state`) ?? '';
    assert.ok(state.length < 100_000, `${state.length} characters of state`);
    assert.ok(kept.size < 200, `${kept.size} names`);
    isOnline = true;
    await phone.flush();
    assert.equal(phone.waiting, 0);
  });

  test('a clock that is set back a day begins another presence, and is heard of at once', async () => {
    const phone = await open();
    await phone.refresh();
    isOnline = false;
    site.app.clock.now += 86_400_000;
    await standBeside(phone, 10);
    assert.equal(shown.length, 1);
    const ahead = site.now;
    site.app.clock.now -= 86_400_000;
    events = [];
    await standBeside(phone, 10);
    assert.deepEqual(
      events.filter((event) => event === 'ENTER'),
      ['ENTER'],
    );
    site.app.clock.now = ahead;
  });

  test('shows nothing of another app whose place and sightings were kept in the same storage, and tells nothing of it', async () => {
    const own = await open();
    await own.refresh();
    isOnline = false;
    site.app.clock.now += 3_600_000;
    await standBeside(own, 10);
    assert.deepEqual([own.waiting > 0, shown.length], [true, 1]);
    const { appId, appKey } = await site.app.app.apps.create('Another');
    const other = await OfflinePhone.open(clientOf(appKey, appId), { ...options(), onMessage: () => assert.fail() });
    assert.deepEqual([other.bundle, other.waiting], [null, 0]);
    await standBeside(other, 10);
    assert.ok((await open()).waiting >= 10, 'what is the own waits on');
  });

  test('keeps what it has if the service refuses, and takes damaged texts for none', async () => {
    const phone = await open();
    await phone.refresh();
    const { bundle } = phone;
    const other = await OfflinePhone.open(clientOf('of another app'), {
      installation: { objectId: site.phone, installationId: 'phone-1' },
      storage: (name) => ({ load: () => kept.get(name) ?? null, save: (text) => void kept.set(name, text) }),
      onMessage: () => undefined,
      now: () => site.now,
    });
    await assert.rejects(other.refresh(), { code: 903 });
    assert.deepEqual(other.bundle, bundle);
    for (const name of kept.keys()) kept.set(name, '{"broken');
    const anew = await open();
    assert.deepEqual([anew.bundle, anew.waiting], [null, 0]);
    await anew.refresh();
    await anew.sense();
  });

  test('the example in the documentation does what it says', async () => {
    const text = readFileSync(pathOf('../../../docs/offline.md'), 'utf8');
    const [, code = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(text) ?? [];
    const before = `
      const kept = new Map();
      const localStorage = { getItem: (name) => kept.get(name) ?? null, setItem: (name, text) => kept.set(name, text) };
      const [baseUrl, appId, appKey] = ${JSON.stringify([baseUrl, site.app.appId, site.app.appKey])};
      const installationId = 'of the documentation';
      const show = () => undefined;`;
    const after = 'console.log(Object.keys(phone.bundle.parts).length, phone.waiting);';
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module-typescript', '--eval', code.replace(/(?<=offline';\n)/, before) + after],
      { cwd: pathOf('..') },
    );
    assert.equal(stdout, '32 0\n');
  });
});
