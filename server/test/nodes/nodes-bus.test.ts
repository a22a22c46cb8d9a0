import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { service } from '../../src/access/audit.ts';
import type { App } from '../../src/app/app.ts';
import { createServices } from '../../src/app/services.ts';
import { raw } from '../../src/base/sql.ts';
import type { DeviceBroker } from '../../src/delivery/mqtt/mqtt-device-broker.ts';
import { createDeviceCredentials } from '../../src/features/places/devices/credentials.ts';
import { create } from '../support/cases.ts';
import { type EventStream, openStream } from '../support/event-stream.ts';
import { openDevice } from '../support/servers/mqtt-devices.ts';
import { type Nats, startNats } from '../support/servers/nats.ts';
import { type Node, openNode, openSite, type Site } from '../support/site.ts';
import { listen } from '../support/socket.ts';

/** Two nodes on PostgreSQL that tell one another over a real NATS server what they would else find by looking. */

/** Until it is so, or for as long as a test may take. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(10);
}

describe('two nodes with a bus', () => {
  let nats: Nats;
  let site: Site;
  let nodes: [Node, Node];
  let ports: number[];
  const streams: EventStream[] = [];
  beforeAll(async () => {
    nats = await startNats();
    site = await openSite('postgres');
    const config = { ...site.app.config, busUrl: nats.url, mqttPort: 0, mqttHost: '127.0.0.1' };
    nodes = [await openNode(site, config), await openNode(site, config)];
    await until(() => nodes.every(({ app }) => app.bus?.isConnected));
    // From here on only the bus can tell them anything.
    for (const { app } of nodes) app.poller.stop();
    ports = [];
    for (const { app } of nodes) ports.push(await listen({ app } as Parameters<typeof listen>[0]));
  });
  afterAll(async () => {
    for (const stream of streams) stream.close();
    for (const node of nodes ?? []) await node.close();
    await site.close();
    await nats.stop();
  });

  const [first, second] = [() => nodes[0].app, () => nodes[1].app];
  const statusAt = async ({ server }: App, appKey: string) => {
    const headers = { ...site.user.headers, ...site.app.credentials, 'x-service-appkey': appKey };
    return (await server.inject({ method: 'GET', url: '/api/v2/beacons?limit=1', headers })).statusCode;
  };
  /**
   * The app is switched off on the first node, and then it is closed on the second: at once, since after a second that one asks
   * by itself. On a busy machine the second may be over before that, and it is tried again.
   */
  async function switchOff(seen: () => Promise<void>) {
    const { appKey } = site.app;
    for (let took = Number.POSITIVE_INFINITY; took >= 1_000; ) {
      assert.equal(await statusAt(second(), appKey), 200);
      await second().poller.poll();
      const start = performance.now();
      await first().apps.change(site.app.appId, { disabled: true });
      await seen();
      await until(async () => (await statusAt(second(), appKey)) !== 200);
      took = performance.now() - start;
      await first().apps.change(site.app.appId, { disabled: false });
      await seen();
    }
  }
  async function stream(at: 0 | 1, more: Readonly<Record<string, string>> = {}): Promise<EventStream> {
    const opened = await openStream(ports[at] ?? 0, '/api/v2/stream', {
      ...site.app.credentials,
      ...site.user.headers,
      ...more,
    });
    streams.push(opened);
    await opened.ready;
    return opened;
  }
  const visit = async ({ server }: App) => {
    site.app.clock.now += 60_000;
    for (const [event, at] of [
      ['ENTER', site.now - 1_000],
      ['EXIT', site.now],
    ] as const) {
      const payload = { installationId: 'phone-1', sightings: [{ beacon: site.hall, event, occurredAt: at }] };
      const answer = await server.inject({
        method: 'POST',
        url: '/api/v2/sightings',
        headers: site.app.credentials,
        payload,
      });
      assert.equal(answer.statusCode, 200, answer.body);
    }
  };
  const idsOf = ({ events }: EventStream) => events.map(({ id }) => id);

  test('what is switched off on one is closed on the other, without a look at the database', async () => {
    await switchOff(async () => undefined);
  });

  test('a forged message hides no change', async () => {
    const { appKey, appId } = site.app;
    const row = await site.app.storage.db.one<{ n: number }>(raw("select n from revisions where name = 'access'"));
    assert.equal(await statusAt(second(), appKey), 200);
    await second().poller.poll();
    first().bus?.tell({ kind: 'change', name: 'access', n: (row?.n ?? 0) + 1, appId: 'another' });
    await pause(100);
    await nats.stop();
    await until(() => nodes.every(({ app }) => app.bus?.isConnected === false));
    await first().apps.change(appId, { disabled: true });
    await second().poller.poll();
    assert.notEqual(await statusAt(second(), appKey), 200);
    await first().apps.change(appId, { disabled: false });
    await nats.start();
    await until(() => nodes.every(({ app }) => app.bus?.isConnected));
  });

  test('events on one reach listeners on the other; a client that resumes there misses nothing and gets nothing twice', async () => {
    const here = await stream(0);
    await visit(second());
    await here.received(4);
    const [, last] = idsOf(here);
    here.close();
    await visit(first());
    const there = await stream(1, { 'last-event-id': String(last) });
    await there.received(6);
    await visit(second());
    await visit(first());
    await there.received(14);
    assert.deepEqual(
      idsOf(there),
      Array.from({ length: 14 }, (_, index) => (last ?? 0) + 1 + index),
    );
  });

  test('a message that is made on one reaches a device that listens on the other, and so does the answer', async () => {
    const topic = 'museum/gate';
    const broker = second().devices as DeviceBroker;
    await broker.listen(0, '127.0.0.1');
    const device = { deviceName: 'Gate', manufacture: 'Acme', topic };
    const deviceId = await create(site.app, '/api/v2/device', device, site.user.headers);
    await site.installation({ installationId: 'gate', deviceType: 'embedded', deviceToken: topic });
    const { db } = site.app.storage;
    const { cacheVersion } = createServices({ db, now: () => site.now });
    const login = await createDeviceCredentials({ db, cacheVersion, now: () => site.now }).issue(
      site.app.appId,
      deviceId,
      service,
    );
    const gate = await openDevice(broker.port, login);
    try {
      await gate.client.subscribeAsync(topic, { qos: 1 });
      const push = { data: { title: 'Gate', alert: 'Open' }, where: { deviceType: 'embedded' } };
      const answer = await first().server.inject({
        method: 'POST',
        url: '/api/v2/push/notification',
        headers: { ...site.user.headers, ...site.app.credentials },
        payload: push,
      });
      assert.equal(answer.statusCode, 200, answer.body);
      // The tests before have moved the clock.
      for (const { shares } of [first(), second()]) await shares.renew();
      const sending = first().idle();
      await until(() => gate.messages.length === 1);
      await sending;
      const deliveries = await site.rows('deliveries');
      assert.deepEqual(
        deliveries.map(({ state }) => state),
        ['sent'],
      );
      assert.equal(gate.messages.length, 1);
    } finally {
      await gate.close();
    }
  });

  test('without the bus polling finds the same, and when the bus is back it is used again', async () => {
    await nats.stop();
    await until(() => nodes.every(({ app }) => app.bus?.isConnected === false));
    await switchOff(() => second().poller.poll());
    // While an app is switched off its listeners are sent away.
    const there = await stream(1);
    await visit(first());
    await second().poller.poll();
    await there.received(4);
    await nats.start();
    await until(() => nodes.every(({ app }) => app.bus?.isConnected));
    await visit(first());
    await there.received(8);
    await switchOff(async () => undefined);
    const ids = idsOf(there);
    assert.deepEqual(
      ids,
      Array.from({ length: ids.length }, (_, index) => (ids[0] ?? 0) + index),
    );
  });
});
