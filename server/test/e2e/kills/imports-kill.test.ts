import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { test } from 'vitest';
import { createMigratedPostgres, databases } from '../../support/build-app.ts';
import { killsOf } from '../../support/depth.ts';
import { pointer, uuid } from '../../support/site.ts';
import { call, firstCredentials, type Service, startService } from '../service.ts';

/** PHAROS_TEST_KILLS asks for more. */
const kills = killsOf(3, 1);
const rowsOfEach = 50;
/** As many at once as the console sends. */
const atOnce = 4;

type Headers = Readonly<Record<string, string>>;

interface Row {
  readonly path: string;
  readonly body: object;
}

async function signIn(service: Service): Promise<string> {
  const account = { email: 'ada@museum.example', password: 'a long secret' };
  const headers = { origin: service.baseUrl };
  const token = () => /console\/setup#(\w+)/.exec(service.output())?.[1];
  while (token() === undefined) await delay(5);
  const body = { token: token(), name: 'Ada', ...account };
  assert.equal((await call(service, 'POST', '/console/api/setup', { headers, body })).status, 201);
  const answer = await fetch(`${service.baseUrl}/console/api/session`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(account),
  });
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}

/** Sends the rows of a file as the console does. Counts those that were answered; the rest fails when the service is gone. */
async function takeIn(service: Service, headers: Headers, rows: readonly Row[], onDone: () => void): Promise<void> {
  const waiting = rows.entries();
  const work = async () => {
    for (const [line, { path, body }] of waiting) {
      const keyed = { ...headers, origin: service.baseUrl, 'idempotency-key': `import:${line}` };
      const answer = await call(service, 'POST', path, { headers: keyed, body }).catch(() => undefined);
      if (answer === undefined) continue;
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      onDone();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
}

for (const database of databases)
  test(`${kills} times kill -9 in the middle of an import on ${database}: sent again, each row is there once`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pharos-import-kill-'));
    const postgres = database === 'postgres' ? await createMigratedPostgres() : undefined;
    const settings = { PHAROS_DATA: folder, ...(postgres ? { PHAROS_DATABASE_URL: postgres.url } : {}) };
    let service = await startService(settings);
    try {
      const headers = { cookie: await signIn(service) };
      const data = `/console/api/apps/${firstCredentials(folder)['x-service-appid']}`;
      const send = async (method: string, path: string, body?: object) => {
        const answer = await call(service, method, data + path, {
          headers: { ...headers, origin: service.baseUrl },
          body,
        });
        assert.ok(answer.status < 300, JSON.stringify(answer.body));
        return answer.body;
      };
      await send('POST', '/buckets', { name: 'birds' });
      const venueId = pointer('Venue', (await send('POST', '/v2/venues', { name: 'House' })).result.objectId);
      const floor = (await send('POST', '/v2/floors', { venueId, name: 'Ground floor', level: 0 })).result.objectId;
      const floorId = pointer('Floor', floor);
      const polygon = [0, 8, 8].map((x, corner) => ({ x, y: 4 * corner }));
      const rows = Array.from({ length: rowsOfEach }, (_, n): Row[] => [
        {
          path: `${data}/v2/beacons`,
          body: { name: `B${n}`, uuid, major: 1, minor: n, venueId, location: { x: n % 9, y: 4, floor: 0 } },
        },
        { path: `${data}/v2/zones`, body: { floorId, name: `Z${n}`, kind: 'room', polygon } },
        { path: `${data}/v2/data/bucket/birds`, body: { metadata: { name: `R${n}` } } },
      ]).flat();
      for (let kill = 0; kill < kills; kill++) {
        let done = 0;
        const enough = ((kill + 1) * rows.length) / (kills + 1);
        const isEnough = Promise.withResolvers<void>();
        const taking = takeIn(service, headers, rows, () => ++done >= enough && isEnough.resolve());
        await Promise.race([isEnough.promise, taking]);
        await service.stop('SIGKILL');
        await taking;
        assert.ok(done < rows.length, 'it was killed in the middle');
        service = await startService(settings);
      }
      let done = 0;
      await takeIn(service, headers, rows, () => done++);
      assert.equal(done, rows.length);
      const named = async (path: string, nameOf: (one: never) => string) =>
        (await send('GET', `/v2/${path}?limit=1000`)).results.map(nameOf).sort();
      const expected = (letter: string) => Array.from({ length: rowsOfEach }, (_, n) => `${letter}${n}`).sort();
      assert.deepEqual(await named('beacons', ({ name }) => name), expected('B'));
      assert.deepEqual(await named('zones', ({ name }) => name), expected('Z'));
      assert.deepEqual(await named('data/bucket/birds', ({ metadata: { name } }) => name), expected('R'));
      assert.equal(await service.stop('SIGTERM'), 0);
    } finally {
      await service.stop('SIGKILL');
      await postgres?.drop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
