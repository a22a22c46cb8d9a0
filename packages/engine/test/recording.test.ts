import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { RecordingError, readRecording } from '../src/simulation/recording.ts';

const at = Date.UTC(2026, 4, 4, 9, 30);

const formats: readonly [name: string, text: string, expected: readonly object[]][] = [
  [
    'JSON lines, in any order, with three ways to write a time',
    `
{"at":"2026-05-04T09:30:01Z","visitor":"anna","beacon":"hall","rssi":-67}
{"at":${at},"visitor":"anna","beacon":"hall","event":"ENTER"}

{"at":${at / 1000 + 2},"uuid":"u","major":1,"minor":2,"distance":1.5}`,
    [
      { at, visitor: 'anna', beacon: 'hall', sighting: { event: 'ENTER' } },
      { at: at + 1_000, visitor: 'anna', beacon: 'hall', sighting: { rssi: -67 } },
      {
        at: at + 2_000,
        visitor: 'visitor',
        beacon: undefined,
        sighting: { uuid: 'u', major: 1, minor: 2, distance: 1.5 },
      },
    ],
  ],
  [
    'CSV with a header and Windows line ends; empty values are absent',
    'at,visitor,beacon,rssi,event\r\n2026-05-04T09:30:00Z,anna,hall,-67,\r\n2026-05-04T09:30:01Z,anna,hall,,EXIT\r\n',
    [
      { at, visitor: 'anna', beacon: 'hall', sighting: { rssi: -67 } },
      { at: at + 1_000, visitor: 'anna', beacon: 'hall', sighting: { event: 'EXIT' } },
    ],
  ],
  [
    "a receiver's log",
    '1581249601.4086823,b827eb4521b4,e78f135624ce,-87,18.031,8.465,1.816\n1581249602.5,000000000202,e78f135624ce,-77\n',
    [
      { at: 1581249601409, visitor: 'e78f135624ce', beacon: 'b827eb4521b4', sighting: { rssi: -87 } },
      { at: 1581249602500, visitor: 'e78f135624ce', beacon: '000000000202', sighting: { rssi: -77 } },
    ],
  ],
  [
    "a phone's log, of which only named phones count",
    [
      '2020-05-05 15:20:20.137,Device,iPhone12,1,A phone',
      '2020-05-05 15:20:23.551,Range,6',
      '2020-05-05 15:20:23.619,Bluetooth,F395EC26-DDAA-40BE-2E55-A09A0F83E9FC,-54,TestPhone2,8.0,610399223.617927',
      '2020-05-05 15:20:23.645,Bluetooth,588C05EB-A076-A3FA-5D75-BA3ECF85728F,-93,None,-999.0,610399223.642929',
    ].join('\n'),
    [{ at: 1588706423618, visitor: 'phone', beacon: 'TestPhone2', sighting: { rssi: -54 } }],
  ],
];

const good = '{"at":1777887000000,"beacon":"hall","rssi":-67}';

const refused: readonly [name: string, text: string, message: RegExp][] = [
  ['nothing', ' \n', /^line 1: The file is empty/],
  ['another format', '\n<xml/>', /^line 2: This format is not known\. Use JSON lines such as /],
  ['broken JSON', `${good}\n{"at":`, /^line 2: It is not JSON/],
  ['no time', `${good}\n\n{"beacon":"hall","rssi":-67}`, /^line 3: at is an ISO 8601 time/],
  ['a time that is none', '{"at":"noon","beacon":"hall","rssi":-67}', /^line 1: at is .* not "noon"/],
  ['no beacon', '{"at":1777887000000,"rssi":-67}', /^line 1: beacon is missing/],
  ['no measurement', '{"at":1777887000000,"beacon":"hall"}', /^line 1: rssi \(dBm\)/],
  ['a visitor without end', `{"at":1777887000000,"visitor":"${'x'.repeat(51)}","beacon":"b","rssi":-6}`, /1 to 50/],
  ['a value too many', 'at,beacon,rssi\n1777887000000,hall,-67,9', /^line 2: It has 4 values and the header has 3/],
  ['a number that is none', 'at,beacon,rssi\n1777887000000,hall,loud', /^line 2: rssi is a number, not "loud"/],
  ['a receiver without RSSI', '1581249601.4,b827eb4521b4,e78f135624ce,x', /^line 1: "x" is no RSSI/],
  ['only lines of other kinds', '2020-05-05 15:20:20.137,Device,iPhone12', /There is no signal in the file/],
];

describe('a recording', () => {
  for (const [name, text, expected] of formats) {
    test(name, () => assert.deepEqual(readRecording(text), expected));
  }
  for (const [name, text, message] of refused) {
    test(`${name} is refused with the number of the line`, () => {
      assert.throws(
        () => readRecording(text),
        (error: Error) => error instanceof RecordingError && message.test(error.message),
      );
    });
  }
});
