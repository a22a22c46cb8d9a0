import { addEvidence, learnedFrom, noEvidence } from '../../server/src/proximity/position/learning.ts';
import type { Evidence, Learned, PresenceSettings, TrackState } from '../../server/src/proximity/presence/types.ts';
import { follow } from '../../server/src/proximity/track.ts';
import { bootstrap, inBlocks, quantile } from './intervals.ts';
import type { Recordings, Walk } from './recordings.ts';
import { range } from './site-tables.ts';

/**
 * What learning from traffic is worth: nobody has calibrated, the other walks pass by as ordinary traffic (their true
 * positions are not looked at), and the walk under test is played with what they have taught.
 */

export const LEARNED_HEADINGS = [
  'loudness of the phone',
  'passes of the traffic',
  'beacons corrected',
  'position p50 m',
  'p90 m',
];

export function learnedRows(recordings: Recordings): string[][] {
  return [0, -10].flatMap((shift) =>
    [0, 1, 2, 4].map((passes) => {
      const errors: number[][] = [];
      let corrected = 0;
      for (const tested of recordings.walks) {
        const learned = learnFrom(recordings, { tested, passes, shift });
        corrected += learned.size;
        errors.push(...inBlocks(play(recordings, tested, { learned, shift }).errors, 20));
      }
      const metres = (share: number) =>
        range(
          bootstrap(errors, (items) => quantile(items, share)),
          1,
        );
      const each = corrected / recordings.walks.length;
      return [
        `${shift} dB`,
        String(passes),
        `${each.toFixed(1)} of ${recordings.beacons.size}`,
        metres(0.5),
        metres(0.9),
      ];
    }),
  );
}

type Halves = [Evidence, Evidence];

function learnFrom(
  recordings: Recordings,
  { tested, passes, shift }: { readonly tested: Walk; readonly passes: number; readonly shift: number },
): Map<string, Learned> {
  let learned = new Map<string, Learned>();
  for (let pass = 0; pass < passes; pass++) {
    const halves = new Map<string, Halves>();
    for (const walk of recordings.walks) if (walk !== tested) play(recordings, walk, { learned, shift, halves });
    learned = new Map();
    for (const [beacon, own] of halves) {
      const found = learnedFrom(own);
      if (found !== null) learned.set(beacon, found);
    }
  }
  return learned;
}

interface Playing {
  readonly learned: ReadonlyMap<string, Learned>;
  readonly shift: number;
  readonly halves?: Map<string, Halves>;
}

function play({ beacons }: Recordings, walk: Walk, { learned, shift, halves }: Playing): { readonly errors: number[] } {
  const settingsOf = (id: string): PresenceSettings => {
    const [location, own] = [beacons.get(id), learned.get(id)];
    return { oneZone: true, ...(location ? { location } : {}), ...(own ? { learned: own } : {}) };
  };
  let state: TrackState | null = null;
  const errors: number[] = [];
  for (const { at, beacon, rssi, position } of walk.samples) {
    const samples = [{ beaconId: beacon, occurredAt: Math.max(at, (state?.at ?? 0) + 1), rssi: rssi + shift }];
    const { state: next, evidence }: ReturnType<typeof follow> = follow({
      installationId: walk.name,
      state,
      samples,
      settingsOf,
    });
    state = next;
    const { fix } = next;
    if (fix?.at === next.at && fix !== null) errors.push(Math.hypot(fix.x - position.x, fix.y - position.y));
    for (const [id, one] of Object.entries(evidence)) {
      const own = halves?.get(id) ?? [noEvidence, noEvidence];
      const half = Math.floor(at / 30_000) % 2;
      own[half] = addEvidence(own[half] ?? noEvidence, one);
      halves?.set(id, own);
    }
  }
  return { errors };
}
