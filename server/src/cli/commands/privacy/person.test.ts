import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import {
  anyDisk,
  buildApp,
  databases,
  signIn,
  signInManager,
  type TestApp,
} from '../../../../test/support/build-app.ts';
import { create } from '../../../../test/support/cases.ts';
import { runCommandLine } from '../../run.ts';

for (const database of databases) {
  describe(`pharos person on ${database}`, () => {
    let app: TestApp;
    beforeAll(async () => {
      app = await buildApp({ database });
    });
    afterAll(() => app.close());

    async function run(...words: string[]) {
      const [out, err]: [string[], string[]] = [[], []];
      const terminal = {
        out: (text: string) => void out.push(text),
        err: (text: string) => void err.push(text),
        readInput: async () => '',
        isInteractive: false,
      };
      const environment = { ...anyDisk, ...app.storage.settings };
      const code = await runCommandLine({ words: ['person', ...words], environment, terminal });
      return { code, out: out.join('\n'), err: err.join('\n') };
    }

    test('exports into a file and erases at once, also while the service runs', async () => {
      const vera = await signIn(app);
      await create(app, '/api/v2/installations', { installationId: 'hers', deviceType: 'ios' }, vera.headers);
      const file = join(app.storage.folder, 'vera.json');
      const who = ['--app', app.appId, '--user', vera.userId];
      const done = await run('export', ...who, '--to', file);
      assert.equal(done.code, 0, done.err);
      const document = JSON.parse(readFileSync(file, 'utf8'));
      assert.deepEqual([document.userId, document.installations.length], [vera.userId, 1]);
      assert.equal((await run('export', ...who, '--to', file)).code, 1, 'it writes over nothing');
      const erased = await run('erase', ...who, '--json');
      assert.equal(erased.code, 0, erased.err);
      const receipt = JSON.parse(erased.out);
      assert.ok(receipt.completedAt);
      assert.deepEqual([receipt.askedBy, receipt.erased.users], ['command line', 1]);
      const me = await app.send({ method: 'GET', url: '/api/v2/users/me', headers: vera.headers });
      assert.equal(me.status, 403);
      const shown = await app.send({ method: 'GET', url: `/api/v2/erasures/${receipt.erasureId}` });
      assert.deepEqual(shown.body.result, receipt);
    });

    test('an installation without an account is named by its id, and nobody twice', async () => {
      const id = await create(app, '/api/v2/installations', { installationId: 'nobodys', deviceType: 'ios' });
      assert.equal((await run('erase', '--app', app.appId)).code, 2);
      const done = await run('erase', '--app', app.appId, '--installation', id);
      assert.equal(done.code, 0, done.err);
      assert.match(done.out, /^Erased 0 rows\. The receipt is \w{20}\.$/);
      const { headers } = await signInManager(app);
      assert.equal((await app.send({ method: 'GET', url: `/api/v2/installations/${id}`, headers })).status, 404);
      assert.equal((await run('erase', '--app', app.appId, '--installation', id)).code, 1);
    });
  });
}
