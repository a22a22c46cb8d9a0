import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { runs } from '../../../scripts/test/runs.ts';
import { formats, type GatewayReport, type LeftOutCode, maxBytes, maxHeard, readGatewayMessage } from '../src/index.ts';

const read = (value: unknown, topic?: string): GatewayReport =>
  readGatewayMessage({
    payload: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
    ...(topic === undefined ? {} : { topic }),
  });

const gateway = { type: 'Gateway', mac: 'AC233FC03641' };
const tag = { type: 'Unknown', mac: 'C3000025EF6A', rssi: -65, rawData: '020106', timestamp: '2026-02-09T00:13:53Z' };

const told: readonly (readonly [what: string, value: unknown, code: LeftOutCode, heard: number])[] = [
  ['nothing', '', 'malformed', 0],
  ['truncated JSON', '[{"type":"Gateway"', 'malformed', 0],
  ['another program', { temperature: 21 }, 'unknown_format', 0],
  ['an entry of another type', [gateway, 7, tag], 'not_an_object', 1],
  ['no address and no identity', [gateway, { ...tag, mac: 'x' }, tag], 'no_sender', 1],
  ['an address as an object', [gateway, { ...tag, mac: { $gt: '' } }, tag], 'no_sender', 1],
  ['a chip that could not measure', [gateway, { ...tag, rssi: 127 }, tag], 'no_signal', 1],
  ['a signal as text', [gateway, { ...tag, rssi: 'loud' }, tag], 'no_signal', 1],
  ['a time that is none', [gateway, { ...tag, timestamp: 'yesterday' }, tag], 'bad_time', 1],
  ['a time after 9999', [gateway, { ...tag, timestamp: 1e15 }, tag], 'bad_time', 1],
  ['an advertisement that is not hexadecimal', [gateway, { ...tag, rawData: 'zz' }], 'bad_frame', 1],
  ['a truncated advertisement', [gateway, { ...tag, rawData: '0201061AFF4C00' }], 'bad_frame', 1],
];

for (const [what, value, code, heard] of told)
  test(`${what} is told, and the rest is read`, () => {
    const report = read(value);
    assert.deepEqual([report.leftOut.map((one) => one.code), report.heard.length], [[code], heard]);
  });

test('a message of more than 1 MiB, and more than 1,000 advertisements in one, are left out and counted', () => {
  const large = readGatewayMessage({ payload: new Uint8Array(maxBytes + 1) });
  assert.deepEqual([large.leftOut[0]?.code, large.heard], ['too_large', []]);
  const many = read([gateway, ...Array.from({ length: maxHeard + 500 }, () => tag)]);
  // The gateway's own entry is the first of a thousand.
  assert.deepEqual([many.heard.length, many.leftOutCount], [maxHeard - 1, 501]);
  const scans = [2, Array.from({ length: 200 }, () => ['C3000025EF6A', -65, '', ''])];
  const events = Array.from({ length: 60 }, () => ({ component: 'script:1', data: scans }));
  const nested = read({ src: 'shelly', method: 'NotifyEvent', params: { events } });
  assert.deepEqual([nested.heard.length, nested.leftOutCount, nested.leftOut.length], [maxHeard, 11_000, 50]);
});

test('a gateway says for which one it speaks only with a name that can be stored', () => {
  for (const name of ['', 'x'.repeat(201), 'a\u0000b', '\ud800', 7, null, ['hall']])
    assert.equal(read([{ type: 'Gateway', mac: name }, tag]).gateway, undefined);
  assert.equal(read([gateway, tag]).gateway, 'AC233FC03641');
});

const topics = [
  'espresense/devices/x/hall',
  'espresense/rooms/hall/telemetry',
  'home/OMG/BTtoMQTT/x',
  'home/OMG/SYStoMQTT',
  'shelly/events/rpc',
  'ruuvi/x/y',
  '/gw/x/status',
];
const members = [
  'id',
  'mac',
  'rssi',
  'data',
  'events',
  'devices',
  'tags',
  'rawData',
  'params',
  'method',
  'packet',
  'uuid',
  'int',
];
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom(
      'NotifyEvent',
      'Gateway',
      'C3000025EF6A',
      -60,
      '0201061AFF4C000215',
      '$GPRP,a,b,-1,00',
      '__proto__',
    ),
    fc.jsonValue(),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...members), fc.string()), tie('json'), { maxKeys: 6 }),
  ),
}));

test('no message makes a reader throw, and what it keeps is bounded', () => {
  const payload = fc.oneof(
    json.map((value) => Buffer.from(JSON.stringify(value) ?? '')),
    fc.uint8Array({ maxLength: 400 }),
    fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from([0x83, ...bytes])),
    fc.string({ unit: 'binary' }).map((text) => Buffer.from(`$GPRP,${text}`)),
  );
  const from = fc.option(fc.oneof(fc.constantFrom(...topics), fc.string()), { nil: undefined });
  fc.assert(
    fc.property(payload, from, fc.option(fc.constantFrom(...formats), { nil: undefined }), (payload, topic, format) => {
      const { heard, leftOut, leftOutCount, gateway } = readGatewayMessage({ payload, topic, format });
      assert.ok(heard.length <= maxHeard && leftOut.length <= 50 && leftOutCount >= leftOut.length);
      for (const { rssi, address = '000000000000' } of heard) {
        assert.ok(rssi < 0 && rssi >= -127);
        assert.match(address, /^[0-9a-f]{12}$/);
      }
      assert.ok(JSON.stringify([heard, gateway]).isWellFormed());
    }),
    runs(5_000),
  );
});

test('a message that is nested 100,000 times, and one full of wrong members, are read in bounded time', () => {
  const started = process.cpuUsage();
  read(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
  read(`[${'1,'.repeat(500_000)}1]`);
  read(`{"events":[${'{"a":1},'.repeat(120_000)}{}]}`);
  read(`$GPRP,${'a,'.repeat(500_000)}`);
  read('$GPRP\n'.repeat(170_000));
  readGatewayMessage({ payload: Buffer.concat([Buffer.of(0x81), Buffer.alloc(1_000_000, 0x91)]) });
  assert.ok(process.cpuUsage(started).user < 20_000_000);
});
