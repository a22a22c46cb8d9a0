import { parseInstant } from '@pharos/query';
import { type SensingDevice, sensingFindings } from '@pharos/sdk/sensing';
import { type Static, Type } from 'typebox';
import type { Problem } from '../../../../base/errors.ts';
import { exampleCreated } from '../../../../http/answers.ts';
import type { Key } from '../../../../resources/table.ts';

/** How a phone can sense, as it reports it with each registration; see `SensingHealth` of the client. */

const answered = (description: string) => Type.Optional(Type.Enum(['granted', 'denied', 'notAsked'], { description }));
const name = Type.Optional(Type.String({ maxLength: 64 }));

export const sensingSchema = Type.Object(
  {
    location: Type.Optional(
      Type.Enum(['always', 'whenInUse', 'denied', 'restricted', 'notAsked'], {
        description: 'whenInUse: only while the app is open',
      }),
    ),
    precise: Type.Optional(Type.Boolean({ description: 'Whether the app may use the precise location' })),
    locationOn: Type.Optional(Type.Boolean({ description: "Whether the phone's location services are on" })),
    bluetooth: answered('On Android from version 12 on: whether the app may scan for devices nearby'),
    bluetoothOn: Type.Optional(Type.Boolean()),
    notifications: answered('Whether the app may show notifications'),
    batterySaver: Type.Optional(Type.Boolean()),
    os: name,
    osVersion: name,
    library: Type.Optional(Type.String({ maxLength: 64, description: 'What scans, such as AltBeacon' })),
    libraryVersion: name,
    lastWakeAt: Type.Optional(Type.String({ description: 'When the system last woke the app, ISO 8601' })),
    lastWakeBecause: Type.Optional(Type.Enum(['region', 'scan', 'push', 'launch', 'boot', 'other'])),
  },
  { description: 'How it can sense; replaces what it reported before' },
);
export type Sensing = Static<typeof sensingSchema>;

export const sensingExample: Sensing = {
  location: 'always',
  precise: true,
  bluetoothOn: true,
  notifications: 'granted',
  os: 'Android',
  osVersion: '15',
  lastWakeAt: exampleCreated,
  lastWakeBecause: 'region',
};

export const sensingProblems = (sensing: Sensing | null | undefined): Problem[] =>
  sensing?.lastWakeAt === undefined || parseInstant(sensing.lastWakeAt) !== undefined
    ? []
    : [{ field: 'sensing.lastWakeAt', problem: 'must be an ISO 8601 date and time' }];

/** Of those whose report names nothing that keeps them from hearing. */
export const hearing = 'none';

/** What is counted of a report. Phones that are not allowed to show messages hear beacons all the same. */
export function sensingColumns(device: SensingDevice, sensing: Sensing | undefined, now: number): Key {
  if (sensing === undefined) return { sensing_at: null, sensing_cause: null };
  const [worst] = sensingFindings(device, sensing).filter(({ stops }) => stops !== 'messages');
  return { sensing_at: now, sensing_cause: worst?.cause ?? hearing };
}
