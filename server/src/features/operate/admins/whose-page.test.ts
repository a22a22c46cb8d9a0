import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, type SentRequest, type TestApp } from '../../../../test/support/build-app.ts';
import { type Browser, openConsole, sendFromConsole } from '../../../../test/support/console.ts';
import { openStream } from '../../../../test/support/event-stream.ts';
import { listen } from '../../../../test/support/socket.ts';

describe('a page that says whose it is', () => {
  let app: TestApp;
  let ana: Browser;
  let ben: Browser;
  beforeAll(async () => {
    app = await buildApp();
    ana = await openConsole(app, 'owner');
    ben = await openConsole(app, 'owner');
  });
  afterAll(() => app.close());

  const of = (browser: Browser) => ({ 'pharos-administrator': browser.adminId });
  /** From a page of Ana's, in a browser in which Ben has signed in since. */
  const anaAsBen = (request: SentRequest) => ben.send({ ...request, headers: { ...request.headers, ...of(ana) } });
  const beacon = { name: 'Gate', uuid: 'AA', major: 1, minor: 1 };
  const data = () => `/apps/${app.appId}/v2`;

  test('neither changes nor shows anything in the name of an administrator who has signed in since', async () => {
    const before = (await app.app.admins.list()).length;
    const requests: readonly SentRequest[] = [
      { method: 'GET', url: '/session' },
      { method: 'GET', url: '/apps' },
      { method: 'DELETE', url: '/session' },
      { method: 'POST', url: '/session/confirm', body: { password: 'a long enough secret' } },
      { method: 'POST', url: '/administrators', body: { name: 'Eve', email: 'eve@museum.example', role: 'owner' } },
      { method: 'GET', url: `${data()}/beacons` },
      { method: 'POST', url: `${data()}/beacons`, body: beacon },
      { method: 'GET', url: `${data()}/stream` },
    ];
    for (const request of requests) {
      const { status, body } = await anaAsBen(request);
      assert.deepEqual(
        [request.url, status, body.code, body.error.name],
        [request.url, 409, 140, 'SignedInAsAnother'],
        JSON.stringify(body),
      );
    }
    assert.equal((await app.app.admins.list()).length, before);
    assert.deepEqual((await ben.send({ method: 'GET', url: `${data()}/beacons` })).body.results, []);
    assert.equal((await ben.send({ method: 'GET', url: '/session' })).status, 200, 'Ben is not signed out');
  });

  test('is answered in the name of its own administrator, in whichever session', async () => {
    const again = await sendFromConsole(app, {
      method: 'POST',
      url: '/session',
      body: { email: ana.email, password: 'a long enough secret' },
      headers: of(ben),
    });
    assert.equal(again.status, 201, 'signing in needs no session, whoever the page belonged to');
    const made = await ana.send({ method: 'POST', url: `${data()}/beacons`, body: beacon, headers: of(ana) });
    assert.equal(made.status, 201);
  });

  test('a request that says nothing is the session’s: a program’s, or that of a page from before the update', async () => {
    assert.equal((await ben.send({ method: 'GET', url: '/apps' })).status, 200);
  });

  test('without a session it is 403 as ever, and a name that is nobody’s is another', async () => {
    const nobody = await sendFromConsole(app, { method: 'GET', url: '/session', headers: of(ana) });
    assert.deepEqual([nobody.status, nobody.body.error.name], [403, 'InvalidSessionToken']);
    for (const said of ['', 'x'.repeat(200)]) {
      const answer = await ben.send({ method: 'GET', url: '/session', headers: { 'pharos-administrator': said } });
      assert.deepEqual([answer.status, answer.body.error.name], [409, 'SignedInAsAnother'], said);
    }
  });

  test('an address that the browser opens by itself says it as a parameter', async () => {
    const port = await listen(app);
    const url = (browser: Browser) => `/console/api${data()}/stream?administrator=${browser.adminId}`;
    const refused = await ben.send({ method: 'GET', url: `${data()}/stream?administrator=${ana.adminId}` });
    assert.deepEqual([refused.status, refused.body.error.name], [409, 'SignedInAsAnother']);
    const twice = `/apps?administrator=${ben.adminId}&administrator=${ana.adminId}`;
    assert.equal((await ben.send({ method: 'GET', url: twice })).status, 409);
    const stream = await openStream(port, url(ben), { cookie: ben.cookie });
    await stream.ready;
    stream.close();
  });
});
