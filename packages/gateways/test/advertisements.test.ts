import assert from 'node:assert/strict';
import { test } from 'vitest';
import { joined } from '../src/frames/advertisement.ts';
import { type Contents, readAdvertisingData } from '../src/index.ts';
import { bytesOfHex } from '../src/values.ts';

/** Conformance: bytes that the specifications and vendors publish, or that were recorded on air, and what they mean. */

const uuid = 'e2c56db5dffb48d2b060d0f5a71096e0';
const frames: readonly (readonly [source: string, hex: string, Partial<Contents>])[] = [
  [
    'iBeacon: Apple, Proximity Beacon Specification; from a Minew G1',
    '0201061AFF4C000215E2C56DB5DFFB48D2B060D0F5A71096E000010002C5',
    { identity: { kind: 'ibeacon', uuid, major: 1, minor: 2 }, txPower: -59 },
  ],
  [
    'iBeacon: sz33psz/kontakt-beacon-parser',
    '1AFF4C000215F7826DA64FA24E988024BC5B71E0893E01020304B3',
    {
      identity: { kind: 'ibeacon', uuid: 'f7826da64fa24e988024bc5b71e0893e', major: 258, minor: 772 },
      txPower: -77,
    },
  ],
  [
    'AltBeacon 1.0: the layout of the specification, company 0x0118 (Radius Networks)',
    '1BFF1801BEACE2C56DB5DFFB48D2B060D0F5A71096E000010002C500',
    { identity: { kind: 'altbeacon', uuid, major: 1, minor: 2 }, txPower: -59 },
  ],
  [
    'Eddystone-UID: sz33psz/kontakt-beacon-parser; 4 dBm at 0 m',
    '1716AAFE0004010203040506070809000102030405060000',
    { identity: { kind: 'eddystone', id: '01020304050607080900-010203040506' }, txPower: -37 },
  ],
  [
    'Eddystone-URL: sz33psz/kontakt-beacon-parser',
    '0F16AAFE100400746573740674657374',
    { identity: { kind: 'url', id: 'http://www.test.gov/test' }, txPower: -37 },
  ],
  [
    'Eddystone-URL with an ending without a slash',
    '0B16AAFE100403746573740C',
    { identity: { kind: 'url', id: 'https://test.biz' }, txPower: -37 },
  ],
  [
    'Eddystone-TLM: sz33psz/kontakt-beacon-parser; 384 mV, 6,553.6 s',
    '1116AAFE2000018005400000010000010000',
    { telemetry: { voltage: 0.384, temperature: 5.25, uptime: 6553.6 } },
  ],
  [
    'Eddystone-TLM without battery and temperature',
    '1116AAFE2000000080000000000100000014',
    { telemetry: { uptime: 2 } },
  ],
  [
    'Ruuvi 5, valid data: docs.ruuvi.com, data format 5',
    '1BFF99040512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F',
    { telemetry: { temperature: 24.3, humidity: 53.49, voltage: 2.977, movement: { count: 66 } } },
  ],
  [
    'Ruuvi 5, maximum values',
    '1BFF9904057FFFFFFEFFFE7FFF7FFF7FFFFFDEFEFFFECBB8334C884F',
    { telemetry: { temperature: 163.835, humidity: 163.84, voltage: 3.646, movement: { count: 254 } } },
  ],
  [
    'Ruuvi 5, minimum values',
    '1BFF9904058001000000008001800180010000000000CBB8334C884F',
    { telemetry: { temperature: -163.835, humidity: 0, voltage: 1.6, movement: { count: 0 } } },
  ],
  ['Ruuvi 5, invalid values', '1BFF9904058000FFFFFFFF800080008000FFFFFFFFFFFFFFFFFFFFFF', {}],
  [
    'BTHome v2: bthome.io/format',
    '0201060B094449592D73656E736F720A16D2FC4002C40903BF13',
    { name: 'DIY-sensor', telemetry: { temperature: 25, humidity: 50.55 } },
  ],
  [
    'BTHome v2, Shelly BLU Door/Window: ALLTERCO/shelly-script-examples',
    '1116D2FC40004E0164050000002D013F0000',
    { telemetry: { battery: 100 } },
  ],
  [
    'BTHome v2, two buttons of which one is pressed, moving, firmware',
    '1116D2FC44016122013A003A01F1000A0204',
    { telemetry: { battery: 97, movement: { isActive: true }, button: { isActive: true }, firmware: '4.2.10.0' } },
  ],
  [
    'Minew, temperature and humidity: reelyactive/advlib-ble-services',
    '1016E1FFA1016315803200AABBCCDDEEFF',
    { telemetry: { battery: 99, temperature: 21.5, humidity: 50 } },
  ],
  [
    'Minew, acceleration of an E8: reelyactive/barnowl-minew',
    '0201060303E1FF1216E1FFA1034AFFE7004500FA55DABA50E1FE',
    { telemetry: { battery: 74 } },
  ],
  [
    'Minew, information of an E8: the manual of the E8',
    '0201060303E1FF1316E1FFA10864001302E4CDAB504C5553303031',
    { name: 'PLUS001', telemetry: { battery: 100 } },
  ],
  [
    'Minew Connect, temperature and humidity of an MST01: recorded by a G1',
    '0201061BFF3906CA050100001B1829D34D535430315F340000000070CCB755',
    { telemetry: { temperature: 27.09, humidity: 41.82 } },
  ],
  ['Kontakt.io telemetry, light: sz33psz/kontakt-beacon-parser', '07166AFE03020A64', {}],
  [
    'Kontakt.io telemetry, light and a click: sz33psz/kontakt-beacon-parser',
    '0C166AFE03020A640411065BA0',
    { telemetry: { button: { count: 6, secondsAgo: 0xa05b } } },
  ],
  [
    'Kontakt.io telemetry: the fields of developer.kontakt.io/hardware/packets/telemetry',
    '1B166AFE03060100E1F5054D03055017021228031380140416030A00',
    { telemetry: { battery: 77, temperature: 20.5, humidity: 40, movement: { count: 3, secondsAgo: 10 } } },
  ],
  [
    'Kontakt.io, plain secure profile: sz33psz/kontakt-beacon-parser',
    '0F166AFE0206010F6404616263646566',
    { identity: { kind: 'kontakt', id: 'abcdef' }, telemetry: { battery: 100, firmware: '1.15' } },
  ],
  [
    'Kontakt.io, location: sz33psz/kontakt-beacon-parser',
    '0E166AFE05F4250A01414243444546',
    { identity: { kind: 'kontakt', id: 'ABCDEF' } },
  ],
  [
    'Kontakt.io, scan response: sz33psz/kontakt-beacon-parser',
    '080961626364656667020A040A160DD061626364040264',
    { identity: { kind: 'kontakt', id: 'abcd' }, name: 'abcdefg', telemetry: { battery: 100, firmware: '4.2' } },
  ],
  ['nothing that is known', '0201060AFF4C001005011C2B3C4D', {}],
  ['what ends with zeros', '02010600000000', {}],
];

