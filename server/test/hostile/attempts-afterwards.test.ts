import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../support/build-app.ts';
import { create } from '../support/cases.ts';
import { type Browser, openConsole } from '../support/console.ts';
import { openScene, refused, type Scene } from '../support/hostile/attempts.ts';
import type { Site } from '../support/site.ts';

/** What somebody has kept from before: tokens, tags and addresses of what is gone, and addresses that are written otherwise. */

const users = '/api/v2/users';
const password = 'secret 1';
let people = 0;

for (const database of databases) {
  describe(`attempts afterwards, on ${database}`, () => {
    let scene: Scene;
    let site: Site;
    let owner: Browser;
    beforeAll(async () => {
      scene = await openScene(database);
      ({ site } = scene);
      owner = await openConsole(site.app, 'owner');
    });
    afterAll(() => site.close());

    const send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, body?: object, headers = {}) =>
      site.app.send({ method, url, headers, ...(body ? { body } : {}) });
    async function signedIn() {
      const email = `afterwards${++people}@example.org`;
      const userId = await create(site.app, users, { email, password, firstname: 'Vera', lastname: 'Visitor' });
      const { body } = await send('POST', `${users}/signin`, { email, password, refresh: true });
      const headers = { authorization: `Bearer ${body.accessToken}` };
      return { email, userId, headers, refreshToken: body.refreshToken as string };
    }
    /** Neither of the two tokens of a session is good for anything. */
    async function assertOver({ headers, refreshToken }: Awaited<ReturnType<typeof signedIn>>, why: string) {
      const answers = [
        await send('GET', `${users}/me`, undefined, headers),
        await send('POST', `${users}/token`, { refreshToken }),
        await send('GET', '/api/v2/stream', undefined, headers),
        await send('GET', `${users}/me/export`, undefined, headers),
      ];
      assert.deepEqual(
        answers.map(({ status }) => status),
        [403, 403, 403, 403],
        why,
      );
    }

    test('no token of a session is good once the account is erased or has another password', async () => {
      const erased = await signedIn();
      assert.equal((await send('DELETE', `${users}/me`, undefined, erased.headers)).status, 200);
      await assertOver(erased, 'erased');
      await site.app.app.idle();
      await assertOver(erased, 'erased, and all of it');
      const changed = await signedIn();
      const body = { password: 'another 2', currentPassword: password };
      assert.equal((await send('PUT', `${users}/me`, body, changed.headers)).status, 200);
      await assertOver(changed, 'another password');
      const byConsole = await signedIn();
      const url = `/apps/${site.app.appId}/users/${byConsole.userId}`;
      assert.equal((await owner.send({ method: 'DELETE', url })).status, 200);
      await assertOver(byConsole, 'erased by an administrator');
    });

    test('a file that is deleted is not there for its tag, its time or a part of it either', async () => {
      const headers = { 'content-type': 'text/plain' };
      const request = { method: 'POST', url: '/api/v2/files/kept.txt', body: 'what was in it' } as const;
      const made = await site.ask({ ...request, headers });
      const path = new URL(made.body.url).pathname;
      const read = (more: Readonly<Record<string, string | undefined>>, method: 'GET' | 'HEAD' = 'GET') =>
        site.app.send({ method, url: path, headers: more });
      const first = await read({});
      const [etag, modified] = [String(first.headers['etag']), String(first.headers['last-modified'])];
      assert.equal((await read({ 'if-none-match': etag })).status, 304, 'while it is there');
      const at = `/apps/${site.app.appId}/v2/files/${made.body.objectId}`;
      assert.equal((await owner.send({ method: 'DELETE', url: at })).status, 200);
      for (const more of [
        { 'if-none-match': etag },
        { 'if-none-match': '*' },
        { 'if-modified-since': modified },
        { range: 'bytes=0-3' },
        { range: 'bytes=900-' },
        { range: 'bytes=0-3', 'if-range': etag },
      ])
        for (const method of ['GET', 'HEAD'] as const) {
          const answer = await read(more, method);
          refused(answer, 404);
          assert.equal(answer.headers['etag'], undefined, JSON.stringify(more));
        }
    });

    test('nobody is invited twice by writing the address otherwise', async () => {
      const invite = (email: string) =>
        owner.send({ method: 'POST', url: '/invitations', body: { email, role: 'analyst' } });
      for (const email of [owner.email.toUpperCase(), ` ${owner.email} `]) refused(await invite(email), 400, 409);
      assert.equal((await invite('Ada@Museum.example')).status, 201);
      refused(await invite('aDA@museum.EXAMPLE'), 409);
      const body = { email: owner.email.toUpperCase(), name: 'Twice', role: 'manager', password: 'a long secret' };
      refused(await owner.send({ method: 'POST', url: '/administrators', body }), 409);
    });
  });
}
