import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, type MqttClient } from 'mqtt';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { type Mosquitto, startMosquitto } from '../../../../../test/support/servers/mosquitto.ts';
import { type Node, openNode, openSite, type Site } from '../../../../../test/support/site.ts';

const minute = 60_000;
const hour = 60 * minute;
const [mac, tag] = ['AC233F000001', 'C3000025EF6A'];

/** One second of a gateway; `clock`: how far it is ahead. */
interface Second {
  readonly isThere: boolean;
  readonly clock?: number;
}

describe('what a broker has kept while the service was away', () => {
  let broker: Mosquitto;
  let site: Site;
  let gateway: MqttClient;
  let node: Node | undefined;
  beforeEach(async () => {
    broker = await startMosquitto({ isPersistent: true });
    site = await openSite('sqlite');
    for (const gatewayId of [mac, 'hall']) await site.beacon({ name: gatewayId, metadata: { gatewayId } });
    const metadata = { advertisedId: tag.toLowerCase() };
    await site.installation({ installationId: 'tag', deviceType: 'embedded', metadata });
    const { username, password } = broker;
    gateway = connect(broker.url, { username, password, protocolVersion: 4 });
    await open();
  });
  afterEach(async () => {
    await gateway.endAsync(true);
    await close();
    await site.close();
    await broker.close();
  });

  /** Returns when what was published can be heard. */
  async function open(): Promise<void> {
    const { username, password } = broker;
    node = await openNode(site, {
      ...site.app.config,
      gatewayBrokerUrl: broker.url.replace('//', `//${username}:${encodeURIComponent(password)}@`),
      gatewayBrokerTopics: ['/gw/+/status', 'espresense/#'],
      gatewayBrokerApp: site.app.appId,
    });
    const isOpen = async () => (await counted()) > 0;
    // Something that is nobody’s, until it is heard.
    while (!(await isOpen())) {
      await gateway.publishAsync('espresense/devices/nobody/hall', '{"mac":"c30000000000","rssi":-90}', { qos: 1 });
      await delay(20);
    }
  }
  async function close(): Promise<void> {
    await node?.close();
    node = undefined;
  }

  /** Advertisements of which the service knows what became of them. */
  async function counted(): Promise<number> {
    const { payload } = (await node?.app.server.inject({ method: 'GET', url: '/metrics' })) ?? { payload: '' };
    const counts = payload.matchAll(/^pharos_gateway_advertisements_total\{.*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }
  async function until(count: number): Promise<void> {
    while ((await counted()) < count) await delay(10);
  }

  const minew = ({ isThere, clock = 0 }: Second) => {
    const timestamp = new Date(site.now + clock).toISOString();
    const heard = isThere ? [{ timestamp, type: 'Unknown', mac: tag, rssi: -55 }] : [];
    const stranger = { timestamp, type: 'Unknown', mac: 'C30000000000', rssi: -90 };
    return [`/gw/${mac}/status`, [{ timestamp, type: 'Gateway', mac }, ...heard, stranger]] as const;
  };
  const espresense = ({ isThere }: Second) =>
    [
      'espresense/devices/x/hall',
      { mac: isThere ? tag.toLowerCase() : 'c30000000000', rssi: -55, 'rssi@1m': -59, distance: 0.8, int: 1_000 },
    ] as const;

  /** Publishes a message a second, which the service hears at once if it is there. */
  async function pass(
    seconds: number,
    second: Second,
    { every = 1, message = minew as (second: Second) => readonly [string, object] } = {},
  ): Promise<void> {
    for (let at = 0; at < seconds; at += every) {
      const before = node && (await counted());
      const [topic, body] = message(second);
      await gateway.publishAsync(topic, JSON.stringify(body), { qos: 1 });
      if (before !== undefined) await until(before + 1);
      site.app.clock.now += every * 1_000;
    }
    await node?.app.ticker.tick();
  }

  interface Visit {
    readonly enteredAt: string;
    readonly leftAt: string | null;
  }
  /** From when until when, in seconds after `start`; null: they go on. */
  async function visits(start: number): Promise<(number | null)[][]> {
    const seconds = (time: string | null) => time && Math.round((Date.parse(time) - start) / 1_000);
    const found: readonly Visit[] = await site.list('visits', { order: 'enteredAt' });
    return found.map(({ enteredAt, leftAt }) => [seconds(enteredAt) as number, seconds(leftAt) as number | null]);
  }

  test('happened when the gateway says, although its clock is nine hours off', async () => {
    const [start, clock] = [site.now, 9 * hour];
    await pass(20, { isThere: true, clock });
    await close();
    await pass(20, { isThere: true, clock });
    await pass(600, { isThere: false, clock }, { every: 10 });
    await open();
    await until(20 + 20 + 60);
    await pass(60, { isThere: false, clock }, { every: 5 });
    assert.deepEqual(await visits(start), [[0, 39]]);
    await pass(20, { isThere: true, clock });
    assert.deepEqual(await visits(start), [
      [0, 39],
      [700, null],
    ]);
  });

  test('of a gateway without a clock says nothing about now', async () => {
    const start = site.now;
    const message = espresense;
    await pass(20, { isThere: true }, { message });
    await close();
    await pass(20, { isThere: true }, { message });
    await pass(600, { isThere: false }, { every: 10, message });
    await open();
    await until(20 + 60);
    await pass(60, { isThere: false }, { every: 5, message });
    assert.deepEqual(await visits(start), [[0, 19]]);
    const [position] = await site.list('positions');
    assert.ok(Date.parse(position.occurredAt) < start + 20_000, position.occurredAt);
    await pass(20, { isThere: true }, { message });
    assert.deepEqual(await visits(start), [
      [0, 19],
      [700, null],
    ]);
  });

  test('with a clock that was set ahead meanwhile says nothing about now', async () => {
    const [start, clock] = [site.now, 2 * hour];
    await pass(20, { isThere: true });
    await close();
    await pass(100, { isThere: false }, { every: 10 });
    await pass(20, { isThere: true, clock });
    await pass(500, { isThere: false, clock }, { every: 10 });
    await open();
    await until(10 + 2 * 20 + 50);
    await pass(20, { isThere: false, clock });
    await pass(20, { isThere: true, clock });
    assert.deepEqual(await visits(start), [
      [0, 19],
      [660, null],
    ]);
  });

  test('with a clock that was set back meanwhile does not keep the gateway from being right soon', async () => {
    const [start, clock] = [site.now, -2 * hour];
    await pass(20, { isThere: true });
    await close();
    await pass(600, { isThere: false, clock }, { every: 10 });
    await open();
    await until(60);
    await pass(20, { isThere: false, clock });
    await pass(20, { isThere: true, clock });
    assert.deepEqual(await visits(start), [
      [0, 19],
      [640, null],
    ]);
  });
});
