import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { readRecordings, type Walk } from '../../../../../bench/proximity/recordings.ts';
import { openSite } from '../../../../test/support/site.ts';
import { SurveyedHall, type Walked } from '../../../../test/support/sites/surveyed-hall.ts';

/**
 * Recorded walks through the interface as it is: each is a visit on a floor that was surveyed by the others, and on the same floor
 * without a survey. Without the recordings there is nothing to assert.
 */
const recordings = readRecordings();

/** Somebody taps the plan this often, ms. */
const tapEveryMs = 3_000;

const quantile = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? Number.NaN;

describe('recorded walks on a surveyed floor', () => {
  test('are placed better by surveys of the other walks', { timeout: 300_000 }, async () => {
    if (recordings === null) return;
    const { beacons, walks } = recordings;
    const minors = new Map([...beacons.keys()].map((id, index) => [id, index + 1]));
    const walkedOf = ({ samples }: Walk): Walked => {
      const start = samples[0]?.at ?? 0;
      const heard = samples.map(({ at, beacon, rssi, position: { x, y } }) => ({
        ...{ x, y, rssi, at: at - start },
        minor: minors.get(beacon) ?? 0,
      }));
      const way: Walked['way'][number][] = [];
      for (const { x, y, at } of heard) if (at >= (way.at(-1)?.at ?? -tapEveryMs) + tapEveryMs) way.push({ x, y, at });
      return { way, heard };
    };
    const site = await openSite('sqlite');
    try {
      const places = new Map([...beacons].map(([id, place]) => [minors.get(id) ?? 0, place]));
      const hall = await SurveyedHall.open(site, places, { width: 25, height: 25 });
      const found = { without: [] as number[], surveyed: [] as number[] };
      const right = { without: [] as number[], surveyed: [] as number[] };
      const visit = async (kind: keyof typeof found, walk: Walk) => {
        const { off, nearest } = await hall.visit(walkedOf(walk));
        found[kind].push(...off);
        right[kind].push(...off.map(() => nearest));
      };
      let used = 0;
      for (const tested of walks) {
        await visit('without', tested);
        const ids: string[] = [];
        for (const other of walks) if (other !== tested) ids.push(await hall.survey(walkedOf(other)));
        if ((await hall.accuracy()).isUsed) used++;
        await visit('surveyed', tested);
        for (const id of ids)
          assert.equal((await site.ask({ method: 'DELETE', url: `${hall.url}/${id}` })).status, 200);
        await site.app.app.idle();
      }
      const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;
      const figures = Object.fromEntries(
        (['without', 'surveyed'] as const).map((kind) => [
          kind,
          { nearest: mean(right[kind]), p50: quantile(found[kind], 0.5), p90: quantile(found[kind], 0.9) },
        ]),
      ) as Record<keyof typeof found, { nearest: number; p50: number; p90: number }>;
      const { without, surveyed } = figures;
      assert.ok(used >= 3, `used for ${used} of ${walks.length} walks`);
      assert.ok(surveyed.p50 < 0.85 * without.p50, JSON.stringify(figures));
      assert.ok(surveyed.p90 < without.p90, JSON.stringify(figures));
      assert.ok(surveyed.nearest > without.nearest - 0.05, JSON.stringify(figures));
    } finally {
      await site.close();
    }
  });
});
