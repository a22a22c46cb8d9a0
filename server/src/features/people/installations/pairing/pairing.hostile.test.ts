import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { databases } from '../../../../../test/support/build-app.ts';
import { type Browser, openConsole } from '../../../../../test/support/console.ts';
import { openSite, type Site } from '../../../../../test/support/site.ts';
import { commandLine } from '../../../../access/audit.ts';
import { sql } from '../../../../base/sql.ts';

const secretOf = (phone: string) => phone.padEnd(43, 'x').replace(/[^\w-]/g, '-');

for (const database of databases) {
  describe(`phones on which editors test, on ${database}`, () => {
    let site: Site;
    let ada: Browser;
    let ben: Browser;
    let mine: string;
    beforeAll(async () => {
      site = await openSite(database);
      [ada, ben] = [await openConsole(site.app, 'editor'), await openConsole(site.app, 'manager')];
      mine = `/apps/${site.app.appId}/own-phones`;
    });
    afterAll(() => site.close());

    async function register(installationId: string, hasSecret = true): Promise<string> {
      const headers = hasSecret ? { 'installation-secret': secretOf(installationId) } : {};
      const body = { installationId, deviceType: 'android', deviceModel: 'Pixel 8' };
      return (await site.app.send({ method: 'POST', url: '/api/v2/installations', body, headers })).body.result
        .objectId;
    }
    const show = async (who: Browser) => (await who.send({ method: 'POST', url: `${mine}/code` })).body.result;
    const read = async (who: Browser) => (await who.send({ method: 'GET', url: mine })).body.result;
    const phonesOf = async (who: Browser) =>
      (await read(who)).phones.map(({ objectId }: { objectId: string }) => objectId);
    const claim = (objectId: string, code: unknown, headers: Readonly<Record<string, string>> = {}) =>
      site.app.send({ method: 'POST', url: `/api/v2/installations/${objectId}/pairing`, body: { code }, headers });
    const outcome = ({ status, body }: Awaited<ReturnType<typeof claim>>) =>
      status < 300 ? status : [status, body.error.name, body.error.error];

    test('a phone sends the code and its secret, and is then paired with the administrator who showed the code', async () => {
      const phone = await register('phone a');
      const { code, text, expiresAt } = await show(ada);
      assert.deepEqual([text, Date.parse(expiresAt)], [code, site.app.clock.now + 300_000]);
      assert.match(code, /^[2-9A-HJ-NP-Z]{8}$/);
      assert.deepEqual(await read(ada), { phones: [], code: { expiresAt, claimedBy: null } });
      // As somebody types it.
      const typed = `${code.slice(0, 4)}-${code.slice(4)} `.toLowerCase();
      const { status, body } = await claim(phone, typed, { 'installation-secret': secretOf('phone a') });
      assert.deepEqual([status, body.result.pairedWith], [200, 'editor']);
      const { phones, code: used } = await read(ada);
      assert.deepEqual(used, { expiresAt, claimedBy: phone });
      assert.deepEqual(phones, [
        {
          objectId: phone,
          deviceType: 'android',
          deviceModel: 'Pixel 8',
          hasAddress: false,
          pairedAt: body.result.pairedAt,
        },
      ]);
      assert.deepEqual(await phonesOf(ben), [], 'nobody else has it');
      const again = await claim(phone, code, { 'installation-secret': secretOf('phone a') });
      assert.equal(outcome(again), 200, 'the answer was lost');
    });

    test('nobody pairs a phone that is not in the hand', async () => {
      const [theirs, bare] = [await register('their phone'), await register('bare phone', false)];
      const own = { 'installation-secret': secretOf('my phone') };
      await register('my phone');
      const { code } = await show(ada);
      const manager = site.user.headers;
      for (const headers of [{}, own, manager, { ...manager, ...own }]) {
        const [status, name] = outcome(await claim(theirs, code, headers)) as unknown[];
        assert.deepEqual([status, name], [404, 'ObjectNotFound']);
      }
      assert.match(String(outcome(await claim(bare, code, own))), /404,.*Register the phone with a secret/);
      assert.ok(!(await phonesOf(ada)).includes(theirs));
    });

    test('a code is good once, for five minutes, in its app, and until the next one', async () => {
      const [a, b] = [await register('phone b'), await register('phone c')];
      const [asA, asB] = ['phone b', 'phone c'].map((phone) => ({ 'installation-secret': secretOf(phone) }));
      const wrong = [
        404,
        'ObjectNotFound',
        'This code is wrong, or older than five minutes. Show a new one in the console.',
      ];
      assert.deepEqual(outcome(await claim(a, 'nonsense', asA)), wrong);
      assert.deepEqual(outcome(await claim(a, 'museum://pair?token=1', asA)), wrong);
      const first = await show(ben);
      const second = await show(ben);
      assert.deepEqual(outcome(await claim(a, first.code, asA)), wrong);
      const both = await Promise.all([claim(a, second.code, asA), claim(b, second.code, asB)]);
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
      assert.equal((await phonesOf(ben)).length, 1);
      const third = await show(ben);
      site.app.clock.now += 300_001;
      assert.deepEqual(outcome(await claim(a, third.code, asA)), wrong);
      const fourth = await show(ben);
      await ben.send({ method: 'DELETE', url: `${mine}/code` });
      assert.deepEqual(outcome(await claim(a, fourth.code, asA)), wrong);
      assert.equal((await read(ben)).code, null);
      assert.deepEqual((outcome(await claim(a, 7, asA)) as unknown[]).slice(0, 2), [400, 'ValidationError']);
    });

    test('guessing is slowed down, and nothing but the phone that guesses', async () => {
      const headers = { 'installation-secret': secretOf('guesser') };
      const guesser = await register('guesser');
      const answers = [];
      for (let n = 0; n < 12; n += 1) answers.push((await claim(guesser, `guess${n}`, headers)).status);
      assert.deepEqual(answers.slice(-2), [429, 429]);
      const { code } = await show(ada);
      const phone = await register('phone d');
      assert.equal(outcome(await claim(phone, code, { 'installation-secret': secretOf('phone d') })), 200);
    });

    test('what opens the app is in the QR code, if the app says so', async () => {
      await site.app.app.apps.change(site.app.appId, { policy: { pairingUrl: 'museum://pair?from=qr' } }, commandLine);
      const { code, text } = await show(ada);
      assert.equal(text, `museum://pair?from=qr&code=${code}`);
      const phone = await register('phone e');
      assert.equal(outcome(await claim(phone, text, { 'installation-secret': secretOf('phone e') })), 200);
    });

    test('a phone is removed by its administrator, with an audit entry like its pairing, and five is the limit', async () => {
      const [phone = ''] = await phonesOf(ada);
      const remove = (who: Browser) => who.send({ method: 'DELETE', url: `${mine}/phones/${phone}` });
      assert.equal((await remove(ben)).status, 404);
      assert.equal((await remove(ada)).status, 200);
      assert.equal((await remove(ada)).body.error.error, 'You do not test on this phone.');
      const lastChange = async () => {
        const [entry] = (await ben.send({ method: 'GET', url: '/audit?limit=1' })).body.results;
        return [entry.action, entry.actor, entry.subject];
      };
      assert.deepEqual(await lastChange(), ['ownPhone.unpair', ada.email, phone]);
      for (let n = (await phonesOf(ada)).length; n < 5; n += 1) {
        const more = await register(`more ${n}`);
        const { code } = await show(ada);
        assert.equal(outcome(await claim(more, code, { 'installation-secret': secretOf(`more ${n}`) })), 200);
        assert.deepEqual(await lastChange(), ['ownPhone.pair', ada.email, more]);
      }
      const { status, body } = await ada.send({ method: 'POST', url: `${mine}/code` });
      assert.deepEqual([status, body.error.error], [403, 'You test on 5 phones already. Remove one of them first.']);
    });

    test('an installation that is deleted is nobody’s phone', async () => {
      const [phone = ''] = await phonesOf(ada);
      await site.app.send({ method: 'DELETE', url: `/api/v2/installations/${phone}`, headers: site.user.headers });
      await site.app.app.idle();
      assert.ok(!(await phonesOf(ada)).includes(phone));
      const row = await site.app.storage.db.one(
        sql`select 1 as found from own_phones where app_id = ${site.app.appId} and installation_id = ${phone}`,
      );
      assert.equal(row, undefined);
    });
  });
}
