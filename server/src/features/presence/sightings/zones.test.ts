import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { databases } from '../../../../test/support/build-app.ts';
import { openSite, type Site, uuid } from '../../../../test/support/site.ts';

/** Four beacons in the corners of a room of eight by eight metres, decided together. */
const corners = [
  { x: 0, y: 0, z: 2 },
  { x: 8, y: 0, z: 2 },
  { x: 0, y: 8, z: 2 },
  { x: 8, y: 8, z: 2 },
] as const;

interface Point {
  readonly x: number;
  readonly y: number;
}

for (const database of databases) {
  describe(`one zone at a time on ${database}`, () => {
    let site: Site;
    let beacons: string[];
    beforeEach(async () => {
      site = await openSite(database);
      beacons = [];
      for (const [index, location] of corners.entries())
        beacons.push(await site.beacon({ minor: 11 + index, location }));
    });
    afterEach(() => site.close());

    /** Two reports a second of every beacon, from a time on; the phone hears `quiet` dB less than it should. */
    function stand({ x, y }: Point, { seconds = 15, from = 0, quiet = 0 } = {}): object[] {
      return Array.from({ length: 2 * seconds }, (_, half) =>
        corners.map((corner, index) => ({
          uuid,
          major: 1,
          minor: 11 + index,
          rssi: Math.round(-59 - 20 * Math.log10(Math.hypot(corner.x - x, corner.y - y, 0.7)) - quiet),
          occurredAt: site.now - 120_000 + (from + half / 2) * 1000 + index,
        })),
      ).flat();
    }

    const visits = async () => {
      const rows = await site.rows('visits');
      return rows
        .map((row) => ({ beacon: beacons.indexOf(String(row['beacon_id'])), at: Number(row['entered_at']) }))
        .sort((a, b) => a.at - b.at)
        .map(({ beacon }) => beacon);
    };

    test('the answer names the nearest beacon and the position, and the event the beacons that competed', async () => {
      const { nearest, events } = await site.send(stand({ x: 7.5, y: 1 }));
      assert.equal(nearest.length, 1);
      const [place] = nearest;
      assert.equal(place.beaconId.objectId, beacons[1]);
      assert.ok(Math.hypot(place.x - 7.5, place.y - 1) < 1.5, JSON.stringify(place));
      assert.ok(place.accuracy > 0.3 && place.accuracy < 4);
      assert.equal(place.floor, 0);
      const enter = events.find(({ event }: { event: string }) => event === 'ENTER');
      assert.equal(enter.beaconId.objectId, beacons[1]);
      assert.equal(enter.rivals[0].beaconId.objectId, beacons[1]);
      assert.ok(enter.rivals[0].confidence > enter.rivals[1].confidence);
      const told = await site.ask({ method: 'GET', url: `/api/v2/events/${enter.objectId}` });
      assert.deepEqual(told.body.result?.rivals ?? told.body.rivals, enter.rivals);
    });

    test('a phone that hears 15 dB less is in the same place', async () => {
      const { nearest, events } = await site.send(stand({ x: 0.5, y: 7 }, { seconds: 30, quiet: 15 }));
      assert.equal(nearest[0].beaconId.objectId, beacons[2]);
      assert.ok(events.some(({ event }: { event: string }) => event === 'ENTER'));
    });

    test('a visitor who walks to another beacon is never at both', async () => {
      await site.send([...stand({ x: 0.5, y: 0.5 }), ...stand({ x: 7.5, y: 0.5 }, { from: 15, seconds: 20 })]);
      assert.deepEqual(await visits(), [0, 1]);
      const [first, second] = (await site.rows('visits')).sort(
        (a, b) => Number(a['entered_at']) - Number(b['entered_at']),
      );
      assert.ok(Number(first?.['left_at']) <= Number(second?.['entered_at']));
    });

    test('however late and mixed the reports arrive, the visits are the same', async () => {
      const walk = [...stand({ x: 0.5, y: 0.5 }), ...stand({ x: 7.5, y: 7.5 }, { from: 15, seconds: 20 })];
      for (const part of [2, 0, 1]) {
        const own = walk.filter((_, index) => index % 3 === part);
        await site.send(part === 1 ? own.reverse() : own);
      }
      assert.deepEqual(await visits(), [0, 3]);
    });

    test('without locations, too, a phone that hears 14 dB less enters where one beacon leads, and not between them', async () => {
      for (const id of beacons) {
        const answer = await site.ask({ method: 'PATCH', url: `/api/v2/beacons/${id}`, body: { location: null } });
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
      }
      const { events } = await site.send(stand({ x: 4, y: 4 }, { quiet: 14 }));
      assert.deepEqual(await visits(), [], 'in the middle of the room');
      assert.ok(events.every(({ event }: { event: string }) => event !== 'ENTER'));
      await site.send(stand({ x: 7.5, y: 0.5 }, { from: 30, quiet: 14 }));
      assert.deepEqual(await visits(), [1]);
    });

    test('the position is kept sparsely, listed, and forgotten with the installation', async () => {
      await site.send(stand({ x: 1, y: 1 }));
      const list = async () => {
        const { body } = await site.ask({ method: 'GET', url: '/api/v2/positions' });
        return body.results;
      };
      const [kept] = await list();
      assert.equal(kept.objectId, site.phone);
      assert.equal(kept.beaconId.objectId, beacons[0]);
      assert.ok(Math.hypot(kept.x - 1, kept.y - 1) < 1.5 && kept.accuracy > 0);
      await site.send(stand({ x: 1, y: 1 }, { from: 15, seconds: 5 }));
      assert.equal((await list())[0].occurredAt, kept.occurredAt, 'not so soon again');
      await site.send(stand({ x: 7, y: 7 }, { from: 20, seconds: 15 }));
      assert.equal((await list())[0].beaconId.objectId, beacons[3]);
      await site.ask({ method: 'DELETE', url: `/api/v2/installations/${site.phone}` });
      assert.deepEqual(await site.rows('positions'), []);
    });

    test('an app that is older than the setting decides each beacon by itself, and keeps no position', async () => {
      await site.app.app.apps.change(site.app.appId, { policy: { oneZone: false } });
      const { nearest, events } = await site.send(stand({ x: 1, y: 1 }));
      assert.equal(nearest[0].beaconId.objectId, beacons[0]);
      assert.equal('x' in nearest[0], false);
      assert.equal(
        events.some((event: object) => 'rivals' in event),
        false,
      );
      assert.deepEqual(await site.rows('positions'), []);
    });
  });
}
