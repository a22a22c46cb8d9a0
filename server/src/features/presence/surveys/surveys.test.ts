import assert from 'node:assert/strict';
import { siteOf } from '@pharos/engine/decide';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases } from '../../../../test/support/build-app.ts';
import { assertRefusals, create } from '../../../../test/support/cases.ts';
import { openConsole } from '../../../../test/support/console.ts';
import { openSite, pointer, type Site } from '../../../../test/support/site.ts';
import {
  across,
  hallCorners,
  lanes,
  SurveyedHall,
  walkedThroughHalves,
} from '../../../../test/support/sites/surveyed-hall.ts';
import { findSignals } from '../sightings/site/signals.ts';

const walked = (corners = lanes, louder = 0) => walkedThroughHalves(hallCorners, corners, louder);

for (const database of bothDatabases) {
  describe(`surveys of a floor on ${database}`, () => {
    let site: Site;
    let hall: SurveyedHall;
    beforeAll(async () => {
      site = await openSite(database);
      hall = await SurveyedHall.open(site, hallCorners, { width: 12, height: 12 });
    });
    afterAll(() => site.close());

    const send = (body: unknown, headers: Record<string, string> = {}) =>
      site.ask({ method: 'POST', url: hall.url, body, headers });
    const list = () => site.list(`floors/${hall.floorId}/surveys`);
    const remove = async (id: string) =>
      assert.equal((await site.ask({ method: 'DELETE', url: `${hall.url}/${id}` })).status, 200);
    const removeAll = async () => {
      for (const { objectId } of await list()) await remove(objectId);
    };

    test('are kept with what counts of them, once however often they are sent, and deleted', async () => {
      const one = walked();
      const start = site.now;
      const body = hall.body(one, start, { deviceModel: 'Pixel 8' }) as { samples: object[] };
      const [first] = body.samples;
      body.samples.push(
        { ...first, minor: 99 },
        { ...first, rssi: undefined },
        { ...first, occurredAt: start - 60_000 },
      );
      const headers = { 'idempotency-key': 'walk-1' };
      const made = await send(body, headers);
      assert.equal(made.status, 201, JSON.stringify(made.body));
      assert.deepEqual((await send(body, headers)).body, made.body);
      const again = await send(body);
      assert.deepEqual([again.status, again.body.error.name], [409, 'DuplicateValue']);
      const { objectId } = made.body.result;
      const at = (ms: number) => new Date(start + ms).toISOString();
      const [record, ...others] = await list();
      assert.equal(others.length, 0);
      assert.deepEqual(record, {
        objectId,
        floorId: pointer('Floor', hall.floorId),
        way: one.way.map(({ x, y, at: ms }) => ({ x, y, at: at(ms) })),
        startedAt: at(1),
        endedAt: at(one.heard.at(-1)?.at ?? 0),
        sampleCount: one.heard.length,
        unknown: 1,
        unusable: 2,
        heard: [...hall.beacons.values()].map((id) => ({
          beaconId: pointer('Beacon', id),
          samples: one.heard.length / 4,
        })),
        deviceModel: 'Pixel 8',
        createdBy: pointer('_User', site.user.userId),
        createdAt: record.createdAt,
      });
      const { samples, ...same } = await site.get(`floors/${hall.floorId}/surveys/${objectId}`);
      assert.deepEqual(same, record);
      assert.deepEqual(samples[0], { beacon: hall.beacons.get(1), rssi: one.heard[0]?.rssi, occurredAt: at(1) });
      await remove(objectId);
      assert.deepEqual(await list(), []);
      assert.equal((await site.ask({ method: 'GET', url: `${hall.url}/${objectId}` })).status, 404);
    });

    test('are refused with what to do if they cannot be right', async () => {
      type Body = { way: { x: number; y: number; at?: number }[]; samples: { occurredAt: number; minor: number }[] };
      const whole = () => hall.body(walked(across)) as Body;
      const changed = (change: (body: Body) => object) => ({
        method: 'POST' as const,
        url: hall.url,
        body: { ...whole(), ...change(whole()) },
      });
      const wrong = { status: 400, code: 142 };
      const hour = 3_600_000;
      await assertRefusals(site.app, site.user.headers, [
        {
          rule: 'taps in order',
          request: changed(({ way: [a, b, ...rest] }) => ({ way: [b, a, ...rest] })),
          ...wrong,
          fields: ['way.1.at'],
        },
        {
          rule: 'taps have times',
          request: changed(({ way: [a, ...rest] }) => ({ way: [{ ...a, at: undefined }, ...rest] })),
          ...wrong,
          fields: ['way.0.at'],
        },
        {
          rule: 'on the floor',
          request: changed(({ way: [a, ...rest] }) => ({ way: [{ ...a, x: 30 }, ...rest] })),
          ...wrong,
          fields: ['way.0'],
        },
        {
          rule: 'one clock',
          request: changed(({ samples }) => ({
            samples: samples.map((one) => ({ ...one, occurredAt: one.occurredAt + hour })),
          })),
          ...wrong,
          fields: ['samples'],
        },
        {
          rule: 'known beacons',
          request: changed(({ samples }) => ({ samples: samples.map((one) => ({ ...one, minor: 99 })) })),
          ...wrong,
          fields: ['samples'],
        },
        {
          rule: 'no longer than an hour',
          request: changed(({ way: [a, ...rest] }) => ({ way: [{ ...a, at: (a?.at ?? 0) - 2 * hour }, ...rest] })),
          ...wrong,
          fields: ['way'],
        },
        {
          rule: 'a floor of this app',
          request: { method: 'POST', url: '/api/v2/floors/0000000000000000NONE/surveys', body: whole() },
          status: 404,
          code: 101,
        },
      ]);
      assert.deepEqual(await list(), []);
    });

    test('are for those who may change the floor: installers can, analysts cannot, and who did is for the house', async () => {
      const [installer, analyst] = [await openConsole(site.app, 'installer'), await openConsole(site.app, 'analyst')];
      const url = `/apps/${site.app.appId}/v2/floors/${hall.floorId}/surveys`;
      const body = hall.body(walked(across, -1));
      assert.equal((await analyst.send({ method: 'POST', url, body })).status, 403);
      assert.equal((await installer.send({ method: 'POST', url, body })).status, 201);
      const [{ surveyedBy }] = (await analyst.send({ method: 'GET', url })).body.results;
      assert.match(surveyedBy, /^installer/);
      await removeAll();
    });

    test('place visitors better at once, say how well, and lose the part of a beacon that was moved', async () => {
      const visitor = walked([...across].reverse(), -6);
      const without = await hall.visit(visitor);
      assert.equal((await hall.accuracy()).isUsed, false);
      await hall.survey(walked());
      assert.equal((await hall.accuracy()).reason, 'few');
      await hall.survey(walked(across));
      await hall.survey(walked([...lanes].reverse()));
      const known = await hall.accuracy();
      assert.deepEqual([known.surveys, known.isCurrent, known.isUsed, known.beacons], [3, true, true, 4]);
      const { zone, position } = known.surveyed;
      assert.ok(zone.low <= zone.share && zone.share <= zone.high, JSON.stringify(zone));
      assert.ok(position.p50.low <= position.p50.metres && position.p50.metres <= position.p50.high);
      assert.ok(position.p50.metres < position.p90.metres, JSON.stringify(position));
      assert.ok(position.p50.metres < known.unsurveyed.position.p50.metres, JSON.stringify(known));
      const surveyed = await hall.visit(visitor);
      assert.ok(surveyed.mean < 0.85 * without.mean, `${surveyed.mean} m instead of ${without.mean} m`);
      // A phone without a network decides by the same.
      const { body } = await site.ask({ method: 'GET', url: '/api/v2/bundle' });
      const ids = [...hall.beacons.values()];
      const places = await siteOf(body.result).places(ids);
      assert.deepEqual(
        new Map(places.map(({ objectId, map }) => [objectId, map])),
        await findSignals(site.app.storage.db, site.app.appId, ids),
      );
      assert.equal(places.filter(({ map }) => map !== undefined).length, 4);
      const moved = hall.beacons.get(4);
      await site.ask({ method: 'PUT', url: `/api/v2/beacons/${moved}`, body: { location: { x: 11, y: 11 } } });
      assert.equal((await hall.accuracy()).isCurrent, false);
      site.app.clock.now += 10_000;
      const after = await hall.accuracy();
      assert.deepEqual([after.isCurrent, after.beacons, after.version], [true, 3, known.version + 1]);
      await site.ask({ method: 'PUT', url: `/api/v2/beacons/${moved}`, body: { location: hallCorners.get(4) } });
      await removeAll();
    });

    test('are not used where without them more is right, and the floor says so', async () => {
      const right = walked();
      const other = walked(across);
      await hall.survey(right);
      // The plan was held the wrong way round.
      await hall.survey({ ...other, way: other.way.map((point) => ({ ...point, x: 12 - point.x, y: 12 - point.y })) });
      const { isUsed, reason, beacons } = await hall.accuracy();
      assert.deepEqual([isUsed, reason, beacons], [false, 'worse', 0]);
      await removeAll();
    });

    test('go with their floor, and so does what was learned', async () => {
      const venueId = await create(site.app, '/api/v2/venues', { name: 'Tent' }, site.user.headers);
      const floor = { venueId: pointer('Venue', venueId), name: 'Tent', level: 0 };
      const floorId = await create(site.app, '/api/v2/floors', floor, site.user.headers);
      const url = `/api/v2/floors/${floorId}`;
      for (const corners of [lanes, across]) {
        const body = hall.body(walked(corners));
        assert.equal((await site.ask({ method: 'POST', url: `${url}/surveys`, body })).status, 201);
      }
      await site.app.app.idle();
      assert.equal(
        (await site.rows('floor_maps')).some((row) => row['floor_id'] === floorId),
        true,
      );
      assert.equal((await site.ask({ method: 'PUT', url, body: { level: 3 } })).status, 200);
      const isCurrent = async () =>
        (await site.ask({ method: 'GET', url: `${url}/accuracy` })).body.result.isCurrent as boolean;
      assert.equal(await isCurrent(), false);
      site.app.clock.now += 20_000;
      await site.app.app.idle();
      assert.equal(await isCurrent(), true, 'at another level it is worked out again');
      assert.equal((await site.ask({ method: 'DELETE', url })).status, 200);
      for (const table of ['surveys', 'floor_maps', 'beacon_signals'])
        assert.deepEqual(
          (await site.rows(table)).filter((row) => row['floor_id'] === floorId),
          [],
          table,
        );
    });
  });
}
