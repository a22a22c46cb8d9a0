import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'vitest';
import { startTelemetry } from '../../src/base/telemetry/open-telemetry.ts';
import { bothDatabases } from '../support/build-app.ts';
import { openWebhookSite } from '../support/sites/webhook-site.ts';

// biome-ignore lint/suspicious/noExplicitAny: the JSON of OTLP
type Json = any;

/** What a collector was sent, by signal. */
async function openCollector() {
  const received: Record<string, Json[]> = { traces: [], metrics: [] };
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      received[request.url?.split('/').at(-1) ?? '']?.push(JSON.parse(Buffer.concat(parts).toString()));
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, received, close: () => new Promise((resolve) => server.close(resolve)) };
}

const traceId = '0af7651916cd43dd8448eb211c80319c';
const callerId = 'b7ad6b7169203331';
const ownTrace = (place: number) => `${place}`.padStart(32, 'a');
const traceparent = `00-${traceId}-${callerId}-01`;

const spansIn = (received: Json[]): Json[] =>
  received.flatMap((one) => one.resourceSpans.flatMap((of: Json) => of.scopeSpans.flatMap((in_: Json) => in_.spans)));
const metricsIn = (received: Json[]): Json[] =>
  received.flatMap((one) =>
    one.resourceMetrics.flatMap((of: Json) => of.scopeMetrics.flatMap((in_: Json) => in_.metrics)),
  );

for (const database of bothDatabases) {
  describe(`telemetry on ${database}`, () => {
    test('a trace goes on from the caller through a request, a job and a webhook; metrics have the names of Prometheus', async () => {
      const collector = await openCollector();
      let metrics = async (): Promise<readonly Json[]> => [];
      const telemetry = startTelemetry({ url: `${collector.url}/`, share: 1, version: '1', metrics: () => metrics() });
      const hooks = await openWebhookSite(database);
      const { app } = hooks.site;
      try {
        metrics = app.app.metrics;
        await hooks.make();
        await hooks.site.list('beacons');
        const body = { installationId: 'phone-1', sightings: [hooks.site.decided('ENTER')] };
        const url = '/api/v2/sightings';
        assert.equal((await app.send({ method: 'POST', url, headers: { traceparent }, body })).status, 200);
        await app.app.idle();
        assert.equal(hooks.receiver.calls.length, 1);
      } finally {
        await telemetry.stop();
        await hooks.close();
        await collector.close();
      }
      const spans = spansIn(collector.received['traces'] ?? []);
      const ofTrace = spans.filter((span) => span.traceId === traceId);
      const named = (name: RegExp) => ofTrace.find((span) => name.test(span.name)) ?? assert.fail(`${name}`);
      const request = named(/^POST \/api\/v2\/sightings/);
      assert.equal(request.parentSpanId, callerId);
      const call = named(/^webhook POST$/);
      const job = named(/^job webhook\.send$/);
      assert.deepEqual([job.parentSpanId, call.parentSpanId], [request.spanId, job.spanId]);
      const told = String(hooks.receiver.calls[0]?.headers['traceparent']);
      assert.equal(told, `00-${traceId}-${call.spanId}-01`);
      assert.ok(!JSON.stringify(spans).includes(app.appKey));
      const list = spans.find((span) => span.name === 'GET /api/v2/beacons');
      assert.ok(list && list.traceId !== traceId, 'without a caller’s trace it is one of its own');

      const sent = metricsIn(collector.received['metrics'] ?? []);
      const requests = sent.find(({ name }) => name === 'pharos_http_requests_total');
      assert.ok(requests.sum.isMonotonic && requests.sum.dataPoints.length > 0);
      const times = sent.find(({ name }) => name === 'pharos_http_request_seconds').histogram.dataPoints[0];
      const inBuckets = times.bucketCounts.reduce((sum: number, n: number | string) => sum + Number(n), 0);
      assert.equal(inBuckets, Number(times.count), 'each answer is in one bucket');
    });
  });
}

for (const database of bothDatabases) {
  test(`requests that are written together keep their own traces on ${database}`, async () => {
    const telemetry = startTelemetry({ url: 'http://127.0.0.1:9', share: 1, version: '1', metrics: async () => [] });
    const hooks = await openWebhookSite(database);
    try {
      await hooks.make();
      const phones = await Promise.all(
        Array.from({ length: 24 }, (_, place) => hooks.site.installation({ installationId: `visitor-${place}` })),
      );
      const answers = await Promise.all(
        phones.map((_, place) =>
          hooks.site.app.send({
            method: 'POST',
            url: '/api/v2/sightings',
            headers: { traceparent: `00-${ownTrace(place)}-${callerId}-01` },
            body: { installationId: `visitor-${place}`, sightings: [hooks.site.decided('ENTER')] },
          }),
        ),
      );
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      // A webhook is called a few times at once.
      while (hooks.receiver.calls.length < phones.length) await hooks.pass(1_000);
      const told = hooks.receiver.calls.map(({ headers, body }): [string, string | undefined] => [
        JSON.parse(body).data.installationId.objectId,
        String(headers['traceparent']).split('-')[1],
      ]);
      assert.deepEqual(new Map(told), new Map(phones.map((id, place) => [id, ownTrace(place)])));
    } finally {
      await telemetry.stop();
      await hooks.close();
    }
  });
}

test('of the requests as many are kept as wanted, whatever a caller sends', async () => {
  const collector = await openCollector();
  const telemetry = startTelemetry({ url: collector.url, share: 0.5, version: '1', metrics: async () => [] });
  const hooks = await openWebhookSite('sqlite');
  try {
    const broken = { traceparent: `00-${'0'.repeat(32)}-${callerId}-01` };
    for (let count = 0; count < 200; count++) {
      const headers = count % 2 === 0 ? broken : {};
      assert.equal((await hooks.site.ask({ method: 'GET', url: '/api/v2/venues', headers })).status, 200);
    }
  } finally {
    await telemetry.stop();
    await hooks.close();
    await collector.close();
  }
  const kept = spansIn(collector.received['traces'] ?? []).filter(({ name }) => name === 'GET /api/v2/venues').length;
  // 0.5 of 200; further off is one in ten million runs.
  assert.ok(kept > 60 && kept < 140, String(kept));
});

test('without a collector nothing is held up, and a broken traceparent begins a trace', async () => {
  const telemetry = startTelemetry({ url: 'http://127.0.0.1:9', share: 1, version: '1', metrics: async () => [] });
  const hooks = await openWebhookSite('sqlite');
  try {
    const headers = { traceparent: `00-${'0'.repeat(32)}-${callerId}-01` };
    assert.equal((await hooks.site.ask({ method: 'GET', url: '/api/v2/beacons', headers })).status, 200);
  } finally {
    await hooks.close();
    const before = performance.now();
    await telemetry.stop();
    assert.ok(performance.now() - before < 5_000);
  }
});
