import assert from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { runs } from '../../../scripts/test/runs.ts';
import { sightingKey } from '../src/presence/ids.ts';
import type { Observation, Subject } from '../src/presence/types.ts';
import { normalise, type WireContext } from '../src/wire/wire.ts';
import { addressKey } from '../src/wire/wire-values.ts';

const NOW = Date.UTC(2026, 2, 2, 12);
const UUID = 'E2C56DB5-DFFB-48D2-B060-D0F5A71096E0';
const PLAIN = 'e2c56db5dffb48d2b060d0f5a71096e0';
const address = { uuid: PLAIN, major: 1, minor: 2 };
const phone: Subject = { direction: 'phone', address };
const espresense = { topic: `espresense/devices/iBeacon:${UUID}-1-2/hall` };
const gateway = { topic: 'home/OMG_1/BTtoMQTT/AABBCCDDEEFF' };

const READ: [string, unknown, Partial<WireContext>, Subject, Observation][] = [
  [
    'Pharos, a sample by objectId',
    { beacon: 'b1', rssi: -70, txPower: -59, occurredAt: '2026-03-02T11:59:00.000Z' },
    {},
    { direction: 'phone', beaconId: 'b1' },
    { occurredAt: NOW - 60_000, rssi: -70, txPower: -59 },
  ],
  [
    'Pharos, a decision by Pointer',
    { beaconId: { __type: 'Pointer', className: 'Beacon', objectId: 'b1' }, event: 'EXIT' },
    { sender: 'phone' },
    { direction: 'phone', beaconId: 'b1' },
    { occurredAt: NOW, event: 'EXIT', sender: 'phone' },
  ],
  [
    'Pharos, a region whose major and minor are absent',
    { uuid: UUID, event: 'enter' },
    {},
    { direction: 'phone', address: { uuid: PLAIN, major: 0, minor: 0, region: true } },
    { occurredAt: NOW, event: 'ENTER' },
  ],
  [
    'react-native-beacons-manager, ranging',
    { uuid: UUID, major: 1, minor: 2, rssi: -64, proximity: 'near', distance: 1.7 },
    {},
    phone,
    { occurredAt: NOW, rssi: -64, distance: 1.7 },
  ],
  [
    'Cordova, numbers as strings',
    { uuid: UUID, major: '1', minor: '2', proximity: 'ProximityNear', rssi: '-64', tx: '-59', accuracy: 1.8 },
    {},
    phone,
    { occurredAt: NOW, rssi: -64, txPower: -59, distance: 1.8 },
  ],
  [
    'AltBeacon',
    { id1: UUID, id2: 1, id3: 2, rssi: -64, txPower: -59, distance: 1.8 },
    {},
    phone,
    { occurredAt: NOW, rssi: -64, txPower: -59, distance: 1.8 },
  ],
  [
    'ESPresense over MQTT',
    { id: `iBeacon:${UUID}-1-2`, rssi: -64, 'rssi@1m': -59, distance: 1.8, interval: 5_000 },
    espresense,
    { direction: 'gateway', gateway: 'hall', tag: `iBeacon:${UUID}-1-2`, address },
    {
      occurredAt: NOW,
      rssi: -64,
      txPower: -59,
      distance: 1.8,
      smoothed: true,
      receiver: 'hall',
      sender: 'espresense',
      interval: 5,
    },
  ],
  [
    'OpenMQTTGateway and Theengs',
    { id: 'AA:BB:CC:DD:EE:FF', uuid: PLAIN, major: 1, minor: 2, rssi: -64, txpower: -59, distance: 9 },
    gateway,
    { direction: 'gateway', gateway: 'OMG_1', tag: 'AA:BB:CC:DD:EE:FF', address },
    { occurredAt: NOW, rssi: -64, txPower: -59, receiver: 'OMG_1', sender: 'openmqttgateway' },
  ],
  [
    'a zone alone stands for its middle',
    { uuid: UUID, major: 1, minor: 2, proximity: 'immediate' },
    {},
    phone,
    { occurredAt: NOW, distance: 0.5, smoothed: true },
  ],
];

for (const [name, raw, context, subject, observation] of READ) {
  test(`reads ${name}`, () => {
    assert.deepEqual(normalise(raw, { receivedAt: NOW, ...context }), { ok: true, subject, observation });
  });
}