const contentsOf = (hex: string) =>
  joined(readAdvertisingData(bytesOfHex(hex) ?? assert.fail(`${hex} is not hexadecimal`)));

for (const [source, hex, expected] of frames)
  test(`advertisement: ${source}`, () => assert.deepEqual(contentsOf(hex), { problems: [], ...expected }));

const refused: readonly (readonly [what: string, hex: string, problem: RegExp])[] = [
  ['a truncated advertisement', '0201061AFF4C000215E2C5', /truncated/],
  ['a truncated iBeacon', '19FF4C000215F7826DA64FA24E988024BC5B71E0893E01020304', /iBeacon frame is truncated/],
  ['an encrypted Eddystone-TLM', '1516AAFE20010102030405060708090A0B0C01021112', /encrypted/],
  ['an Eddystone-EID', '0D16AAFE30045152535455565758', /EID/],
  ['an encrypted BTHome', '0F16D2FC41A47266C95F730011223344', /encrypted/],
  ['a BTHome object that nobody knows', '0616D2FC40FE01', /unknown object, 0xfe/],
  ['a BTHome value that is cut off', '0616D2FC4002C4', /truncated/],
  ['a field of Kontakt.io that is longer than the frame', '07166AFE03090C64', /truncated/],
  ['another format of Ruuvi', '08FF99040301020304', /data format 3/],
];

for (const [what, hex, problem] of refused)
  test(`advertisement: ${what} is told`, () => assert.match(contentsOf(hex).problems.join(' '), problem));
