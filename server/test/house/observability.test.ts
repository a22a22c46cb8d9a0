import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fastify from 'fastify';
import { describe, test } from 'vitest';
import { registerMetrics } from '../../src/http/metrics.ts';
import { buildApp, databases, signIn } from '../support/build-app.ts';

test('reading the metrics counts nothing twice, and what is over is no longer shown', async () => {
  const server = fastify();
  let jobs: Record<string, number> = { queued: 2, dead: 1 };
  registerMetrics(server, {
    database: () => ({ walBytes: 0, queuedWrites: 0, queuedSlowQueries: 0 }),
    jobs: async () => jobs,
    storage: () => ({
      level: 'ample',
      freeBytes: 5,
      minFreeBytes: 1,
      reserveBytes: 0,
      errors: { full: 3, io: 0, unreadable: 0 },
      isRefusing: false,
      hasFailed: false,
    }),
    deliveries: () => [{ sender: 'fcm', state: 'sent', count: 4 }],
    givenUpCalls: () => 6,
    advertisements: () => ({ taken: 5, merged: 0 }),
  });
  const lines = async () =>
    (await server.inject({ url: '/metrics' })).payload
      .split('\n')
      .filter((line) => /^pharos_(jobs|deliveries|webhook|gateway|storage_errors)/.test(line));
  const others = [
    'pharos_deliveries_total{sender="fcm",state="sent"} 4',
    'pharos_webhook_calls_given_up_total 6',
    'pharos_gateway_advertisements_total{result="taken"} 5',
    'pharos_gateway_advertisements_total{result="merged"} 0',
    'pharos_storage_errors_total{kind="full"} 3',
    'pharos_storage_errors_total{kind="io"} 0',
    'pharos_storage_errors_total{kind="unreadable"} 0',
  ];
  await lines();
  const all = [...others, 'pharos_jobs{state="queued"} 2', 'pharos_jobs{state="dead"} 1'];
  assert.deepEqual((await lines()).sort(), all.sort());
  jobs = { queued: 1 };
  assert.deepEqual((await lines()).sort(), [...others, 'pharos_jobs{state="queued"} 1'].sort());
  await server.close();
});

test('the dashboard for Grafana asks for metrics and labels that there are', async () => {
  const server = fastify();
  registerMetrics(server, {
    database: () => ({ walBytes: 0, queuedWrites: 0, queuedSlowQueries: 0 }),
    jobs: async () => ({ queued: 1 }),
    storage: () => ({
      freeBytes: 5,
      minFreeBytes: 1,
      reserveBytes: 0,
      errors: { full: 1 },
      isRefusing: false,
      hasFailed: false,
    }),
    files: () => [{ operation: 'put', result: 'ok', count: 1, seconds: 1 }],
    deliveries: () => [{ sender: 'fcm', state: 'sent', count: 4 }],
    givenUpCalls: () => 6,
    advertisements: () => ({ taken: 5 }),
  });
  await server.inject({ url: '/metrics' });
  const shown = (await server.inject({ url: '/metrics' })).payload;
  await server.close();
  const labels = new Map<string, Set<string>>();
  for (const [, name = '', listed = ''] of shown.matchAll(/^(\w+)(?:\{(.*)\})? /gm)) {
    const known = labels.get(name) ?? new Set(['instance']);
    for (const [, label = ''] of listed.matchAll(/(\w+)="/g)) known.add(label);
    labels.set(name, known);
  }
  const file = new URL('../../../deploy/grafana-dashboard.json', import.meta.url);
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly panels: readonly {
      readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
    }[];
  };
  const targets = panels.flatMap((panel) => panel.targets);
  assert.ok(targets.length > 15);
  for (const { expr, legendFormat } of targets) {
    const [name = ''] = /pharos_\w+/.exec(expr) ?? [];
    const known = labels.get(name) ?? assert.fail(`There is no metric ${name}.`);
    const grouped = /by \(([^)]*)\)/.exec(expr)?.[1]?.split(', ') ?? [];
    const legends = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
    for (const label of [...grouped, ...legends]) assert.ok(known.has(label), `${name} has no label ${label}`);
  }
});

