import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { bothDatabases, buildApp, type TestApp } from '../support/build-app.ts';
import { type Browser, openConsole } from '../support/console.ts';

const settings = { PHAROS_PRIVATE_TARGETS: '127.0.0.1', PHAROS_SMTP_URL: 'smtp://127.0.0.1:9' };
const most = 20;

/** An app has at most twenty of each, also when many are added at once. */
for (const database of bothDatabases) {
  describe(`what an app has few of on ${database}`, () => {
    let app: TestApp;
    let owner: Browser;
    beforeAll(async () => {
      app = await buildApp({ database, settings });
      owner = await openConsole(app, 'owner');
    });
    afterAll(() => app.close());

    const bodies: Readonly<Record<string, (n: number) => object>> = {
      webhooks: (n) => ({ url: `http://127.0.0.1:9/${n}`, events: ['presence.enter'] }),
      'identity-providers': (n) => ({
        name: `provider-${n}`,
        kind: 'oidc',
        issuer: `http://127.0.0.1:9/${n}`,
        audiences: ['app'],
      }),
      reports: () => ({ every: 'week', venueId: null, isOn: true, administrators: [owner.adminId], addresses: [] }),
    };
    for (const [kind, bodyOf] of Object.entries(bodies))
      test(`${kind} are not more when several are added at the same moment`, async () => {
        const url = `/apps/${app.appId}/${kind}`;
        const add = (n: number) => owner.send({ method: 'POST', url, body: bodyOf(n) });
        for (let n = 1; n < most; n++) {
          const { status, body } = await add(n);
          assert.equal(status, 201, JSON.stringify(body));
        }
        const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => add(most + n)));
        assert.equal(answers.filter(({ status }) => status === 201).length, 1);
        assert.equal((await owner.send({ method: 'GET', url })).body.results.length, most);
      });
  });
}