const beacon = { uuid: UUID, major: 1, minor: 2 };
const REFUSED: [string, unknown, string, string | undefined][] = [
  ['no object', 'hello', 'not_an_object', undefined],
  ['null', null, 'not_an_object', undefined],
  ['nothing known', { temperature: 20 }, 'unknown_shape', 'uuid'],
  ['no beacon', { event: 'ENTER' }, 'no_beacon', 'beacon'],
  ['a bad uuid', { ...beacon, uuid: 'xyz', rssi: -60 }, 'bad_uuid', 'uuid'],
  ['a major that is too large', { ...beacon, major: 65_536, rssi: -60 }, 'bad_number', 'major'],
  ['a missing minor', { uuid: UUID, major: 1, rssi: -60 }, 'bad_number', 'minor'],
  ['a zone as event', { ...beacon, event: 'NEAR' }, 'bad_event', 'event'],
  ['an object as event', { ...beacon, event: { toString: 1 } }, 'bad_event', 'event'],
  ['null as event', { ...beacon, event: null }, 'bad_event', 'event'],
  ['a zone of the name of a method', { ...beacon, proximity: 'constructor' }, 'no_measurement', 'rssi'],
  ['a time beyond the year 9999', { ...beacon, rssi: -60, occurredAt: 253_402_300_800_000 }, 'bad_time', 'occurredAt'],
  ['a time that is none', { ...beacon, rssi: -60, occurredAt: 'noon' }, 'bad_time', 'occurredAt'],
  ['rssi 0', { ...beacon, rssi: 0 }, 'unusable', 'rssi'],
  ['rssi 127', { ...beacon, rssi: 127 }, 'unusable', 'rssi'],
  ['accuracy -1', { ...beacon, rssi: -60, accuracy: -1 }, 'unusable', 'distance'],
  ['distance 999', { ...beacon, rssi: -60, distance: 999 }, 'unusable', 'distance'],
  ['no measurement', { ...beacon, proximity: 'unknown' }, 'no_measurement', 'rssi'],
];

for (const [name, raw, code, field] of REFUSED) {
  test(`refuses ${name} and says why`, () => {
    const result = normalise(raw, { receivedAt: NOW });
    assert.ok(!result.ok);
    assert.equal(result.problem.code, code);
    assert.equal(result.problem.field, field);
    assert.match(result.problem.message, /^[A-Za-z].*\.$/);
  });
}

test('times may be ISO, milliseconds or seconds', () => {
  for (const occurredAt of ['2026-03-02T12:00:00Z', NOW, NOW / 1000]) {
    const result = normalise({ ...beacon, rssi: -60, occurredAt }, { receivedAt: 1 });
    assert.ok(result.ok);
    assert.equal(result.observation.occurredAt, NOW);
  }
});

test('no input whatever makes it throw', () => {
  const member = fc.constantFrom(
    'uuid',
    'major',
    'id1',
    'id',
    'event',
    'beacon',
    'rssi',
    'tx',
    'rssi@1m',
    'proximity',
    'occurredAt',
  );
  const value = fc.oneof(fc.string(), fc.double(), fc.constant(UUID), fc.constant(null), fc.object());
  const topic = fc.constantFrom(undefined, 'espresense/devices', '/BTtoMQTT/', gateway.topic, espresense.topic);
  fc.assert(
    fc.property(fc.oneof(fc.dictionary(member, value), fc.anything()), topic, (raw, name) => {
      const result = normalise(raw, { receivedAt: NOW, ...(name === undefined ? {} : { topic: name }) });
      assert.equal(typeof result.ok, 'boolean');
    }),
    runs(500),
  );
});

test('addresses compare without case and dashes', () => {
  assert.equal(addressKey(UUID, 1, 2), addressKey(PLAIN, 1, 2));
});

test('a sighting is known by its eventId within its installation, else by what it says', () => {
  const one = { installation: 'i', beacon: 'b', event: 'ENTER', occurredAt: 1 };
  assert.equal(sightingKey(one), sightingKey({ ...one }));
  assert.notEqual(sightingKey(one), sightingKey({ ...one, occurredAt: 2 }));
  assert.equal(sightingKey({ ...one, eventId: 'x' }), sightingKey({ ...one, eventId: 'x', occurredAt: 9 }));
  assert.notEqual(sightingKey({ ...one, eventId: 'x' }), sightingKey({ ...one, eventId: 'x', installation: 'j' }));
});
