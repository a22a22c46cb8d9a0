import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { encode } from '@msgpack/msgpack';
import { receiverName } from '@pharos/engine';
import { afterAll, beforeAll, test } from 'vitest';
import { openDevice } from '../../../../test/support/servers/mqtt-devices.ts';
import { openSite, type Site } from '../../../../test/support/site.ts';
import { commandLine } from '../../../access/audit.ts';
import { readConfig } from '../../../config/config.ts';
import type { DeviceBroker } from '../../../delivery/mqtt/mqtt-device-broker.ts';

/**
 * The page about gateways is followed word by word, each line of its tables with a simulated gateway, whose messages are those of its
 * maker (packages/gateways/test/messages.test.ts names the sources). What is between backticks on the page is what is entered.
 */

const page = readFileSync(new URL('../../../../../docs/gateways.md', import.meta.url), 'utf8');
const rowsBelow = (heading: string) =>
  page
    .slice(page.indexOf(`\n## ${heading}\n`))
    .split('\n## ')[1]
    ?.split('\n')
    .filter((line) => /^\| (?!gateway|---)/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim())) ?? [];
const entered = (settings: string, pattern: RegExp): string => {
  const found = pattern.exec(settings)?.[1];
  assert.ok(found, `${pattern} in ${settings}`);
  return found;
};

const [tag, colons, uuid] = ['C3000025EF6A', 'C3:00:00:25:EF:6A', 'E2C56DB5DFFB48D2B060D0F5A71096E0'];
const iBeacon = `0201061AFF4C000215${uuid}00010002C5`;
const inSeconds = (now: number) => Math.floor(now / 1_000);
const at = (now: number) => new Date(now).toISOString();
const mac = 'AC233FC03641';

interface Simulated {
  /** The first line on the page that begins with this. */
  readonly gateway: string;
  /** As the page says that it is called, or as whoever follows the page calls it. */
  readonly name: string;
  readonly topic?: (settings: string) => string;
  readonly payload: (now: number, settings: string) => unknown;
}

const minew = (now: number) => [
  { timestamp: at(now), type: 'Gateway', mac, gatewayFree: 89, gatewayLoad: 0.03 },
  { timestamp: at(now), type: 'Unknown', mac: tag, bleNo: 0, bleName: '', rssi: -60, rawData: iBeacon },
];
const aprilbrother = { v: '1.5.10', mid: 3, time: 60, ip: '192.0.2.8', mac: '244CAB123456' };
const ingics = () => `$GPRP,${tag},CB412F0C8EDC,-60,${iBeacon}\r\n`;

