import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, type TestApp } from '../../server/test/support/build-app.ts';
import { type AppOptions, entityTag, operations, PharosClient, PharosError } from '../src/index.ts';

const account = { firstname: 'Vera', lastname: 'Visitor', email: 'vera@example.org', password: 'correct horse' };
const hall = { name: 'Main hall', uuid: 'B9407F30-F5F8-466E-AFF9-25556B57FE6D', major: 1, minor: 12 };

describe('the client, against the service', () => {
  let app: TestApp;
  let baseUrl: string;
  let client: PharosClient;
  const connect = (options: Partial<AppOptions> = {}) =>
    new PharosClient({ baseUrl, appId: app.appId, appKey: app.appKey, ...options });

  beforeAll(async () => {
    app = await buildApp();
    await app.app.server.listen({ host: '127.0.0.1', port: 0 });
    baseUrl = `http://127.0.0.1:${(app.app.server.server.address() as AddressInfo).port}`;
    await app.app.buckets.createBucket(app.appId, 'guestbook');
    client = connect();
    await client.users.signUp(account);
    await client.users.signIn({ email: account.email, password: account.password });
  });
  afterAll(() => app.close());

  /** The error of `work`. */
  async function refused(work: Promise<unknown>): Promise<PharosError> {
    const error = await work.then(
      () => assert.fail('nothing was refused'),
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof PharosError);
    return error;
  }

  test('signs in, has a user, and has none after signing out', async () => {
    const own = connect();
    const { accessToken } = await own.users.signIn({ email: account.email, password: account.password });
    assert.equal(own.token, accessToken);
    assert.equal((await own.users.me()).validemail, account.email);
    await own.users.signOut();
    assert.equal(own.token, undefined);
    assert.equal((await refused(connect({ token: accessToken }).users.me())).name, 'InvalidSessionToken');
  });

  test('acts for the app with a secret key, as far as its scopes reach, and never where people could read it', async () => {
    const scopes = [{ resource: 'beacons', verbs: ['list'] }];
    const by = { name: 'test', address: null };
    const { secretKey } = await app.app.secretKeys.create(app.appId, { name: 'Statistics', scopes }, by);
    const server = new PharosClient({ baseUrl, appId: app.appId, secretKey });
    assert.ok(Array.isArray((await server.beacons.list()).results));
    const error = await refused(server.users.list());
    assert.deepEqual([error.name, error.status], ['OperationForbidden', 403]);
    assert.match(error.message, /Statistics does not have the scope users:list/);
    const { document } = globalThis as { document?: unknown };
    Object.assign(globalThis, { document: {} });
    try {
      for (const key of [{ secretKey }, { appKey: secretKey }])
        assert.throws(() => new PharosClient({ baseUrl, appId: app.appId, ...key }), /belongs on a server/);
      assert.ok(connect(), 'the key of the app does not');
    } finally {
      Object.assign(globalThis, { document });
    }
  });

  test('makes a secret for its installation once, and nobody without it speaks for the phone', async () => {
    const kept: string[] = [];
    const secretStorage = { load: () => kept.at(-1) ?? null, save: (text: string) => void kept.push(text) };
    const body = { installationId: 'phone-with-secret', deviceType: 'ios' } as const;
    const phone = connect({ secretStorage });
    await Promise.all([phone.installations.register(body), phone.installations.register(body)]);
    await connect({ secretStorage }).installations.register(body);
    assert.equal(kept.length, 1);
    assert.match(kept[0] ?? '', /^[0-9a-f]{64}$/);
    const sightings = { installationId: body.installationId, sightings: [] };
    await phone.call(operations.sendSightings, { body: sightings });
    const stranger = connect();
    for (const work of [
      stranger.installations.register(body),
      stranger.call(operations.sendSightings, { body: sightings }),
    ])
      assert.equal((await refused(work)).name, 'OperationForbidden');
  });

  test('sends nothing for the phone while its secret cannot be read, and goes on afterwards', async () => {
    let isLocked = true;
    const load = () => {
      if (isLocked) throw new Error('the keychain is locked');
      return 'd'.repeat(43);
    };
    const phone = connect({ secretStorage: { load, save: () => undefined }, retry: false });
    const body = { installationId: 'locked-phone', deviceType: 'ios' } as const;
    const error = await refused(phone.installations.register(body));
    assert.deepEqual([error.name, error.retriable], ['StorageFailed', true]);
    isLocked = false;
    assert.ok((await phone.installations.register(body)).objectId);
  });

  test('takes a token from an earlier sign-in', async () => {
    assert.equal((await connect({ token: client.token ?? '' }).users.me()).firstname, 'Vera');
  });

  test('keeps beacons, and notifications about them', async () => {
    const { objectId } = await client.beacons.create(hall);
    await client.beacons.update(objectId, { name: 'Great hall' });
    assert.equal((await client.beacons.get(objectId)).name, 'Great hall');
    const created = await client.notifications.create({
      description: 'Welcome',
      beaconId: { __type: 'Pointer', className: 'Beacon', objectId },
      event: 'ENTER',
      type: 'TEXT',
      message: { alertTitle: 'Hello', alertMessage: 'Welcome to the great hall' },
      isEnabled: true,
    });
    assert.equal((await client.notifications.get(created.objectId)).beaconId.objectId, objectId);
    await client.notifications.delete(created.objectId);
    await client.beacons.delete(objectId);
    assert.equal((await refused(client.beacons.get(objectId))).name, 'ObjectNotFound');
  });

  test('a push that was sent can be followed and cancelled by its id', async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const { objectId } = await client.push.send({ data: { alert: 'The tour begins.' }, sendAt: later });
    assert.equal((await client.push.get(objectId)).data['alert'], 'The tour begins.');
    assert.equal((await client.push.cancel(objectId)).state, 'cancelled');
  });

  test('a change that depends on a tag is refused after somebody else has made one', async () => {
    const { objectId } = await client.beacons.create(hall);
    const read = await client.beacons.get(objectId);
    assert.ok(entityTag(read));
    const changed = await client.beacons.update(objectId, { name: 'One' }, { ifMatch: entityTag(read) });
    const late = client.beacons.update(objectId, { name: 'Two' }, { ifMatch: entityTag(read) });
    assert.equal((await refused(late)).name, 'PreconditionFailed');
    await client.beacons.update(objectId, { name: 'Three' }, { ifMatch: entityTag(changed) });
    assert.equal((await client.beacons.get(objectId)).name, 'Three');
    await client.beacons.delete(objectId);
  });

  test('keeps storylines with their details', async () => {
    const { objectId: beacon } = await client.beacons.create(hall);
    const { objectId } = await client.storylines.create({ title: 'Tour', isEnabled: true });
    const detail = { campaign: 'TEXT', event: 'ENTER', showOn: [{ dayName: 'Mon', checked: true }] } as const;
    const made = await client.storylines.createDetail(objectId, { ...detail, beacons: [beacon] });
    assert.deepEqual((await client.storylines.getDetail(objectId, made.objectId)).beacons, [beacon]);
    assert.equal((await client.storylines.listAllDetails({ where: { beacons: beacon } })).results.length, 1);
    await client.storylines.delete(objectId);
    assert.equal((await client.storylines.listAllDetails({ where: { beacons: beacon } })).results.length, 0);
  });

  test('queries a bucket: where, order, skip, limit and count', async () => {
    const guestbook = client.bucket('guestbook');
    for (const stars of [1, 2, 3, 4]) await guestbook.create({ stars, note: 'a & b = ü' });
    const { results, count } = await guestbook.list({
      where: { 'metadata.stars': { $gte: 2 }, 'metadata.note': 'a & b = ü' },
      order: '-metadata.stars',
      skip: 1,
      limit: 1,
      count: 1,
    });
    assert.deepEqual([results.map(({ metadata }) => metadata['stars']), count], [[3], 3]);
    const [{ objectId } = { objectId: '' }] = results;
    await guestbook.update(objectId, { stars: 5 });
    assert.deepEqual((await guestbook.get(objectId)).metadata, { stars: 5, note: 'a & b = ü' });
    await guestbook.delete(objectId);
    assert.equal((await guestbook.list()).results.length, 3);
  });

  test('registers devices and installations', async () => {
    const device = await client.devices.create({ deviceName: 'Gateway', manufacture: 'Acme', topic: 'museum' });
    await client.devices.update(device.objectId, { topic: 'museum/hall' });
    assert.equal((await client.devices.get(device.objectId)).topic, 'museum/hall');
    const phone = { installationId: 'phone-1', deviceType: 'android' } as const;
    const first = await client.installations.register(phone);
    const again = await client.installations.register(phone);
    assert.equal(first.objectId, again.objectId);
    await client.installations.setConsent(phone, {
      messages: { granted: true, textVersion: '2026-10' },
      analytics: { granted: false },
    });
    const { consents } = await client.installations.get(first.objectId);
    assert.deepEqual([consents?.messages?.granted, consents?.analytics?.granted], [true, false]);
  });

  test('uploads bytes and lists them', async () => {
    const { objectId, url } = await client.files.upload('a b.txt', new TextEncoder().encode('hello'), 'text/plain');
    assert.match(url, /_a(%20| )b\.txt$/);
    assert.deepEqual(
      (await client.files.list()).results.map((file) => file.objectId),
      [objectId],
    );
  });

  test('calls with each of its methods the operation that it is named after', async () => {
    const sent: string[] = [];
    const fetch = async (url: string | URL | Request, how?: RequestInit) => {
      const { pathname, search } = new URL(String(url));
      sent.push(`${how?.method} ${pathname.replace('/api/v2', '')}${search}${how?.body ? ` ${how.body}` : ''}`);
      return Response.json({ code: 100, error: { name: 'Any' } }, { status: 400 });
    };
    const own = connect({ fetch, retry: false });
    const { activity, devices, files, installations, notifications, push, sightings, storylines, users } = own;
    const page = { limit: 2 };
    const body = {} as never;
    for (const [request, call] of [
      ['GET /visits/v', () => activity.visit('v')],
      ['GET /visits?limit=2', () => activity.visits(page)],
      ['GET /events/e', () => activity.event('e')],
      ['GET /events?limit=2', () => activity.events(page)],
      ['GET /verdicts?limit=2', () => activity.verdicts(page)],
      ['POST /simulations {}', () => activity.simulate(body)],
      ['POST /simulations/walks {}', () => activity.simulateWalks(body)],
      ['POST /sightings {}', () => sightings.send(body)],
      ['GET /device?limit=2', () => devices.list(page)],
      ['DELETE /device/d', () => devices.delete('d')],
      ['DELETE /files/f', () => files.delete('f')],
      ['GET /installations/i', () => installations.get('i')],
      ['GET /installations?limit=2', () => installations.list(page)],
      ['PUT /installations/i {}', () => installations.update('i', body)],
      ['DELETE /installations/i', () => installations.delete('i')],
      ['GET /notifications/n', () => notifications.get('n')],
      ['PUT /notifications/n {}', () => notifications.update('n', body)],
      ['DELETE /notifications/n', () => notifications.delete('n')],
      ['POST /push/notification {}', () => push.send(body)],
      ['GET /push/notification/p', () => push.get('p')],
      ['POST /push/notification/p/cancel', () => push.cancel('p')],
      ['POST /receipts {}', () => push.report(body)],
      ['GET /storylines/s', () => storylines.get('s')],
      ['PUT /storylines/s {}', () => storylines.update('s', body)],
      ['GET /storylines/s/detail?limit=2', () => storylines.listDetails('s', page)],
      ['PUT /storylines/s/detail/d {}', () => storylines.updateDetail('s', 'd', body)],
      ['DELETE /storylines/s/detail/d', () => storylines.deleteDetail('s', 'd')],
      ['DELETE /storylines/s', () => storylines.delete('s')],
      ['PUT /users/me {}', () => users.updateMe(body)],
      ['POST /users/password/forgot {"email":"a@b.c"}', () => users.requestPasswordReset('a@b.c')],
      ['POST /users/password/reset {}', () => users.resetPassword(body)],
    ] as const) {
      await refused(call());
      assert.equal(sent.pop(), request);
    }
  });

  test('has no user any more once the account is erased', async () => {
    const own = connect();
    const other = { ...account, email: 'gone@example.org' };
    await own.users.signUp(other);
    await own.users.signIn({ email: other.email, password: other.password });
    await own.users.updateMe({ firstname: 'Nora' });
    assert.equal((await own.users.me()).firstname, 'Nora');
    assert.equal((await own.users.exportMe()).format, 'pharos-person');
    const { erasureId } = await own.users.deleteMe();
    assert.equal((await own.users.erasure(erasureId)).kind, 'user');
    assert.equal(own.token, undefined);
    assert.equal((await refused(own.users.signIn({ email: other.email, password: other.password }))).code, 101);
  });

  test('throws what the service says, with every broken rule', async () => {
    const error = await refused(client.beacons.create({ ...hall, name: '', major: 70_000 }));
    assert.deepEqual([error.name, error.code, error.status], ['ValidationError', 142, 400]);
    assert.deepEqual(error.details.map(({ field }) => field).sort(), ['major', 'name']);
    assert.notEqual(error.requestId, '');
    assert.notEqual(error.message, '');
  });

  test('throws its one error also when nothing answers, or something other than the service', async () => {
    const nobody = await refused(connect({ baseUrl: 'http://127.0.0.1:1', retry: false }).beacons.list());
    assert.deepEqual([nobody.name, nobody.status, nobody.code], ['Unreachable', 0, 0]);
    const fetch = async () => new Response('<h1>Bad gateway</h1>', { status: 502 });
    const other = await refused(connect({ fetch, retry: false }).beacons.list());
    assert.deepEqual([other.name, other.status], ['Unreadable', 502]);
  });

  test('throws its errors in other words where they are wanted', async () => {
    const reword = ({ name, code, status }: PharosError) => new PharosError('Nicht da.', { name, code, status });
    const gone = await refused(connect({ reword }).beacons.get('0123456789abcdefghij'));
    assert.deepEqual([gone.message, gone.name, gone.status], ['Nicht da.', 'InvalidSessionToken', 403]);
    const nobody = await refused(connect({ baseUrl: 'http://127.0.0.1:1', retry: false, reword }).beacons.list());
    assert.deepEqual([nobody.message, nobody.name], ['Nicht da.', 'Unreachable']);
  });

  test('treats an id as one segment of the path, whatever is in it', async () => {
    assert.equal((await refused(client.beacons.get('../users/me'))).name, 'ObjectNotFound');
  });
});
