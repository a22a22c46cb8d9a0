import assert from 'node:assert/strict';
import { encode } from '@msgpack/msgpack';
import { test } from 'vitest';
import { type Format, type GatewayReport, readGatewayMessage } from '../src/index.ts';

/** Conformance: messages from the vendors' documentation and recordings, whose format is found by topic and shape. */

const uuid = 'e2c56db5dffb48d2b060d0f5a71096e0';
const beacon = { kind: 'ibeacon', uuid, major: 0, minor: 0 } as const;
const iBeacon = '0201061AFF4C000215E2C56DB5DFFB48D2B060D0F5A71096E000000000C5';
const inBase64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');

interface Sample {
  readonly source: string;
  readonly format: Format;
  readonly topic?: string;
  readonly payload: unknown;
  readonly expected: Omit<Partial<GatewayReport>, 'format'>;
}

const samples: readonly Sample[] = [
  {
    source: 'ESPresense 4, a beacon: main/BleFingerprint.cpp',
    format: 'espresense',
    topic: 'espresense/devices/iBeacon:e2c56db5-dffb-48d2-b060-d0f5a71096e0-0-0/hall',
    payload: {
      mac: 'c3000025ef6a',
      id: 'iBeacon:e2c56db5-dffb-48d2-b060-d0f5a71096e0-0-0',
      ...{ 'rssi@1m': -59, rssi: -64.5, rxAdj: 0, rssiVar: 2.1, distance: 1.8, var: 0.2, int: 350 },
    },
    expected: {
      gateway: 'hall',
      heard: [
        {
          ...{ index: 0, address: 'c3000025ef6a', rssi: -64.5, identity: beacon },
          ...{ txPower: -59, distance: 1.8, interval: 0.35 },
        },
      ],
    },
  },
  {
    source: 'ESPresense 3.3.6, a thermometer: lib/BleFingerprint/BleFingerprint.cpp',
    format: 'espresense',
    topic: 'espresense/devices/miTherm:a4c138123456/hall',
    payload: {
      ...{ mac: 'a4c138123456', id: 'miTherm:a4c138123456', name: 'Depot', 'rssi@1m': -65, rssi: -70 },
      ...{ distance: 2.5, interval: 4_000, mV: 2_950, batt: 84, temp: 21.5, rh: 48 },
    },
    expected: {
      gateway: 'hall',
      heard: [
        {
          ...{ index: 0, address: 'a4c138123456', rssi: -70, txPower: -65, distance: 2.5, interval: 4, name: 'Depot' },
          identity: { kind: 'named', id: 'miTherm:a4c138123456' },
          telemetry: { battery: 84, voltage: 2.95, temperature: 21.5, humidity: 48 },
        },
      ],
    },
  },
  {
    source: 'ESPresense, a room goes: main/main.cpp',
    format: 'espresense',
    topic: 'espresense/rooms/hall/status',
    payload: 'offline',
    expected: { gateway: 'hall', status: { isOnline: false } },
  },
  {
    source: 'ESPresense, telemetry of a room: main/main.cpp',
    format: 'espresense',
    topic: 'espresense/rooms/hall/telemetry',
    payload: { ip: '192.0.2.7', uptime: 5_412, firm: 'esp32', rssi: -61, ver: '4.0.6', adverts: 181, freeHeap: 90_000 },
    expected: { gateway: 'hall', status: { isOnline: true, firmware: '4.0.6', uptime: 5_412 } },
  },
  {
    source: 'OpenMQTTGateway, an iBeacon: docs/use/ble.md',
    format: 'openmqttgateway',
    topic: 'home/OpenMQTTGateway/BTtoMQTT/60:87:57:4C:9B:C2',
    payload: {
      ...{ id: '60:87:57:4C:9B:C2', mac_type: 1, rssi: -78, distance: 7.85288, brand: 'GENERIC', model: 'iBeacon' },
      ...{
        model_id: 'IBEACON',
        mfid: '4c00',
        uuid: '1de4b189115e45f6b44e509352269977',
        major: 0,
        minor: 0,
        txpower: -66,
      },
    },
    expected: {
      gateway: 'OpenMQTTGateway',
      heard: [
        {
          ...{ index: 0, address: '6087574c9bc2', addressKind: 'resolvable', rssi: -78, txPower: -66 },
          identity: { kind: 'ibeacon', uuid: '1de4b189115e45f6b44e509352269977', major: 0, minor: 0 },
        },
      ],
    },
  },
  {
    source: 'OpenMQTTGateway, presence by UUID: docs/use/ble.md',
    format: 'openmqttgateway',
    topic: 'home/presence/OpenMQTTGateway',
    payload: {
      ...{
        id: '1de4b189115e45f6b44e509352269977',
        mac_type: 1,
        rssi: -78,
        distance: 7.85288,
        mac: '60:87:57:4C:9B:C2',
      },
      ...{ uuid: '1de4b189115e45f6b44e509352269977', major: 0, minor: 0, txpower: -66 },
    },
    expected: {
      gateway: 'OpenMQTTGateway',
      heard: [
        {
          ...{ index: 0, address: '6087574c9bc2', addressKind: 'resolvable', rssi: -78, txPower: -66 },
          identity: { kind: 'ibeacon', uuid: '1de4b189115e45f6b44e509352269977', major: 0, minor: 0 },
        },
      ],
    },
  },
  {
    source: 'Theengs Gateway, a TempoDisc: docs/use/use.md',
    format: 'openmqttgateway',
    topic: 'home/TheengsGateway/BTtoMQTT/F35285F35285',
    payload: {
      ...{
        name: 'F35285',
        id: 'F3:52:85:F3:52:85',
        rssi: -82,
        brand: 'BlueMaestro',
        model: 'TempoDisc',
        model_id: 'BM_V23',
      },
      ...{ tempc: 24.1, tempf: 75.38, hum: '54.7', dp: 24.8, volt: 2.56, mfr: 'Blue Maestro Limited' },
    },
    expected: {
      gateway: 'TheengsGateway',
      heard: [
        {
          ...{ index: 0, address: 'f35285f35285', rssi: -82, name: 'F35285' },
          telemetry: { voltage: 2.56, temperature: 24.1, humidity: 54.7 },
        },
      ],
    },
  },
  {
    source: 'OpenMQTTGateway with advertisement data: docs/use/ble.md, pubadvdata',
    format: 'openmqttgateway',
    topic: 'home/OMG_hall/BTtoMQTT/CBB8334C884F',
    payload: {
      ...{ id: 'CB:B8:33:4C:88:4F', mac_type: 1, rssi: -60, txpower: 4 },
      manufacturerdata: '99040512fc5394c37c0004fffc040cac364200cdcbb8334c884f',
    },
    expected: {
      gateway: 'OMG_hall',
      heard: [
        {
          ...{ index: 0, address: 'cbb8334c884f', addressKind: 'randomStatic', rssi: -60 },
          telemetry: { temperature: 24.3, humidity: 53.49, voltage: 2.977, movement: { count: 66 } },
        },
      ],
    },
  },
  {
    source: 'OpenMQTTGateway, its last will: docs/use/gateway.md',
    format: 'openmqttgateway',
    topic: 'home/OMG_hall/LWT',
    payload: 'online',
    expected: { gateway: 'OMG_hall', status: { isOnline: true } },
  },
  {
    source: 'OpenMQTTGateway, its state',
    format: 'openmqttgateway',
    topic: 'home/OMG_hall/SYStoMQTT',
    payload: { uptime: 126, version: 'v1.8.1', freemem: 120_000, rssi: -63 },
    expected: { gateway: 'OMG_hall', status: { isOnline: true, firmware: 'v1.8.1', uptime: 126 } },
  },
  {
    source: 'Minew G1, JSON-LONG with values: recorded, February 2026',
    format: 'minew',
    topic: '/gw/ac233fc03641/status',
    payload: [
      {
        timestamp: '2026-02-09T00:13:53.668Z',
        type: 'Gateway',
        mac: 'AC233FC03641',
        gatewayFree: 89,
        gatewayLoad: 0.03,
      },
      {
        ...{ timestamp: '2026-02-09T00:13:53.667Z', type: 'iBeacon', mac: 'C3000025EF6A', bleName: '', rssi: -65 },
        ...{ ibeaconUuid: uuid.toUpperCase(), ibeaconMajor: 0, ibeaconMinor: 0, ibeaconTxPower: -59, battery: 0 },
      },
    ],
    expected: {
      gateway: 'AC233FC03641',
      sentAt: Date.UTC(2026, 1, 9, 0, 13, 53, 668),
      status: { isOnline: true, load: 0.03 },
      heard: [
        {
          ...{ index: 1, address: 'c3000025ef6a', rssi: -65, occurredAt: Date.UTC(2026, 1, 9, 0, 13, 53, 667) },
          ...{ identity: beacon, txPower: -59 },
        },
      ],
    },
  },
  {
    source: 'Minew MG3, JSON-LONG with rawData: recorded, July 2023',
    format: 'minew',
    payload: [
      {
        timestamp: '2023-07-17T03:12:05.578Z',
        type: 'Gateway',
        mac: 'AC233FC12D21',
        gatewayFree: 94,
        gatewayLoad: 0.14,
      },
      {
        ...{
          timestamp: '2023-07-17T03:12:05.578Z',
          type: 'Unknown',
          mac: 'AC233FAF3C9E',
          bleNo: 0,
          bleName: '',
          rssi: -65,
        },
        rawData: '0201061BFF3906CA050100001B1829D34D535430315F340000000070CCB755',
      },
    ],
    expected: {
      gateway: 'AC233FC12D21',
      sentAt: Date.UTC(2023, 6, 17, 3, 12, 5, 578),
      status: { isOnline: true, load: 0.14 },
      heard: [
        {
          ...{ index: 1, address: 'ac233faf3c9e', rssi: -65, occurredAt: Date.UTC(2023, 6, 17, 3, 12, 5, 578) },
          telemetry: { temperature: 27.09, humidity: 41.82 },
        },
      ],
    },
  },
  {
    source: 'Kontakt.io, version 3, in seconds: a sample client of api.kontakt.io/event/collect',
    format: 'kontakt',
    payload: {
      events: [
        {
          ...{ rssi: -50, data: 'AgEGGv9MAAIVg4f8zZ21QWOGGOhYcVXUTv//AAD0', srData: 'ChYN0HlhdW00MjI=' },
          ...{ timestamp: 1_573_043_410, scanType: 'BLE', deviceAddress: 'f9:10:e1:40:d4:f1' },
        },
      ],
      ...{ version: 3, proto: 'DEFAULT', sourceId: '3cRCZ', timestamp: 1_573_043_411 },
    },
    expected: {
      gateway: '3cRCZ',
      sentAt: 1_573_043_411_000,
      heard: [
        {
          ...{ index: 0, address: 'f910e140d4f1', rssi: -50, occurredAt: 1_573_043_410_000, txPower: -12 },
          identity: { kind: 'ibeacon', uuid: '8387fccd9db541638618e8587155d44e', major: 65_535, minor: 0 },
          telemetry: { battery: 50, firmware: '4.2' },
        },
      ],
    },
  },
  {
    source: 'Kontakt.io, version 4, in milliseconds, with a telemetry packet',
    format: 'kontakt',
    payload: {
      ...{ version: 4, timestamp: 1_700_000_000_500, sourceId: '12Bh000T' },
      events: [
        {
          ...{ timestamp: 1_700_000_000_000, rssi: -62 },
          ble: { data: inBase64('02010607166AFE03020C4D'), srData: '', deviceAddress: 'fd:45:0a:68:25:7d' },
        },
      ],
    },
    expected: {
      gateway: '12Bh000T',
      sentAt: 1_700_000_000_500,
      heard: [
        { index: 0, address: 'fd450a68257d', rssi: -62, occurredAt: 1_700_000_000_000, telemetry: { battery: 77 } },
      ],
    },
  },
  {
    source: 'Shelly, ble-shelly-blu.js: ALLTERCO/shelly-script-examples',
    format: 'shelly',
    topic: 'shellyplus1-a8032abe54dc/events/rpc',
    payload: {
      ...{ src: 'shellyplus1-a8032abe54dc', dst: 'shellyplus1-a8032abe54dc/events', method: 'NotifyEvent' },
      params: {
        ts: 1_732_463_413.76,
        events: [
          {
            ...{ component: 'script:1', id: 1, event: 'shelly-blu', ts: 1_732_463_413.75 },
            data: {
              encryption: false,
              BTHome_version: 2,
              pid: 6,
              battery: 70,
              button: 1,
              rssi: -76,
              address: '5c:c7:c1:f2:e4:7c',
            },
          },
        ],
      },
    },
    expected: {
      gateway: 'shellyplus1-a8032abe54dc',
      sentAt: 1_732_463_413_760,
      heard: [
        {
          ...{ index: 0, address: '5cc7c1f2e47c', rssi: -76, occurredAt: 1_732_463_413_750 },
          telemetry: { battery: 70, button: { isActive: true } },
        },
      ],
    },
  },
  {
    source: "Shelly, Home Assistant's scanner script, version 2",
    format: 'shelly',
    payload: [2, [['c3:00:00:25:ef:6a', -65, inBase64(iBeacon), '']]],
    expected: { heard: [{ index: 0, address: 'c3000025ef6a', rssi: -65, identity: beacon, txPower: -59 }] },
  },
  {
    source: 'Shelly, raw BTHome: m-schaeffler/node-red-my-nodes',
    format: 'shelly',
    payload: {
      ...{ addr: '00:11:22:33:44:55', rssi: -85, time: 1_745_395_033_113, gateway: 'Shelly Gateway' },
      data: [68, 0, 164, 1, 100, 46, 56, 69, 43, 255],
    },
    expected: {
      gateway: 'Shelly Gateway',
      heard: [
        {
          ...{ index: 0, address: '001122334455', rssi: -85, occurredAt: 1_745_395_033_113 },
          telemetry: { battery: 100, humidity: 56, temperature: -21.3 },
        },
      ],
    },
  },
  {
    source: 'ESPHome, raw advertisements of its API: home-assistant/core#97608, address and type',
    format: 'esphome',
    topic: 'hall/ble',
    payload: { advertisements: [{ address: 129280283179294, rssi: -60, address_type: 1, data: iBeacon }] },
    expected: {
      gateway: 'hall',
      heard: [
        { index: 0, address: '7594695af91e', addressKind: 'resolvable', rssi: -60, identity: beacon, txPower: -59 },
      ],
    },
  },
  {
    source: 'ESPHome, on_ble_advertise with mqtt.publish_json',
    format: 'esphome',
    topic: 'hall/ble',
    payload: {
      ...{ address: 'C3:00:00:25:EF:6A', rssi: -60 },
      manufacturer_data: { '004c': '0215e2c56db5dffb48d2b060d0f5a71096e000000000c5' },
      service_data: { fcd2: '400161' },
    },
    expected: {
      gateway: 'hall',
      heard: [
        { index: 0, address: 'c3000025ef6a', rssi: -60, identity: beacon, txPower: -59, telemetry: { battery: 97 } },
      ],
    },
  },
  {
    source: 'ESPHome, ble_gateway of myhomeiot: custom-components.github.io/ble_monitor',
    format: 'esphome',
    payload: { gateway_id: 'hall', packet: `043E2A02010001${'6AEF250000C3'}1E${iBeacon}C4` },
    expected: {
      gateway: 'hall',
      heard: [
        { index: 0, address: 'c3000025ef6a', addressKind: 'randomStatic', rssi: -60, identity: beacon, txPower: -59 },
      ],
    },
  },
  {
    source: 'Ruuvi Gateway, MQTT with times: docs.ruuvi.com',
    format: 'ruuvi',
    topic: 'ruuvi/C8:25:2D:8E:9C:2C/F4:1F:0C:28:CB:D6',
    payload: {
      ...{ gw_mac: 'C8:25:2D:8E:9C:2C', rssi: -26, aoa: [], gwts: '1653668027', ts: '1653668026', coords: '' },
      data: '0201061BFF99040515AE4C6DC6D7000CFFF803F4ADB6AD697FF41F0C28CBD6',
    },
    expected: {
      gateway: 'C8:25:2D:8E:9C:2C',
      sentAt: 1_653_668_027_000,
      heard: [
        {
          ...{ index: 0, address: 'f41f0c28cbd6', rssi: -26, occurredAt: 1_653_668_026_000 },
          telemetry: { temperature: 27.75, humidity: 48.91, voltage: 2.989, movement: { count: 173 } },
        },
      ],
    },
  },
  {
    source: 'Ruuvi Gateway, HTTP with times: docs.ruuvi.com',
    format: 'ruuvi',
    payload: {
      data: {
        ...{ coordinates: '', timestamp: '1653633988', nonce: '2636366621', gw_mac: 'C8:25:2D:8E:9C:2C' },
        tags: {
          'C6:A5:B9:E0:AD:06': {
            ...{ rssi: -71, timestamp: '1653633986' },
            data: '0201061BFF99040513C85714C7CC00240008041CAB76F41C3CC6A5B9E0AD06',
          },
        },
      },
    },
    expected: {
      gateway: 'C8:25:2D:8E:9C:2C',
      sentAt: 1_653_633_988_000,
      heard: [
        {
          ...{ index: 0, address: 'c6a5b9e0ad06', rssi: -71, occurredAt: 1_653_633_986_000 },
          telemetry: { temperature: 25.32, humidity: 55.73, voltage: 2.971, movement: { count: 244 } },
        },
      ],
    },
  },
  {
    source: 'Ruuvi Gateway, its state',
    format: 'ruuvi',
    topic: 'ruuvi/C8:25:2D:8E:9C:2C/gw_status',
    payload: { state: 'online' },
    expected: { gateway: 'C8:25:2D:8E:9C:2C', status: { isOnline: true } },
  },
  {
    source: 'AprilBrother AB BLE Gateway V4, MessagePack: wiki.aprbrother.com',
    format: 'aprilbrother',
    payload: encode({
      ...{ v: '1.5.3', mid: 12, time: 3_600, ip: '192.0.2.8', mac: '244CAB123456' },
      devices: [Buffer.from('02C8FD1949A530CE0201061AFF4C000215EB6D469624BE4663B15230D46B0E9CC9000D002AC0', 'hex')],
    }),
    expected: {
      gateway: '244CAB123456',
      status: { isOnline: true, firmware: '1.5.3', uptime: 3_600 },
      heard: [
        {
          ...{ index: 0, address: 'c8fd1949a530', rssi: -50, txPower: -64 },
          identity: { kind: 'ibeacon', uuid: 'eb6d469624be4663b15230d46b0e9cc9', major: 13, minor: 42 },
        },
      ],
    },
  },
  {
    source: 'AprilBrother AB BLE Gateway V4, JSON: ajardolino3/hubitat-ble-gateway',
    format: 'aprilbrother',
    payload: {
      v: '1.5.10',
      mid: 3,
      time: 60,
      ip: '192.0.2.8',
      mac: '244CAB123456',
      devices: [[3, 'C3000025EF6A', -65, iBeacon]],
    },
    expected: {
      gateway: '244CAB123456',
      status: { isOnline: true, firmware: '1.5.10', uptime: 60 },
      heard: [{ index: 0, address: 'c3000025ef6a', rssi: -65, identity: beacon, txPower: -59 }],
    },
  },
  {
    source: 'Ingics iGS03M, lines: its manual',
    format: 'ingics',
    payload:
      '$GPRP,CCB97E7361A4,CB412F0C8EDC,-49,02010612FF0D0083BC280100AAAAFFFF000010030000,1574921085\r\n' +
      '$GPRP,0C61CFC1452E,E7DAE08E6FC3,-44,0201061AFF4C000215B9A5D27D56CC4E3AAB511F2153BCB9670001452ED6\r\n',
    expected: {
      gateway: 'CB412F0C8EDC',
      heard: [
        { index: 0, address: 'ccb97e7361a4', rssi: -49, occurredAt: 1_574_921_085_000 },
        {
          ...{ index: 1, address: '0c61cfc1452e', rssi: -44, txPower: -42 },
          identity: { kind: 'ibeacon', uuid: 'b9a5d27d56cc4e3aab511f2153bcb967', major: 1, minor: 17_710 },
        },
      ],
    },
  },
  {
    source: 'Ingics iGS03, JSON: its firmware',
    format: 'ingics',
    payload: { data: [`$GPRP,C3000025EF6A,CB412F0C8EDC,-65,${iBeacon},1574921085`] },
    expected: {
      gateway: 'CB412F0C8EDC',
      heard: [
        {
          ...{ index: 0, address: 'c3000025ef6a', rssi: -65, occurredAt: 1_574_921_085_000 },
          ...{ identity: beacon, txPower: -59 },
        },
      ],
    },
  },
];

const bytesOf = (payload: unknown): Uint8Array =>
  payload instanceof Uint8Array
    ? payload
    : Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));

for (const { source, format, topic, payload, expected } of samples)
  test(`message: ${source}`, () => {
    const nothing = { heard: [], leftOut: [], leftOutCount: 0 };
    const message = { payload: bytesOf(payload), topic };
    assert.deepEqual(readGatewayMessage(message), { format, ...nothing, ...expected });
    // What is set for a gateway comes before what is found.
    assert.deepEqual(readGatewayMessage({ ...message, format }), { format, ...nothing, ...expected });
  });