for (const database of databases) {
  describe(`watching the service on ${database}`, () => {
    test('nothing holds a service that is closed', async () => {
      setFlagsFromString('--expose-gc');
      const collectGarbage: () => void = runInNewContext('gc');
      const serve = async () => {
        const { app, close } = await buildApp({ database });
        await app.server.inject({ url: '/metrics' });
        await close();
        return new WeakRef(app);
      };
      const closed = await serve();
      for (let turn = 0; turn < 100 && closed.deref(); turn++) {
        await setImmediate();
        collectGarbage();
      }
      assert.equal(typeof closed.deref(), 'undefined');
    });

    test('metrics count requests by route, never by address, and show queues', async () => {
      const app = await buildApp({ database });
      try {
        const { headers } = await signIn(app);
        for (const id of ['one', 'two', 'three']) {
          await app.send({ method: 'GET', url: `/api/v2/beacons/${id}`, headers });
        }
        await app.send({
          method: 'POST',
          url: '/api/v2/push/notification',
          headers,
          body: { data: { alert: 'hi' }, sendAt: new Date(app.clock.now + 60_000).toISOString() },
        });
        const text = (await app.send({ method: 'GET', url: '/metrics' })).raw.toString();
        assert.match(
          text,
          /pharos_http_requests_total\{method="GET",route="\/api\/v2\/beacons\/:objectId",status="404"\} 3/,
        );
        assert.doesNotMatch(text, /beacons\/(one|two|three)/);
        assert.match(text, /pharos_http_request_seconds_bucket\{le="0\.001",/);
        assert.match(text, /pharos_jobs\{state="[a-z]+"\} 1/);
        for (const name of ['pharos_wal_bytes', 'pharos_queued_writes', 'pharos_queued_slow_queries']) {
          assert.match(text, new RegExp(`^${name} \\d+$`, 'm'));
        }
      } finally {
        await app.close();
      }
    });

    test('each request is one log line with its id, and no line holds a secret', async () => {
      const app = await buildApp({ database });
      try {
        const user = await signIn(app);
        const answer = await app.send({
          method: 'GET',
          url: '/api/v2/beacons?where=%7B%22name%22%3A%22private%22%7D',
          headers: user.headers,
        });
        const id = answer.headers['x-request-id'];
        const lines = app.log.map((line) => JSON.parse(line)).filter(({ reqId }) => reqId === id);
        assert.equal(lines.length, 1);
        assert.deepEqual(
          { method: lines[0].method, path: lines[0].path, status: lines[0].status },
          { method: 'GET', path: '/api/v2/beacons', status: 200 },
        );
        assert.deepEqual([lines[0].level, lines[0].pid, lines[0].msg], [30, process.pid, 'request']);
        assert.ok(Math.abs(lines[0].time - Date.now()) < 60_000 && lines[0].ms >= 0);
        const quoted = await app.send({ method: 'GET', url: '/api/v2/beacons/"\\', headers: user.headers });
        const quotedId = quoted.headers['x-request-id'];
        const [line] = app.log.map((line) => JSON.parse(line)).filter(({ reqId }) => reqId === quotedId);
        assert.match(line.path, /^\/api\/v2\/beacons\/("|%22)(\\|%5C|\/)$/);
        const all = app.log.join('');
        for (const secret of [app.appKey, user.token, 'correct horse', 'private', '@example.org']) {
          assert.ok(!all.includes(secret), `the log holds ${secret}`);
        }
      } finally {
        await app.close();
      }
    });

    test('an unknown failure is opaque to the caller and told in the log under the same id', async () => {
      const app = await buildApp({ database });
      try {
        await app.storage.db.run({ strings: ['drop table devices'], values: [] });
        const body = { deviceName: 'Gateway', manufacture: 'Acme', topic: 'a/b' };
        const answer = await app.send({ method: 'POST', url: '/api/v2/device', body });
        assert.deepEqual([answer.status, answer.body.code, answer.body.error.name], [500, 1, 'InternalServerError']);
        assert.doesNotMatch(answer.raw.toString(), /devices|table|relation|sqlite|postgres/i);
        const told = app.log
          .map((line) => JSON.parse(line))
          .find(({ reqId, level }) => reqId === answer.headers['x-request-id'] && level >= 50);
        assert.match(JSON.stringify(told), /devices/);
      } finally {
        await app.close();
      }
    });

    test('is ready while it can write, and not once it stops', async () => {
      const app = await buildApp({ database });
      try {
        assert.deepEqual((await app.send({ method: 'GET', url: '/readyz' })).body, { status: 'ready' });
        assert.deepEqual((await app.send({ method: 'GET', url: '/healthz' })).body, { status: 'ok' });
        await app.storage.db.run({ strings: ['drop table revisions'], values: [] });
        assert.equal((await app.send({ method: 'GET', url: '/readyz' })).status, 503, 'its storage is asked');
      } finally {
        await app.close();
      }
    });
  });
}
