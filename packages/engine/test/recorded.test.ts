import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { beforeAll, test } from 'vitest';
import { ENGINES, pharos } from '../../../bench/proximity/engines.ts';
import { withExactSignals } from '../../../bench/proximity/exact.ts';
import { generateRecordings } from '../../../bench/proximity/generated.ts';
import { type Recordings, readRecordings, recordingsFolder } from '../../../bench/proximity/recordings.ts';
import { type Score, score, scoreWalks } from '../../../bench/proximity/score.ts';
import { pharosSite } from '../../../bench/proximity/site-engines.ts';
import { scoreSite } from '../../../bench/proximity/site-score.ts';
import { follow } from '../src/index.ts';

/**
 * The engine on real signals (`shared/data/rssi` beside the repository, or PHAROS_RSSI_DATA), through its one entry. The
 * limits are the design's table. Its 39 true visits come from nine walks, of which five are here with 24 visits, so its
 * hits are taken as shares: 30 of 39 for `stable`, and for `fast` the 92 % that the design promises, in whole per cent.
 * What counts as a visit, a hit and a false enter stands in bench/proximity/truth.ts and score.ts.
 */
const LIMITS = {
  stable: { share: 30 / 39, falsePerHour: 0.9 },
  fast: { share: 0.915, falsePerHour: 10 },
} as const;

const recordings: Recordings = readRecordings() ?? generateRecordings();
const scores = new Map<string, Score>();

beforeAll(() => {
  for (const engine of ENGINES) scores.set(engine.name, score(engine, recordings));
});

function scoreOf(name: string): Score {
  const found = scores.get(name);
  assert.ok(found);
  return found;
}

test('says which signals it runs on', (t) => {
  if (!recordings.recorded) {
    void t.annotate(`no recordings in ${recordingsFolder()}: generated signals are used instead`);
    assert.ok(!existsSync(recordingsFolder()), 'recordings that are there are used');
    assert.ok(recordings.walks.length > 0 && scoreOf('stable').visits > 0);
    return;
  }
  assert.equal(recordings.walks.length, 5);
  assert.equal(recordings.beacons.size, 12);
  assert.equal(recordings.stills.length, 15);
  assert.equal(scoreOf('stable').visits, 24);
});

for (const name of ['stable', 'fast'] as const) {
  test(`${name}: walks give no duplicate, and hits and false enters no worse than the design's table`, (t) => {
    const { hits, visits, duplicates, falsePerHour } = scoreOf(name);
    void t.annotate(
      `${hits} of ${visits} visits, ${duplicates} duplicates, ${falsePerHour.toFixed(2)} false enters an hour`,
    );
    assert.equal(duplicates, 0);
    assert.ok(hits / visits >= LIMITS[name].share, `${hits} of ${visits} visits`);
    assert.ok(falsePerHour <= LIMITS[name].falsePerHour, `${falsePerHour} false enters an hour`);
  });

  test(`${name}: recorded signals give no fewer visits than exact distances`, (t) => {
    const exact = scoreWalks(pharos(name), withExactSignals(recordings));
    void t.annotate(`on exact distances ${exact.hits} of ${exact.visits}`);
    assert.ok(exact.hits > 0);
    assert.ok(scoreOf(name).hits >= exact.hits);
  });

  test(`${name}: standing still gives at most one EXIT in ten stream-hours`, (t) => {
    const { stillExits, stillHours } = scoreOf(name);
    void t.annotate(`${stillExits} in ${stillHours.toFixed(1)} stream-hours`);
    assert.ok(stillExits / stillHours <= 0.1);
  });

  test(`${name}: phones on bodies at 1.83 m change zone at most once a minute`, (t) => {
    const { zoneChangesPerMinute, maxZoneChangesPerMinute } = scoreOf(name);
    void t.annotate(
      `${zoneChangesPerMinute.toFixed(2)} a minute, the worst phone ${maxZoneChangesPerMinute.toFixed(2)}`,
    );
    assert.ok(zoneChangesPerMinute <= 1);
    assert.ok(maxZoneChangesPerMinute <= 1);
  });
}

for (const shift of [0, -10]) {
  test(`over all beacons, nobody has calibrated, a phone of ${shift} dB: nearly all visits, and hardly a false one`, () => {
    const engine = pharosSite({ name: 'site', oneZone: true, isLocated: true });
    const { visits, falseEnters } = scoreSite(engine, recordings, { isCalibrated: false, shift });
    const hits = visits.filter(({ isHit }) => isHit).length;
    const duplicates = visits.reduce((sum, visit) => sum + visit.duplicates, 0);
    assert.ok(hits / visits.length >= 23 / 24, `${hits} of ${visits.length} visits`);
    assert.ok(duplicates + falseEnters <= 2, `${falseEnters} false enters, ${duplicates} duplicates`);
  });
}

for (const isLocated of [true, false])
  test(`the distance beside a zone lies in it (locations: ${isLocated})`, (t) => {
    const told: { readonly event: string; readonly distance: number }[] = [];
    let count = 0;
    for (const walk of recordings.walks) {
      const samples = walk.samples.map(({ at, beacon, rssi }) => ({ occurredAt: at, beaconId: beacon, rssi }));
      const settingsOf = (beacon: string) => {
        const location = recordings.beacons.get(beacon);
        return { oneZone: true as const, ...(isLocated && location !== undefined ? { location } : {}) };
      };
      const { events } = follow({ installationId: 'a phone', state: null, samples, settingsOf });
      for (const { event, distance } of events) {
        if (event === 'ENTER' || event === 'EXIT') continue;
        count++;
        if (distance !== undefined) told.push({ event, distance });
      }
    }
    void t.annotate(`${told.length} of ${count} with a distance`);
    assert.ok(told.length > 0);
    const zones = { IMMEDIATE: [0, 1], NEAR: [1, 3], FAR: [3, Number.POSITIVE_INFINITY] } as const;
    const wrong = told.filter(({ event, distance }) => {
      const [from, to] = zones[event as keyof typeof zones];
      return distance < from || distance > to;
    });
    assert.deepEqual(wrong, []);
  });

test('a plain threshold on the same signals shows what the gates are for', () => {
  assert.ok(scoreOf('raw threshold').duplicates > 50);
  assert.ok(scoreOf('raw threshold').stillChangesPerHour > 100);
});
