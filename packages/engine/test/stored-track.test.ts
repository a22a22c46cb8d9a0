import assert from 'node:assert/strict';
import { fromStored, fromStoredState, newRecord, toStored } from '@pharos/engine/decide';
import { test } from 'vitest';

test('a track is stored with the names that earlier versions gave its members, and read from them', () => {
  const reported = { at: 1_000, beaconId: 'hall' };
  const processed = { '': [[1_000, 2_000, 1]] } as const;
  const event = { id: 'e', visitId: 'v', event: 'ENTER', beaconId: 'hall', at: 1_000 } as never;
  const fix = { at: 1_000, x: 2, y: 3, xx: 1, xy: 0, yy: 1, floors: [] };
  const begun = newRecord(5_000, { loss: 4, variance: 9 });
  const record = {
    ...begun,
    track: { ...begun.track, fix },
    ...{ reported, processed, waits: [{ triggerId: 't', event, dueAt: 9_000, hasVerdict: true as const }] },
  };
  const stored = JSON.parse(JSON.stringify(toStored(record)));
  assert.deepEqual([stored.told, stored.spells, stored.ear], [reported, processed, { loss: 4, variance: 9 }]);
  assert.deepEqual([stored.track.ear, stored.track.fix.earX], [{ loss: 4, variance: 9 }, 0]);
  assert.deepEqual(fromStoredState(stored.track), record.track);
  assert.equal(stored.waits[0].isTold, true);
  assert.deepEqual(fromStored(stored), record);
});
