import { addPasses, earOf, type Hearing, loudnessOf, noHearing } from '../../server/src/proximity/position/loudness.ts';
import { newTrack } from '../../server/src/proximity/presence/state.ts';
import type { Ear, Pass, PresenceSettings, TrackState } from '../../server/src/proximity/presence/types.ts';
import { follow } from '../../server/src/proximity/track.ts';
import { calibrateWithout } from './calibration.ts';
import type { Recordings, Walk } from './recordings.ts';
import { endOf, type FoundVisit, note, scoreVisits } from './site-score.ts';

/**
 * What is known of a phone when it comes back. Phones of several loudnesses have gone two of the other walks each, so that hardly two
 * have gone the same ones, and come back after their track was forgotten; each is scored on the walk left out.
 */

export const PHONES_HEADINGS = [
  'locations',
  'calibrated',
  'phone',
  'apart before',
  'apart after',
  'visits hit before',
  'after',
  'false enters/h before',
  'after',
];

const SHIFTS = [4, 0, -4, -8, -12, -16];
const HOUR_MS = 3_600_000;
const VISITS_BEFORE = 3;

interface Told {
  readonly isLocated: boolean;
  readonly isCalibrated: boolean;
}

interface Total {
  hits: number;
  visits: number;
  duplicates: number;
  falseEnters: number;
  hours: number;
}

const nothing = (): Total => ({ hits: 0, visits: 0, duplicates: 0, falseEnters: 0, hours: 0 });

export function phoneRows(recordings: Recordings): string[][] {
  return [true, false].flatMap((isLocated) =>
    [true, false].flatMap((isCalibrated) => rows(recordings, { isLocated, isCalibrated })),
  );
}

function rows(recordings: Recordings, told: Told): string[][] {
  const scores = SHIFTS.map(() => ({ before: nothing(), after: nothing(), left: [] as number[] }));
  for (const walk of recordings.walks) {
    const ears = learned(recordings, walk, told);
    const left = SHIFTS.map((shift, index) => (ears[index]?.loss ?? 0) + shift);
    const mean = left.reduce((sum, one) => sum + one, 0) / left.length;
    SHIFTS.forEach((shift, index) => {
      const own = scores[index];
      if (own === undefined) return;
      own.left.push((left[index] ?? 0) - mean);
      add(recordings, own.before, { walk, shift, told, ear: null });
      add(recordings, own.after, { walk, shift, told, ear: ears[index] ?? null });
    });
  }
  const middle = SHIFTS.reduce((sum, one) => sum + one, 0) / SHIFTS.length;
  return scores.map(({ before, after, left }, index) => {
    const shift = SHIFTS[index] ?? 0;
    const rms = Math.sqrt(left.reduce((sum, one) => sum + one * one, 0) / left.length);
    return [
      told.isLocated ? 'yes' : 'no',
      told.isCalibrated ? 'yes' : 'no',
      `${shift} dB`,
      `${Math.abs(shift - middle).toFixed(1)} dB`,
      `${rms.toFixed(1)} dB`,
      `${before.hits}/${before.visits}, ${before.duplicates} twice`,
      `${after.hits}/${after.visits}, ${after.duplicates} twice`,
      (before.falseEnters / before.hours).toFixed(1),
      (after.falseEnters / after.hours).toFixed(1),
    ];
  });
}

/** What the phones have shown on walks other than the one under test. */
function learned(recordings: Recordings, tested: Walk, told: Told): (Ear | null)[] {
  const others = recordings.walks.filter((walk) => walk !== tested);
  return SHIFTS.map((shift, phone) => {
    let hearing: Hearing = noHearing;
    for (let visit = 0; visit < VISITS_BEFORE; visit++) {
      const walk = others[(phone + (visit % 2)) % others.length];
      if (walk === undefined) continue;
      const passes: (Pass & { readonly at: number })[] = [];
      play(recordings, { walk, shift, told, ear: known(hearing) }, { passes, tested });
      for (const pass of passes)
        hearing = addPasses(hearing, [pass], visit * 61 * 60_000 + pass.at - (walk.samples[0]?.at ?? 0));
    }
    return known(hearing);
  });
}

const known = (hearing: Hearing) => earOf(loudnessOf(hearing), { model: null, site: null });

interface Playing {
  readonly walk: Walk;
  readonly shift: number;
  readonly told: Told;
  readonly ear: Ear | null;
}

interface Noted {
  readonly passes: (Pass & { readonly at: number })[];
  readonly tested: Walk;
}

function play(recordings: Recordings, { walk, shift, told, ear }: Playing, noted?: Noted) {
  const { beacons } = recordings;
  const powers = told.isCalibrated ? calibrateWithout(recordings, noted?.tested ?? walk) : new Map<string, number>();
  const settingsOf = (id: string): PresenceSettings => {
    const [location, measuredPower] = [told.isLocated ? beacons.get(id) : undefined, powers.get(id)];
    return {
      oneZone: true,
      ...(location ? { location } : {}),
      ...(measuredPower === undefined ? {} : { measuredPower }),
    };
  };
  let state: TrackState = { ...newTrack(), ear };
  const found = new Map<string, FoundVisit[]>();
  const inside = new Set<string>();
  for (const { at, beacon, rssi } of walk.samples) {
    const samples = [{ beaconId: beacon, occurredAt: Math.max(at, (state.at ?? 0) + 1), rssi: rssi + shift }];
    const { state: next, events, passes } = follow({ installationId: 'visitor', state, samples, settingsOf });
    state = next;
    noted?.passes.push(...passes.map((pass) => ({ ...pass, at })));
    for (const { event, beaconId } of events)
      if (event === 'ENTER' || event === 'EXIT') note(found, inside, { beacon: beaconId, event }, at, endOf(walk));
  }
  return found;
}

function add(recordings: Recordings, total: Total, playing: Playing): void {
  const { walk } = playing;
  const found = play(recordings, playing);
  total.hours += (recordings.beacons.size * (endOf(walk) - (walk.samples[0]?.at ?? 0))) / HOUR_MS;
  for (const [beacon, place] of recordings.beacons) {
    const { visits, falseEnters } = scoreVisits(walk, place, found.get(beacon) ?? []);
    total.visits += visits.length;
    total.hits += visits.filter(({ isHit }) => isHit).length;
    total.duplicates += visits.reduce((sum, { duplicates }) => sum + duplicates, 0);
    total.falseEnters += falseEnters;
  }
}
