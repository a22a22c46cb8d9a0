import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'vitest';
import { databases, otherApp } from '../../../../test/support/build-app.ts';
import { assertRefusals, create } from '../../../../test/support/cases.ts';
import { kindsOf, openSite, pointer, type Site, stay, uuid, walk } from '../../../../test/support/site.ts';
import { commandLine } from '../../../access/audit.ts';

const url = '/api/v2/sightings';
const hour = 3_600_000;

for (const database of databases) {
  describe(`sightings on ${database}`, () => {
    let site: Site;
    beforeEach(async () => {
      site = await openSite(database);
    });
    afterEach(() => site.close());

    test('samples of somebody who comes become ENTER and NEAR, a visit, a log record and a message', async () => {
      const trigger = await site.notification();
      const start = site.now - 10_000;
      const result = await site.send(walk(stay(1.5, 10), start));
      assert.deepEqual(kindsOf(result.events), ['ENTER', 'NEAR']);
      assert.deepEqual(result.problems, []);
      assert.deepEqual(
        result.messages.map(({ triggerId, isPushed, kind, notification }: Record<string, object>) => ({
          triggerId,
          isPushed,
          kind,
          notification,
        })),
        [
          {
            triggerId: trigger,
            isPushed: false,
            kind: 'notification',
            notification: {
              objectId: trigger,
              type: 'TEXT',
              message: { alertTitle: 'Welcome', alertMessage: 'The tour starts here.' },
            },
          },
        ],
      );
      const [visit] = await site.list('visits');
      assert.deepEqual(visit, {
        objectId: result.events[0].visitId,
        beaconId: pointer('Beacon', site.hall),
        installationId: pointer('_Installation', site.phone),
        enteredAt: new Date(start).toISOString(),
        leftAt: null,
        dwell: null,
        smoothedEnteredAt: null,
        smoothedLeftAt: null,
        smoothedDwell: null,
        isOpen: true,
        source: 'samples',
        endedBy: null,
        inferred: false,
        createdAt: new Date(site.now).toISOString(),
        updatedAt: new Date(site.now).toISOString(),
      });
      assert.deepEqual(kindsOf(await site.list('logs')), ['ENTER'], 'zones are no log records');
    });

    test('a phone that has decided is trusted, and repeats itself without effect', async () => {
      const start = site.now - 60_000;
      const first = await site.send([site.decided('ENTER', start)]);
      assert.deepEqual(kindsOf(first.events), ['ENTER']);
      assert.deepEqual(kindsOf((await site.send([site.decided('ENTER', start + 1000)])).events), []);
      site.app.clock.now += 1000;
      const last = await site.send([site.decided('EXIT', start + 31_500)]);
      assert.deepEqual(kindsOf(last.events), ['EXIT']);
      assert.deepEqual(kindsOf((await site.send([site.decided('EXIT', start + 33_000)])).events), []);
      const [visit, ...others] = await site.list('visits');
      assert.deepEqual(others, []);
      assert.deepEqual([visit.dwell, visit.isOpen, visit.source, visit.endedBy], [31.5, false, 'device', 'device']);
      assert.deepEqual(kindsOf(await site.list('logs')), ['EXIT', 'ENTER'], 'newest first');
    });

    test('names the sender by its own id, by the objectId or by a pointer', async () => {
      for (const installationId of ['phone-1', site.phone, pointer('_Installation', site.phone)]) {
        site.app.clock.now += 1000;
        assert.equal((await site.post([site.decided('ENTER')], { installationId })).status, 200);
      }
      assert.equal((await site.list('visits')).length, 1);
    });

    test('answers what cannot be used by index and takes the rest', async () => {
      const sample = { uuid, major: 1, minor: 1, rssi: -60 };
      const result = await site.send([
        { ...sample, minor: 99 },
        { ...sample, rssi: 127 },
        { ...sample, rssi: 5 },
        { ...sample, occurredAt: 'yesterday' },
        'noise',
        { uuid: 'short', major: 1, minor: 1, rssi: -60 },
        { beacon: 'nobody', event: 'ENTER' },
        { beacon: site.hall, event: 'NEAR' },
        { beacon: site.hall },
        site.decided('ENTER'),
        { ...sample, topic: 5 },
        { ...sample, topic: { a: 1 } },
      ]);
      assert.deepEqual(
        result.problems.map(({ index, code }: { index: number; code: string }) => [index, code]),
        [
          [0, 'unknown_beacon'],
          [1, 'unusable'],
          [2, 'unusable'],
          [3, 'bad_time'],
          [4, 'not_an_object'],
          [5, 'bad_uuid'],
          [6, 'unknown_beacon'],
          [7, 'bad_event'],
          [8, 'no_measurement'],
        ],
      );
      assert.match(result.problems[0].message, /POST \/beacons/);
      assert.equal(result.received, 12);
      assert.deepEqual(kindsOf(result.events), ['ENTER']);
    });

    test('takes 1,000 sightings and nothing more, and writes nothing of what it refuses', async () => {
      const batch = walk(stay(1.5, 1001), site.now - 1_001_000);
      const post = (body: unknown) => ({ method: 'POST', url, body }) as const;
      const sightings = [site.decided('ENTER')];
      const installationId = 'phone-1';
      await assertRefusals(site.app, {}, [
        {
          rule: '1,001',
          request: post({ installationId, sightings: batch }),
          status: 400,
          code: 142,
          fields: ['sightings'],
        },
        { rule: 'no sender', request: post({ sightings }), status: 400, code: 142, fields: ['installationId'] },
        { rule: 'no list', request: post({ installationId }), status: 400, code: 142, fields: ['sightings'] },
        {
          rule: 'not a list',
          request: post({ installationId, sightings: {} }),
          status: 400,
          code: 142,
          fields: ['sightings'],
        },
        {
          rule: 'sentAt',
          request: post({ installationId, sightings, sentAt: 'now' }),
          status: 400,
          code: 142,
          fields: ['sentAt'],
        },
        { rule: 'unknown sender', request: post({ installationId: 'nobody', sightings }), status: 404, code: 101 },
      ]);
      assert.match((await site.post(sightings, { installationId: 'nobody' })).body.error.error, /POST \/installations/);
      assert.deepEqual(await site.rows('tracks'), []);
      assert.equal((await site.send(batch.slice(1))).received, 1000);
      assert.equal((await site.send([])).received, 0);
    });

    test("another app's installations and beacons do not exist", async () => {
      const other = await otherApp(site.app);
      const body = { installationId: site.phone, sightings: [site.decided('ENTER')] };
      const answer = await site.app.send({ method: 'POST', url, headers: other, body });
      assert.deepEqual([answer.status, answer.body.code], [404, 101]);
      await create(site.app, '/api/v2/installations', { installationId: 'phone-1', deviceType: 'ios' }, other);
      const own = await site.app.send({
        method: 'POST',
        url,
        headers: other,
        body: { ...body, installationId: 'phone-1' },
      });
      assert.equal(own.body.result.problems[0].code, 'unknown_beacon');
    });

    test('a batch sent twice is answered alike and counts once', async () => {
      await site.notification();
      await site.scenario();
      const batch = [site.decided('ENTER', site.now - 5000), ...walk(stay(0.5, 5), site.now - 4000)];
      const first = await site.send(batch);
      assert.equal(first.messages.length, 2);
      assert.deepEqual(await site.send(batch), first);
      for (const [table, count] of Object.entries({ visits: 1, firings: 2 }))
        assert.equal((await site.rows(table)).length, count, table);
      assert.equal((await site.rows('events')).length, first.events.length);
      assert.deepEqual((await site.list('logs')).length, 2, 'PRESENCE and STORYLINE');
      const [decision, ...samples] = batch;
      const again = await site.send([...samples, decision]);
      assert.deepEqual([again.events, again.messages], [[], []], 'nor in another order');
    });

    test('sightings without times are new each time, unless they have an eventId', async () => {
      const enter = { beacon: site.hall, event: 'ENTER' };
      const exit = { beacon: site.hall, event: 'EXIT' };
      const next = async (sighting: object) => {
        site.app.clock.now += 40_000;
        return kindsOf((await site.send([sighting])).events);
      };
      assert.deepEqual(await next(enter), ['ENTER']);
      assert.deepEqual(await next({ ...exit, eventId: 'a' }), ['EXIT']);
      assert.deepEqual(await next(enter), ['ENTER']);
      assert.deepEqual(await next({ ...exit, eventId: 'a' }), ['EXIT'], 'answered like the first time');
      assert.equal((await site.list('visits', { where: '{"isOpen":true}' })).length, 1, 'and counted once');
      const twice = { ...exit, eventId: 'b' };
      const both = await site.send([twice, twice]);
      assert.deepEqual([kindsOf(both.events), both.duplicates], [['EXIT'], 1]);
    });

    test('a clock an hour ahead is corrected, with sentAt exactly, and counts once all the same', async () => {
      await site.notification();
      const ahead = walk(stay(1.5, 10), site.now + hour - 9_000);
      const result = await site.send(ahead);
      assert.equal(result.clockError, 3600);
      assert.deepEqual(kindsOf(result.events), ['ENTER', 'NEAR']);
      assert.equal(result.events[0].enteredAt, new Date(site.now - 9_000).toISOString());
      assert.equal(result.messages.length, 1);
      assert.equal(result.problems[0].code, 'clock_ahead');
      site.app.clock.now += 200_000;
      const again = await site.send(ahead);
      assert.deepEqual([again.duplicates, again.events], [10, []]);

      const cafe = await site.beacon({});
      const exact = await site.send([{ beacon: cafe, event: 'ENTER', occurredAt: site.now + hour - 20_000 }], {
        sentAt: new Date(site.now + hour).toISOString(),
      });
      // The deadline of the silence may have come up before the report.
      const exits: { event: string; beaconId: { objectId: string } }[] = await site.list('events', {
        where: '{"event":"EXIT"}',
      });
      assert.deepEqual(
        exits.map(({ beaconId }) => beaconId.objectId),
        [site.hall],
        'it has fallen silent there since',
      );
      const enter = exact.events.at(-1);
      assert.deepEqual([enter.event, enter.beaconId.objectId], ['ENTER', cafe]);
      assert.equal(enter.occurredAt, new Date(site.now - 20_000).toISOString());
      assert.deepEqual(exact.problems, []);
    });

    test('what comes an hour late is logged and shows nothing any more', async () => {
      await site.notification();
      const result = await site.send([site.decided('ENTER', site.now - hour)]);
      assert.deepEqual([kindsOf(result.events), result.messages], [['ENTER'], []]);
      const { verdicts } = await site.get(`events/${result.events[0].objectId}`);
      assert.equal(verdicts[0].reason, 'stale');
      assert.equal(
        verdicts[0].text,
        'Not shown: the report came 1 hour late, and after 2 minutes it is no longer shown.',
      );
      assert.deepEqual(kindsOf(await site.list('logs')), ['ENTER']);
    });

    test('finds the beacon of a watched region when it can be only one', async () => {
      const region = { uuid: uuid.toLowerCase().replaceAll('-', ''), event: 'ENTER', major: 0, minor: 0 };
      assert.equal((await site.send([region])).events[0].beaconId.objectId, site.hall);
      await site.beacon({});
      assert.equal((await site.send([{ ...region, event: 'EXIT' }])).problems[0].code, 'ambiguous_beacon');
    });

    test('a gateway stands for a beacon and its tags for installations', async () => {
      const room = await site.beacon({ metadata: { gatewayId: 'room-1' } });
      const mac = await site.installation({ installationId: 'tag-1', metadata: { advertisedId: 'AA:BB:CC:00:11:22' } });
      const advertised = `iBeacon:${uuid}-7-8`;
      const tag = await site.installation({ installationId: 'tag-2', metadata: { advertisedId: advertised } });
      const scopes = [
        { resource: 'sightings', verbs: ['create'] },
        { resource: 'events', verbs: ['list'] },
      ];
      const { secretKey } = await site.app.app.secretKeys.create(site.app.appId, { name: 'Room', scopes }, commandLine);
      const post = async (body: object) =>
        (await site.app.send({ method: 'POST', url, headers: { 'x-service-appkey': secretKey }, body })).body
          .result as Awaited<ReturnType<Site['send']>>;
      const report = (index: number) => ({ rssi: -50, occurredAt: site.now - 5000 + index * 1000 });
      const heard = await post({
        gateway: 'room-1',
        sightings: [0, 1, 2, 3].map((index) => ({ ...report(index), id: 'aabbcc001122' })),
      });
      assert.deepEqual(
        heard.events.map(({ beaconId, installationId }: Record<string, { objectId: string }>) => [
          beaconId?.objectId,
          installationId?.objectId,
        ])[0],
        [room, mac],
      );
      const topic = `espresense/devices/iBeacon:${uuid.toLowerCase()}-7-8/room-1`;
      const espresense = await post({
        sightings: [0, 1, 2, 3].map((index) => ({ ...report(index), topic, 'rssi@1m': -59, distance: 0.7 })),
      });
      assert.equal(espresense.events[0].installationId.objectId, tag);
      const unknown = await post({
        sightings: [
          { topic: 'espresense/devices/other/room-1', rssi: -50 },
          { topic: 'espresense/devices/aabbcc001122/room-9', rssi: -50 },
        ],
      });
      assert.deepEqual(
        unknown.problems.map(({ code }: { code: string }) => code),
        ['unknown_tag', 'unknown_gateway'],
      );
      const nameless = await post({ gateway: 'room-1', sightings: [{ rssi: -50 }] });
      assert.deepEqual(nameless.problems, [
        {
          index: 0,
          code: 'unknown_shape',
          field: 'id',
          message: 'A sighting of a gateway names the tag that it heard: send its id.',
        },
      ]);
      // Both follow what is changed later.
      const change = (path: string, metadata: object) =>
        site.ask({ method: 'PUT', url: `/api/v2/${path}`, body: { metadata } });
      await change(`installations/${mac}`, {});
      await change(`beacons/${room}`, { gatewayId: 'room-2' });
      const moved = await post({ gateway: 'room-2', sightings: [{ id: 'aabbcc001122', rssi: -50 }] });
      assert.equal(moved.problems[0].code, 'unknown_tag');
    });

    test('a beacon of its own radius and calibration is weighed by them', async () => {
      await site.app.app.apps.change(site.app.appId, { policy: { oneZone: false } });
      const wide = await site.beacon({ minor: 3, radius: 10 });
      const loud = await site.beacon({ minor: 4, measuredPower: -80 });
      const far = await site.send([...walk(stay(6, 8), site.now - 9000, 3), ...walk(stay(12, 8), site.now - 9000, 4)]);
      const entered = far.events.filter(({ event }: { event: string }) => event === 'ENTER');
      assert.deepEqual(
        entered.map(({ beaconId }: { beaconId: { objectId: string } }) => beaconId.objectId).sort(),
        [wide, loud].sort(),
      );
    });
  });
}