const byMqtt: readonly Simulated[] = [
  {
    ...{ gateway: 'ESPresense', name: 'kitchen', topic: () => `espresense/devices/${tag.toLowerCase()}/kitchen` },
    payload: () => ({
      mac: tag.toLowerCase(),
      id: tag.toLowerCase(),
      'rssi@1m': -59,
      rssi: -60,
      distance: 1,
      int: 350,
    }),
  },
  {
    ...{ gateway: 'OpenMQTTGateway', name: 'OMG_hall' },
    topic: (settings) => `${entered(settings, /base topic `(.+?)`/)}OMG_hall/BTtoMQTT/${tag}`,
    payload: () => ({ id: colons, mac_type: 1, rssi: -60, txpower: 4, manufacturerdata: iBeacon.slice(10) }),
  },
  {
    ...{ gateway: 'Theengs Gateway', name: 'hall' },
    topic: (settings) => `${entered(settings, / -pt (\S+?)`/)}/${tag}`,
    payload: () => ({
      id: colons,
      rssi: -60,
      model: 'iBeacon',
      mfid: '4c00',
      uuid: uuid.toLowerCase(),
      major: 1,
      minor: 2,
    }),
  },
  {
    ...{ gateway: 'Minew G1', name: mac },
    topic: (settings) => entered(settings, /\*Publish topic\* `(.+?)`/).replace('MAC', mac.toLowerCase()),
    payload: minew,
  },
  {
    ...{ gateway: 'Ruuvi Gateway', name: 'C8:25:2D:8E:9C:2C' },
    topic: (settings) => `${entered(settings, /prefix `(.+?)`/).replace('MAC', 'C8:25:2D:8E:9C:2C')}${colons}`,
    payload: (now) => ({
      ...{ gw_mac: 'C8:25:2D:8E:9C:2C', rssi: -60, aoa: [], gwts: `${inSeconds(now)}`, ts: `${inSeconds(now)}` },
      ...{ data: iBeacon, coords: '' },
    }),
  },
  {
    ...{ gateway: 'Shelly', name: 'shelly', topic: () => 'shellyplus1-a8032abe54dc/events/rpc' },
    payload: (now) => ({
      ...{ src: 'shellyplus1-a8032abe54dc', dst: 'shellyplus1-a8032abe54dc/events', method: 'NotifyEvent' },
      params: {
        ts: now / 1_000,
        events: [
          {
            ...{ component: 'script:1', id: 1, event: 'shelly-blu', ts: now / 1_000 },
            data: {
              encryption: false,
              BTHome_version: 2,
              pid: 6,
              battery: 70,
              rssi: -60,
              address: colons.toLowerCase(),
            },
          },
        ],
      },
    }),
  },
  {
    ...{ gateway: 'ESPHome', name: 'hall', topic: () => entered(page, /topic: (\S+)/) },
    payload: () => {
      // What the lambda of the page writes.
      const members = [...page.matchAll(/root\["(\w+)"\]/g)].map(([, name]) => name);
      assert.deepEqual(members, ['address', 'rssi', 'manufacturer_data']);
      return { address: colons, rssi: -60, manufacturer_data: { '0x004C': iBeacon.slice(14).toLowerCase() } };
    },
  },
  {
    ...{ gateway: 'AprilBrother', name: 'abgateway', topic: () => 'anything' },
    payload: () => ({ ...aprilbrother, devices: [[3, tag, -60, iBeacon]] }),
  },
  { gateway: 'Ingics', name: 'igs', topic: () => 'anything', payload: ingics },
];

const byHttp: readonly Simulated[] = [
  { gateway: 'Minew G1', name: mac, payload: minew },
  {
    ...{ gateway: 'Minew G2', name: 'g2' },
    payload: (now) => [
      { timestamp: at(now), type: 'Gateway', mac: 'AC233FC00000', gatewayFree: 89, gatewayLoad: 0.03 },
      { timestamp: at(now), mac: tag, rssi: -60, rawData: iBeacon },
    ],
  },
  {
    ...{ gateway: 'Kontakt.io', name: '3cRCZ' },
    payload: (now) => {
      const event = { rssi: -60, data: Buffer.from(iBeacon, 'hex').toString('base64'), srData: '', timestamp: now };
      const events = [{ ...event, deviceAddress: colons.toLowerCase() }];
      return gzipSync(JSON.stringify({ version: 4, sourceId: '3cRCZ', timestamp: now, events }));
    },
  },
  {
    ...{ gateway: 'Ruuvi Gateway', name: 'C8:25:2D:8E:9C:2C' },
    payload: (now) => {
      const tags = { [colons]: { rssi: -60, timestamp: `${inSeconds(now)}`, data: iBeacon } };
      return { data: { timestamp: `${inSeconds(now)}`, nonce: '26', gw_mac: 'C8:25:2D:8E:9C:2C', tags } };
    },
  },
  {
    ...{ gateway: 'AprilBrother', name: 'abgateway' },
    payload: () => Buffer.from(encode({ ...aprilbrother, devices: [Buffer.from(`03${tag}C4${iBeacon}`, 'hex')] })),
  },
  { gateway: 'Ingics', name: 'igs', payload: ingics },
];

let site: Site;
let secretKey: string;
beforeAll(async () => {
  site = await openSite('sqlite', { PHAROS_MQTT_PORT: '0' });
  for (const name of new Set([...byMqtt, ...byHttp].map((one) => one.name)))
    await site.beacon({ name: `At ${name}`, metadata: { gatewayId: name } });
  await site.installation({ installationId: 'tag', deviceType: 'embedded', metadata: { advertisedId: colons } });
  const scopes = [{ resource: 'sightings', verbs: ['create'] }];
  ({ secretKey } = await site.app.app.secretKeys.create(site.app.appId, { name: 'All', scopes }, commandLine));
});
afterAll(() => site.close());

/** The line of the page about each simulated gateway; each line has one. */
function followed(heading: string, all: readonly Simulated[]) {
  const rows = rowsBelow(heading);
  assert.deepEqual(
    rows.map(([, gateway = '']) => all.find((one) => gateway.startsWith(one.gateway))?.gateway),
    all.map(({ gateway }) => gateway),
  );
  return all.map((one, index) => ({ ...one, settings: rows[index]?.[2] ?? '' }));
}

const taken = async () => {
  const metrics = (await site.app.send({ method: 'GET', url: '/metrics' })).raw.toString();
  return Number(/^pharos_gateway_advertisements_total\{result="taken"\} (\d+)$/m.exec(metrics)?.[1]);
};

/** Whether the gateway of this name is online, by what managers and its key can list. */
async function isOnline(name: string): Promise<boolean> {
  const { 'x-service-appkey': _, ...headers } = site.app.credentials;
  const { body } = await site.app.send({
    ...{ method: 'GET', url: '/api/v2/gateways' },
    headers: { ...headers, 'x-service-appkey': secretKey },
  });
  return body.results.some(
    (one: { gatewayId: string; isOnline: boolean }) => one.gatewayId === receiverName(name) && one.isOnline,
  );
}

test('each gateway that publishes as the page says is online and understood, under the name that the page says', async () => {
  const port = site.app.app.devices as DeviceBroker;
  await port.listen(0, '127.0.0.1');
  for (const { gateway, name, topic, payload, settings } of followed('By MQTT', byMqtt)) {
    site.app.clock.now += 20_000;
    const before = await taken();
    const given = gateway === 'ESPHome' ? entered(page, /username: (\S+)/) : entered(settings, /(APPID(?:\/NAME)?)/);
    const username = given.replace('APPID', site.app.appId).replace('NAME', name);
    const opened = await openDevice(port.port, { username, password: secretKey, protocolVersion: 4 });
    const message = payload(site.now, settings);
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    await opened.client.publishAsync(topic?.(settings) ?? '', text, { qos: 1 });
    await opened.close();
    assert.deepEqual([await taken(), await isOnline(name)], [before + 1, true], gateway);
  }
});

test('each gateway that sends to the URL of the page is online and understood', async () => {
  const url = entered(page, /The URL is `https:\/\/HOST(.+?)`/);
  const authorization = `Basic ${Buffer.from(`${site.app.appId}:${secretKey}`).toString('base64')}`;
  for (const { gateway, name, payload } of followed('By HTTP', byHttp)) {
    site.app.clock.now += 20_000;
    const body = payload(site.now, '');
    const { status, body: answer } = await site.app.send({
      method: 'POST',
      url: url.replace('NAME', encodeURIComponent(name)),
      headers: {
        ...({ 'x-service-appid': undefined, 'x-service-appkey': undefined } as unknown as Record<string, string>),
        ...{ authorization, 'content-type': 'application/octet-stream' },
        ...(gateway === 'Kontakt.io' ? { 'content-encoding': 'gzip' } : {}),
      },
      body,
    });
    assert.deepEqual([status, answer.result?.taken, answer.result?.problems], [200, 1, []], gateway);
    assert.ok(await isOnline(name), gateway);
  }
});

test('at a broker of one’s own, the topics and the prefix of the page are those of gateways that are named there', () => {
  const topics = entered(page, /`_TOPICS` \(such as `(.+?)`\)/);
  const [, discovery = ''] = /`(PHAROS_GATEWAY_BROKER_DISCOVERY=\S+)`/.exec(page) ?? [];
  const config = readConfig({
    ...{ PHAROS_GATEWAY_BROKER_URL: 'mqtt://broker.example', PHAROS_GATEWAY_BROKER_TOPICS: topics },
    ...{ PHAROS_GATEWAY_BROKER_APP: 'app', ...Object.fromEntries([discovery.split('=')]) },
  });
  assert.equal(config.gatewayBrokerDiscovery, 'homeassistant');
  const filters = (config.gatewayBrokerTopics ?? []).map(
    (topic) => new RegExp(`^${topic.replaceAll('+', '[^/]+').replace('/#', '/.+')}$`),
  );
  const heard = followed('By MQTT', byMqtt).filter(({ topic, settings }) =>
    filters.some((filter) => filter.test(topic?.(settings) ?? '')),
  );
  assert.deepEqual(
    heard.map(({ gateway }) => gateway),
    ['ESPresense', 'OpenMQTTGateway', 'Theengs Gateway', 'Minew G1'],
  );
});
