import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  buildApp,
  databases,
  pointerTo,
  type SignedIn,
  signIn,
  type TestApp,
} from '../../../../test/support/build-app.ts';
import { assertRefusals, create } from '../../../../test/support/cases.ts';

const beacon = { name: 'Hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 1 };
const url = '/api/v2/storylines';

for (const database of databases) {
  describe(`storylines on ${database}`, () => {
    let app: TestApp;
    let user: SignedIn;
    let beaconId: string;
    let detail: Record<string, unknown>;
    beforeAll(async () => {
      app = await buildApp({ database });
      user = await signIn(app);
      beaconId = await create(app, '/api/v2/beacons', beacon, user.headers);
      detail = {
        beacons: [beaconId],
        campaign: 'URL',
        event: 'ENTER',
        showOn: [{ dayName: 'Mon', checked: true }],
        urlPage: 'https://example.org/tour',
      };
    });
    afterAll(() => app.close());
    const send = (method: 'GET' | 'PUT' | 'DELETE' | 'PATCH', path: string, body?: unknown) =>
      app.send({ method, url: path, headers: user.headers, body });
    const newHeader = () => create(app, url, { title: 'Tour', isEnabled: true }, user.headers);

    test('a header keeps its title and switch', async () => {
      const id = await newHeader();
      const { createdAt, updatedAt, ...rest } = (await send('GET', `${url}/${id}`)).body.result;
      assert.equal(createdAt, updatedAt);
      assert.deepEqual(rest, { objectId: id, title: 'Tour', isEnabled: true, createdBy: pointerTo(user) });
      await send('PUT', `${url}/${id}`, { isEnabled: false });
      assert.equal((await send('GET', `${url}/${id}`)).body.result.isEnabled, false);
      await assertRefusals(app, user.headers, [
        {
          rule: 'required',
          request: { method: 'POST', url, body: {} },
          status: 400,
          code: 142,
          fields: ['title', 'isEnabled'],
        },
        {
          rule: 'length',
          request: { method: 'POST', url, body: { title: 't'.repeat(51), isEnabled: true } },
          status: 400,
          code: 142,
          fields: ['title'],
        },
        {
          rule: 'length',
          request: { method: 'PUT', url: `${url}/${id}`, body: { title: '' } },
          status: 400,
          code: 142,
          fields: ['title'],
        },
      ]);
    });

    test('a scenario keeps what was sent; members that were not given are absent', async () => {
      const header = await newHeader();
      const full = { ...detail, urlImageAndroid: 'https://example.org/a.png', alertTitle: 'Hi', alertMessage: 'There' };
      const id = await create(
        app,
        `${url}/${header}/detail`,
        { ...full, urlImageiOS: 'https://example.org/i.png' },
        user.headers,
      );
      const { createdAt, updatedAt, ...rest } = (await send('GET', `${url}/${header}/detail/${id}`)).body.result;
      assert.equal(createdAt, updatedAt);
      assert.deepEqual(rest, {
        objectId: id,
        ...full,
        createdBy: pointerTo(user),
        urlImageIOS: 'https://example.org/i.png',
      });
      await send('PUT', `${url}/${header}/detail/${id}`, { urlImageIOS: null, showOn: [] });
      const after = (await send('GET', `${url}/${header}/detail/${id}`)).body.result;
      assert.ok(!('urlImageIOS' in after));
      assert.deepEqual(after.showOn, []);
    });

    test('refuses each broken rule of a scenario', async () => {
      const path = `${url}/${await newHeader()}/detail`;
      const broken = (change: object, fields: string[]) => ({
        rule: JSON.stringify(change).slice(0, 80),
        request: { method: 'POST', url: path, body: { ...detail, ...change } } as const,
        status: 400,
        code: 142,
        fields,
      });
      await assertRefusals(app, user.headers, [
        {
          rule: 'required',
          request: { method: 'POST', url: path, body: {} },
          status: 400,
          code: 142,
          fields: ['beacons', 'campaign', 'event', 'showOn'],
        },
        broken({ beacons: [] }, ['beacons']),
        broken({ beacons: [5] }, ['beacons.0']),
        broken({ campaign: 'text' }, ['campaign']),
        broken({ event: 'LEAVE' }, ['event']),
        broken({ showOn: [{ dayName: 'Monday', checked: true }] }, ['showOn.0.dayName']),
        broken({ showOn: [{ dayName: 'Mon' }] }, ['showOn.0.checked']),
        broken(
          {
            showOn: [
              { dayName: 'Mon', checked: true },
              { dayName: 'Mon', checked: false },
            ],
          },
          ['showOn'],
        ),
        broken({ urlPage: 'nowhere' }, ['urlPage']),
        broken({ urlVideo: 7, alertTitle: 7 }, ['urlVideo', 'alertTitle']),
        {
          rule: 'beacons exist',
          request: { method: 'POST', url: path, body: { ...detail, beacons: [beaconId, '0000000000000000NONE'] } },
          status: 404,
          code: 101,
        },
      ]);
    });

    test('a scenario is reached only under its own header, and goes with it', async () => {
      const [header, other] = [await newHeader(), await newHeader()];
      const id = await create(app, `${url}/${header}/detail`, detail, user.headers);
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE'] as const) {
        const answer = await send(
          method,
          `${url}/${other}/detail/${id}`,
          method === 'GET' || method === 'DELETE' ? undefined : {},
        );
        assert.deepEqual([answer.status, answer.body.code], [404, 101], method);
      }
      assert.deepEqual((await send('GET', `${url}/${other}/detail`)).body.results, []);
      assert.equal((await send('GET', `${url}/${header}/detail`)).body.results.length, 1);
      assert.deepEqual((await send('DELETE', `${url}/${header}`)).body, { result: {} });
      assert.equal((await send('GET', `${url}/${header}/detail`)).status, 404);
      const all = await send('GET', `${url}/details`);
      assert.ok(all.body.results.every(({ objectId }: { objectId: string }) => objectId !== id));
    });

    test('clients look scenarios up by beacon and event across all headers', async () => {
      const enter = await create(app, `${url}/${await newHeader()}/detail`, detail, user.headers);
      const second = await create(app, '/api/v2/beacons', beacon, user.headers);
      const both = await create(
        app,
        `${url}/${await newHeader()}/detail`,
        { ...detail, beacons: [second, beaconId], event: 'EXIT' },
        user.headers,
      );
      const find = async (where: object) =>
        (await send('GET', `${url}/details?where=${encodeURIComponent(JSON.stringify(where))}`)).body.results.map(
          ({ objectId }: { objectId: string }) => objectId,
        );
      assert.deepEqual(await find({ beacons: second }), [both]);
      assert.ok((await find({ beacons: beaconId, event: 'ENTER' })).includes(enter));
      assert.ok(!(await find({ beacons: beaconId, event: 'ENTER' })).includes(both));
    });

    test('only the list across all headers names the storyline of a scenario, and is filtered by it', async () => {
      const [header, other] = [await newHeader(), await newHeader()];
      const id = await create(app, `${url}/${header}/detail`, detail, user.headers);
      await create(app, `${url}/${other}/detail`, detail, user.headers);
      const where = encodeURIComponent(JSON.stringify({ storylineId: header }));
      const { results } = (await send('GET', `${url}/details?where=${where}`)).body;
      assert.deepEqual(
        results.map((one: Record<string, unknown>) => [one['objectId'], one['storylineId']]),
        [[id, header]],
      );
      const specified = [
        (await send('GET', `${url}/${header}/detail/${id}`)).body.result,
        ...(await send('GET', `${url}/${header}/detail`)).body.results,
      ];
      assert.equal(specified.length, 2);
      for (const record of specified) assert.ok(!('storylineId' in record));
    });
  });
}
