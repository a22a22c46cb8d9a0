import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases, signInManager } from '../../../../test/support/build-app.ts';
import { HistorySite, hall } from '../../../../test/support/history-site.ts';
import { pointer } from '../../../../test/support/site.ts';

for (const database of databases) {
  describe(`zones that were deleted, on ${database}`, () => {
    let at: HistorySite;
    let zone = '';
    let beacon = '';
    beforeAll(async () => {
      at = await HistorySite.open(database);
      const venueId = pointer('Venue', await make('venues', { name: 'House' }));
      const floorId = pointer('Floor', await make('floors', { venueId, name: 'Ground floor', level: 0 }));
      const polygon = [0, 8, 8].map((x, corner) => ({ x, y: 4 * corner }));
      zone = await make('zones', { floorId, name: 'Shop', kind: 'shop', polygon, capacity: 40 });
      beacon = await make('beacons', { ...hall, minor: 5, venueId, location: { x: 6, y: 4, floor: 0 } });
    });
    afterAll(() => at.close());

    const make = async (path: string, body: object): Promise<string> =>
      (await at.ask(at.owner, 'POST', `/v2/${path}`, body)).result.objectId;
    const zoneOfBeacon = async () => (await at.get(`/beacons/${beacon}`)).result.zoneId?.objectId;

    test('come back from the trash as the same, with their beacons and with what was counted of them', async () => {
      const { headers } = await signInManager(at.app);
      const send = (path: string, body: object) =>
        at.app.send({ method: 'POST', url: `/api/v2/${path}`, headers, body });
      await send('installations', { installationId: 'phone', deviceType: 'ios' });
      const sightings = [{ beacon, event: 'ENTER' }];
      assert.equal((await send('sightings', { installationId: 'phone', sightings })).status, 200);
      const visits = async () => {
        await at.app.app.rollups.settle(at.app.appId);
        // Midnight may come in between.
        const [from, until] = [-1, 1].map((days) =>
          new Date(at.app.clock.now + days * 86_400_000).toISOString().slice(0, 10),
        );
        const url = `/api/v2/analytics/visits?from=${from}&until=${until}&groupBy=zone`;
        const { body } = await at.app.send({ method: 'GET', url, headers });
        return body.result.rows.map((row: { zoneId: string; visits: number }) => [row.zoneId, row.visits]);
      };
      assert.deepEqual(await visits(), [[zone, 1]]);
      const was = (await at.get(`/zones/${zone}`)).result;
      await at.ask(at.editor, 'DELETE', `/v2/zones/${zone}`);
      assert.equal(await zoneOfBeacon(), undefined);
      const { objectId, title } = await at.inTrash(zone);
      assert.equal(title, 'Shop');
      await at.ask(at.editor, 'POST', `/trash/${objectId}/restore`);
      const { updatedAt: _then, ...before } = was;
      const { updatedAt: _now, ...now } = (await at.get(`/zones/${zone}`)).result;
      assert.deepEqual(now, before);
      assert.equal(await zoneOfBeacon(), zone);
      assert.deepEqual(await visits(), [[zone, 1]]);
    });

    test('stay in the trash when their floor is gone', async () => {
      const venueId = pointer('Venue', await make('venues', { name: 'Barn' }));
      const floor = await make('floors', { venueId, name: 'Loft', level: 0 });
      const polygon = [0, 8, 8].map((x, corner) => ({ x, y: 4 * corner }));
      const floorId = pointer('Floor', floor);
      const loft = await make('zones', { floorId, name: 'Hay', kind: 'room', polygon });
      for (const path of [`zones/${loft}`, `floors/${floor}`]) await at.ask(at.editor, 'DELETE', `/v2/${path}`);
      const { objectId } = await at.inTrash(loft);
      const refused = await at.editor.send({ method: 'POST', url: `${at.appPath()}/trash/${objectId}/restore` });
      assert.deepEqual([refused.status >= 400, /floor/.test(refused.body.error.error)], [true, true]);
      assert.ok(await at.inTrash(loft));
    });
  });
}
