import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Answer, databases, pointerTo, type SignedIn, signIn } from '../support/build-app.ts';
import { openConsole } from '../support/console.ts';
import { openStream } from '../support/event-stream.ts';
import {
  absent,
  json,
  malloryOf,
  nothingOf,
  openScene,
  phones,
  refused,
  type Scene,
} from '../support/hostile/attempts.ts';
import { pointer, type Site, stay, walk } from '../support/site.ts';
import { listen } from '../support/socket.ts';

/**
 * What is tried at other people and their phones, one attempt a test. None may succeed.
 * `npm run test:hostile` counts these with all others.
 */

for (const database of databases) {
  describe(`attempts of somebody who is signed in, on ${database}`, () => {
    let scene: Scene;
    let site: Site;
    let vera: SignedIn;
    let mallory: SignedIn;
    let phone: string;
    let own: string;
    let note: string;
    let beacon: string;
    let venue: string;
    const { send, get, none } = malloryOf(() => scene);

    beforeAll(async () => {
      scene = await openScene(database);
      ({ site, vera, mallory, phone, own, note, beacon, venue } = scene);
    });
    afterAll(() => site.close());

    describe('at phones', () => {
      test('her installation is neither read, changed nor deleted', async () => {
        refused(await get(`${phones}/${phone}`), 404);
        refused(await send('PUT', `${phones}/${phone}`, { channels: ['mine'] }), 403, 404);
        refused(await send('PATCH', `${phones}/${phone}`, { channels: ['mine'] }), 403, 404, 405);
        refused(await send('DELETE', `${phones}/${phone}`), 403, 404);
      });
      test('her id with another token takes no pushes that are addressed to her', async () => {
        const body = { installationId: 'veras', deviceType: 'android', deviceToken: 'stolen', channels: ['v'] };
        const answer = await send('POST', phones, body);
        if (answer.status < 300) {
          const { body: all } = await site.ask({
            method: 'GET',
            url: `${phones}?where=${json({ userId: pointerTo(vera) })}`,
          });
          assert.ok(!JSON.stringify(all.results).includes('stolen'));
        }
        refused(await get(`/api/v2/visits?where=${json({ installationId: pointer('_Installation', phone) })}`), 200);
        await none(`/api/v2/visits?where=${json({ installationId: pointer('_Installation', phone) })}`);
      });
      test('an installation names no user but its own', async () => {
        const body = {
          installationId: 'mallorys',
          deviceType: 'android',
          deviceToken: 'mine',
          userId: pointerTo(vera),
        };
        refused(await send('POST', phones, body), 400, 403);
        refused(await send('PUT', `${phones}/${own}`, { userId: pointerTo(vera) }), 400, 403);
      });
      test('a wrong secret of her phone reveals nothing, however often it is tried', async () => {
        for (const guess of ['v'.repeat(42), `${'v'.repeat(42)}w`, '', 'v'])
          refused(await send('PUT', `${phones}/${phone}`, {}, { 'installation-secret': guess }), 400, 403, 404);
      });
      test('the topic under which her gate is reached is not taken by whoever guesses it', async () => {
        const gate = { installationId: 'gate', deviceType: 'embedded', pushType: 'mqtt', deviceToken: 'gate/north' };
        const register = (body: object, headers: object) =>
          site.app.send({ method: 'POST', url: phones, headers: { ...headers }, body });
        const made = await register(gate, vera.headers);
        assert.equal(made.status, 201, made.raw.toString());
        const evil = { ...gate, installationId: 'evil' };
        for (const body of [evil, { ...evil, pushType: 'fcm', deviceType: 'android' }])
          for (const headers of [{}, mallory.headers]) refused(await register(body, headers), 403);
        refused(await send('PUT', `${phones}/${own}`, { deviceToken: 'gate/north' }), 403);
        const rows = (await site.rows('installations')).filter((row) => row['device_token'] === 'gate/north');
        assert.deepEqual(
          rows.map(({ object_id: objectId }) => objectId),
          [made.body.result.objectId],
        );
        assert.equal(
          (await register({ ...gate, installationId: 'new gate' }, vera.headers)).status,
          201,
          'she moves it',
        );
      });
      test('a code for a test phone is not guessed', async () => {
        const ada = await openConsole(site.app, 'editor');
        await ada.send({ method: 'POST', url: `/apps/${site.app.appId}/own-phones/code` });
        const answers: number[] = [];
        for (let n = 0; n < 30; n++) {
          const body = { code: `AAAA${String(2222 + n).replaceAll(/[01]/g, '2')}` };
          answers.push((await send('POST', `${phones}/${own}/pairing`, body)).status);
        }
        assert.ok(answers.every((status) => status >= 400) && answers.includes(429), answers.join());
      });
      test('receipts for deliveries of others count for nobody', async () => {
        const { body } = await site.ask({ method: 'GET', url: '/api/v2/deliveries' });
        const deliveryId = body.results[0]?.objectId ?? absent;
        const receipts = [{ deliveryId, event: 'opened' }];
        const answer = await send('POST', '/api/v2/receipts', { installationId: 'mallorys', receipts });
        const missing = await send('POST', '/api/v2/receipts', {
          installationId: 'mallorys',
          receipts: [{ deliveryId: absent, event: 'opened' }],
        });
        assert.equal(
          answer.raw.toString().replaceAll(deliveryId, ''),
          missing.raw.toString().replaceAll(absent, ''),
          'as for a delivery that there is not',
        );
        assert.equal(
          (await site.ask({ method: 'GET', url: `/api/v2/deliveries/${deliveryId}` })).body.result?.openedAt ?? null,
          null,
        );
      });
      test('sightings in her name are answered without what she was shown', async () => {
        const answer = await send('POST', '/api/v2/sightings', {
          installationId: 'veras',
          sightings: walk(stay(1, 4), site.now),
        });
        nothingOf(answer, 'The tour starts here');
      });
    });

    describe('at what is known of others', () => {
      for (const path of ['visits', 'events', 'verdicts', 'deliveries', 'positions'])
        test(`${path} of others are in no list, count or order`, async () => {
          for (const query of ['', '?order=-createdAt', `?where=${json({ objectId: { $exists: true } })}`]) {
            const answer = await get(`/api/v2/${path}${query}${query ? '&' : '?'}count=1`);
            if (answer.status === 200) assert.equal(answer.body.count, answer.body.results.length);
            nothingOf(answer, phone, vera.userId);
          }
        });
      test('analytics are not answered, with any question', async () => {
        for (const query of ['', '?unit=hour', `?beaconId=${beacon}`, '?groupBy=beacon&unit=day'])
          refused(await get(`/api/v2/analytics/visits${query}`), 403);
        for (const path of ['flows', 'paths', 'peaks', 'messages', 'forecast'])
          refused(await get(`/api/v2/analytics/${path}`), 403);
      });
      test('a manager cannot single out one visitor in protected numbers, by subtraction of neighbouring questions', async () => {
        await site.app.app.apps.change(site.app.appId, { policy: { smallGroups: 'protected' } });
        await site.app.app.rollups.settle(site.app.appId);
        const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);
        const period = `from=${dateOf(site.now)}&until=${dateOf(site.now + 86_400_000)}`;
        const texts: string[] = [];
        for (const query of [
          'visits?interval=day',
          'visits?interval=hour',
          'visits?interval=day&groupBy=beacon',
          'visits?groupBy=venue',
          `visits?interval=day&beaconId=${site.hall}`,
          `visits?interval=day&venueId=${venue}`,
          'visits?interval=day&compare=previous',
          'flows?',
          'paths?',
          'peaks?interval=hour',
          ...[`beaconId=${site.hall}`, `venueId=${venue}`].flatMap((place) => [
            `flows?${place}`,
            `paths?${place}`,
            `peaks?interval=hour&${place}`,
            `messages?interval=day&${place}`,
          ]),
        ]) {
          const { status, body } = await site.ask({ method: 'GET', url: `/api/v2/analytics/${query}&${period}` });
          assert.equal(status, 200, `${query}: ${JSON.stringify(body)}`);
          texts.push(JSON.stringify(body.result));
        }
        assert.ok(
          texts.some((text) => text.includes('"visitors":"1-4"')),
          'there is a small group',
        );
        // The difference of two numbers that are zero or fives is never one to four.
        for (const text of texts)
          for (const [told, count] of text.matchAll(
            /"(?:visitors|newVisitors|returningVisitors|visits|tours|peak|reached|openedBy|acted|shown)":(\d+)/g,
          ))
            assert.equal(Number(count) % 5, 0, `${told} in ${text}`);
      });
      test('a stream sends nothing about her, whatever is requested', async () => {
        const port = await listen(site.app);
        const headers = { ...site.app.credentials, ...mallory.headers };
        const stream = await openStream(port, '/api/v2/stream', headers);
        await stream.ready;
        const all = await openStream(port, '/api/v2/stream', { ...site.app.credentials, ...site.user.headers });
        await all.ready;
        site.app.clock.now += 60_000;
        const body = { installationId: 'veras', sightings: [{ beacon, event: 'ENTER' }] };
        const said = await site.app.send({ method: 'POST', url: '/api/v2/sightings', headers: vera.headers, body });
        assert.ok(said.body.result.events.length > 0, said.raw.toString());
        await all.received(1);
        assert.deepEqual(stream.events, []);
        const last = String((all.events[0] as { id?: string } | undefined)?.id ?? '1');
        const resumed = await openStream(port, '/api/v2/stream', { ...headers, 'last-event-id': last });
        await resumed.ready;
        // A number that was told to somebody else means nothing here.
        assert.deepEqual(
          resumed.events.map(({ event, data }) => ({ event, data })),
          [{ event: 'lost', data: {} }],
        );
        for (const one of [stream, all, resumed]) one.close();
      });
      test('an audience counts and reaches nobody that she may not list', async () => {
        const where = { userId: pointerTo(vera) };
        const answer = await send('POST', '/api/v2/push/notification', { where, data: { title: 'Boo' } });
        if (answer.status < 300) {
          await site.app.app.idle();
          const id = String(answer.headers['location']).split('/').at(-1);
          const { body } = await get(`/api/v2/push/notification/${id}`);
          nothingOf(await get(`/api/v2/push/notification/${id}`), phone);
          assert.equal(body.result?.audience ?? 0, 0);
        }
      });
      test('the simulation is asked about a phone that there is not, and never about hers', async () => {
        const body = { installationId: 'veras', sightings: walk(stay(1, 10), site.now) };
        const answer = await send('POST', '/api/v2/simulations', body);
        nothingOf(answer, phone, vera.userId);
        const { body: free } = await send('POST', '/api/v2/simulations', { ...body, installationId: 'nobodys' });
        const outcomes = (told: { verdicts?: readonly { outcome: string; reason: string }[] } = {}) =>
          told.verdicts?.map(({ outcome, reason }) => [outcome, reason]);
        assert.deepEqual(
          outcomes(answer.body.result),
          outcomes(free.result),
          'what she was shown already tells nothing',
        );
      });
      test('a receipt of an erasure of somebody else names nobody', async () => {
        const gone = await signIn(site.app);
        const { body } = await site.app.send({ method: 'DELETE', url: '/api/v2/users/me', headers: gone.headers });
        await site.app.app.idle();
        nothingOf(await get(`/api/v2/erasures/${body.result.erasureId}`), gone.userId, 'example.org');
      });
      test('her export is her own', async () => {
        nothingOf(await get('/api/v2/users/me/export'), phone, note, 'owl', 'token of vera');
        refused(await get(`/api/v2/users/${vera.userId}/export`), 404, 405);
      });
      test('her account is not read, changed or erased by its id', async () => {
        for (const method of ['GET', 'PUT', 'DELETE'] as const)
          refused(
            await send(method, `/api/v2/users/${vera.userId}`, method === 'PUT' ? { firstname: 'X' } : undefined),
            403,
            404,
          );
      });
      test('requesting a new password does not reveal whether an address has an account', async () => {
        const { body } = await site.app.send({ method: 'GET', url: '/api/v2/users/me', headers: vera.headers });
        const ask = (email: string) => send('POST', '/api/v2/users/password/forgot', { email });
        const [hers, free] = [await ask(body.result.validemail), await ask('nobody@example.org')];
        const without = ({ status, body: told }: Answer) => [
          status,
          JSON.stringify(told).replace(/"requestId":"[^"]*"/, ''),
        ];
        assert.deepEqual(without(hers), without(free));
      });
    });
  });
}
