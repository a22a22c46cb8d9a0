import type { PresenceSettings, Sample, TrackState } from '../../server/src/proximity/presence/types.ts';
import { follow } from '../../server/src/proximity/track.ts';
import { calibrateWithout } from './calibration.ts';
import type { Recordings, Walk } from './recordings.ts';
import { endOf, type FoundVisit, note, scoreVisits } from './site-score.ts';

/**
 * What it is worth that an installation's loudness is learned from ordinary traffic: the same phone, made quieter or louder, has
 * gone the other walks before, an hour apart, and is then scored on the walk left out.
 */

export const LOUDNESS_HEADINGS = [
  'locations',
  'calibrated',
  'loudness',
  'learned',
  'visits hit',
  'duplicates',
  'false enters/h',
];

const HOUR_MS = 3_600_000;

interface Told {
  readonly isLocated: boolean;
  readonly isCalibrated: boolean;
  readonly shift: number;
}

export function loudnessRows(recordings: Recordings): string[][] {
  const told = [true, false].flatMap((isLocated) =>
    [true, false].flatMap((isCalibrated) => [0, -10, -18].map((shift): Told => ({ isLocated, isCalibrated, shift }))),
  );
  return told.map((one) => row(recordings, one));
}

function row(recordings: Recordings, told: Told): string[] {
  const total = { hits: 0, visits: 0, duplicates: 0, falseEnters: 0, hours: 0, ears: [] as number[] };
  for (const walk of recordings.walks) {
    const { found, ear } = playKnown(recordings, walk, told);
    total.ears.push(ear);
    total.hours += (recordings.beacons.size * (endOf(walk) - (walk.samples[0]?.at ?? 0))) / HOUR_MS;
    for (const [beacon, place] of recordings.beacons) {
      const { visits, falseEnters } = scoreVisits(walk, place, found.get(beacon) ?? []);
      total.visits += visits.length;
      total.hits += visits.filter(({ isHit }) => isHit).length;
      total.duplicates += visits.reduce((sum, { duplicates }) => sum + duplicates, 0);
      total.falseEnters += falseEnters;
    }
  }
  const { hits, visits, duplicates, falseEnters, hours, ears } = total;
  return [
    told.isLocated ? 'yes' : 'no',
    told.isCalibrated ? 'yes' : 'no',
    `${told.shift} dB`,
    `${Math.min(...ears).toFixed(1)} to ${Math.max(...ears).toFixed(1)} dB`,
    `${hits}/${visits}`,
    String(duplicates),
    (falseEnters / hours).toFixed(1),
  ];
}

/** The visits found on the walk, and how quiet the phone was taken for when it began, dB. */
function playKnown({ beacons, walks, ...rest }: Recordings, walk: Walk, { isLocated, isCalibrated, shift }: Told) {
  const powers = isCalibrated ? calibrateWithout({ beacons, walks, ...rest }, walk) : new Map<string, number>();
  const settingsOf = (id: string): PresenceSettings => {
    const [location, measuredPower] = [isLocated ? beacons.get(id) : undefined, powers.get(id)];
    return {
      oneZone: true,
      ...(location ? { location } : {}),
      ...(measuredPower === undefined ? {} : { measuredPower }),
    };
  };
  let state: TrackState | null = null;
  const before = walks.filter((other) => other !== walk);
  before.forEach((other, index) => {
    const hoursAgo = before.length - index;
    const samples = heard(other, shift, (walk.samples[0]?.at ?? 0) - hoursAgo * HOUR_MS);
    state = follow({ installationId: 'visitor', state, samples, settingsOf }).state;
  });
  const known = state as TrackState | null;
  const samples = heard(walk, shift, walk.samples[0]?.at ?? 0);
  const { events } = follow({ installationId: 'visitor', state: known, samples, settingsOf });
  const found = new Map<string, FoundVisit[]>();
  for (const { event, beaconId: beacon, at } of events)
    if (event === 'ENTER' || event === 'EXIT') note(found, new Set(), { beacon, event }, at, endOf(walk));
  return { found, ear: known?.ear?.loss ?? 0 };
}

/** A walk as it would have been heard at another time, with an instant for each sample. */
function heard(walk: Walk, shift: number, start: number): Sample[] {
  const first = walk.samples[0]?.at ?? 0;
  let last = start - 1;
  return walk.samples.map(({ at, beacon, rssi }) => {
    last = Math.max(start + at - first, last + 1);
    return { beaconId: beacon, occurredAt: last, rssi: rssi + shift };
  });
}
