import assert from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { databases } from '../support/build-app.ts';
import { assertRefusals } from '../support/cases.ts';
import { openConsole } from '../support/console.ts';
import { openSite, pointer, type Site } from '../support/site.ts';

const german = { alertTitle: 'Willkommen', alertMessage: 'Die Führung beginnt hier.' };
const notifications = '/api/v2/notifications';
const pushes = '/api/v2/push/notification';

for (const database of databases) {
  describe(`messages in several languages on ${database}`, () => {
    let site: Site;
    beforeAll(async () => {
      site = await openSite(database);
      await site.makeReachable();
    });
    afterAll(() => site.close());
    beforeEach(async () => {
      await site.app.app.idle();
      site.provider.calls.length = 0;
    });

    const speak = (localeIdentifier: string | null) =>
      site.ask({ method: 'PUT', url: `/api/v2/installations/${site.phone}`, body: { localeIdentifier } });
    const shown = () => site.provider.calls.map(({ message: { content } }) => [content.title, content.body]);
    /** A visit with its answer, from the phone itself. */
    async function visit() {
      const { messages } = await site.send([site.decided('ENTER')]);
      site.app.clock.now += 1;
      await site.send([site.decided('EXIT')]);
      await site.app.app.idle();
      // A visit that begins within a minute is the same one.
      site.app.clock.now += 3_600_000;
      return messages;
    }
    const deliveryOf = (id: string) => site.get(`deliveries/${id}`);

    test('the phone chooses the language of a notification, in the answer and in the push', async () => {
      const id = await site.notification({
        language: 'en',
        translations: { de: german, 'pt-BR': { alertTitle: 'Bem-vindo' } },
      });
      const expected: readonly (readonly [string | null, string, string, string])[] = [
        ['de_AT', 'de', 'Willkommen', 'Die Führung beginnt hier.'],
        ['en-GB', 'en', 'Welcome', 'The tour starts here.'],
        // What a translation lacks is that of the message.
        ['pt-BR', 'pt-BR', 'Bem-vindo', 'The tour starts here.'],
        ['fr-FR', 'en', 'Welcome', 'The tour starts here.'],
        ['POSIX', 'en', 'Welcome', 'The tour starts here.'],
        [null, 'en', 'Welcome', 'The tour starts here.'],
      ];
      for (const [locale, language, title, text] of expected) {
        site.provider.calls.length = 0;
        await speak(locale);
        const [message] = await visit();
        assert.deepEqual(
          [message.language, message.notification.message.alertTitle, message.notification.message.alertMessage],
          [language, title, text],
          String(locale),
        );
        assert.equal(message.notification.translations, undefined);
        assert.deepEqual(shown(), [[title, text]]);
        assert.equal((await deliveryOf(message.deliveryId)).language, language);
      }
      await site.ask({ method: 'DELETE', url: `${notifications}/${id}` });
    });

    test('a scenario has words and addresses of its own in each language', async () => {
      await site.scenario({
        alertTitle: 'Tour',
        urlPage: 'https://museum.example.org/en',
        translations: { de: { alertTitle: 'Rundgang', urlPage: 'https://museum.example.org/de' } },
      });
      await speak('de');
      const [message] = await visit();
      const { alertTitle, urlPage } = message.scenario;
      assert.deepEqual([alertTitle, urlPage, message.language], ['Rundgang', 'https://museum.example.org/de', 'de']);
      const { content } = site.provider.calls[0]?.message ?? {};
      assert.deepEqual([content?.title, content?.link], ['Rundgang', 'https://museum.example.org/de']);
      await speak('fr');
      const [other] = await visit();
      // It does not say in which language it is written.
      assert.deepEqual([other.scenario.alertTitle, other.language], ['Tour', undefined]);
    });

    test('a push goes to each phone in its language, and says which', async () => {
      await speak('de-CH');
      for (const [installationId, localeIdentifier] of [
        ['a', 'es'],
        ['b', 'en-US'],
      ] as const)
        await site.installation({ installationId, localeIdentifier, deviceToken: `token ${installationId}` });
      const body = {
        data: { title: 'Tonight', alert: 'Open until 22:00', hall: 2 },
        language: 'en',
        translations: { de: { title: 'Heute', alert: 'Offen bis 22 Uhr' }, es: { title: 'Hoy', hall: 3 } },
      };
      const answer = await site.ask({ method: 'POST', url: pushes, body });
      assert.equal(answer.status, 200);
      await site.app.app.idle();
      assert.deepEqual(shown().sort(), [
        ['Heute', 'Offen bis 22 Uhr'],
        ['Hoy', 'Open until 22:00'],
        ['Tonight', 'Open until 22:00'],
      ]);
      assert.equal(
        site.provider.calls.find(({ message }) => message.content.title === 'Hoy')?.message.content.data['hall'],
        3,
      );
      const [push] = await site.list('push/notifications');
      assert.deepEqual([push.language, push.translations], ['en', body.translations]);
      const sent = await site.list('deliveries', { where: JSON.stringify({ pushId: push.objectId }) });
      assert.deepEqual(sent.map(({ language }: { language: string }) => language).sort(), ['de', 'en', 'es']);
    });

    test('a rehearsal shows the words in the language that is asked for', async () => {
      const id = await site.notification({ translations: { de: german } });
      const ask = async (more: object) => {
        const body = { installationId: 'somebody', sightings: [{ beacon: site.hall, event: 'ENTER' }], ...more };
        const { messages } = (await site.ask({ method: 'POST', url: '/api/v2/simulations', body })).body.result;
        return messages.find(({ triggerId }: { triggerId: string }) => triggerId === id).notification.message
          .alertTitle;
      };
      assert.equal(await ask({}), 'Welcome');
      assert.equal(await ask({ localeIdentifier: 'de-LI' }), 'Willkommen');
      await speak('de');
      assert.equal(await ask({ installationId: 'phone-1' }), 'Willkommen');
      await site.ask({ method: 'DELETE', url: `${notifications}/${id}` });
    });

    test('says what is wrong with a translation, and takes one away with a merge patch', async () => {
      const id = await site.notification({ language: 'en', translations: { de: german, es: { alertTitle: 'Hola' } } });
      const refused = (body: object, field: string) => ({
        rule: JSON.stringify(body).slice(0, 60),
        request: { method: 'PATCH', url: `${notifications}/${id}`, body } as const,
        status: 400,
        code: 142,
        fields: [field],
      });
      const many = Object.fromEntries(
        Array.from({ length: 31 }, (_, n) => [`a${String.fromCharCode(97 + (n % 26))}${n < 26 ? '' : 'a'}`, german]),
      );
      await assertRefusals(site.app, site.user.headers, [
        refused({ language: 'English' }, 'language'),
        refused({ language: 'de_AT' }, 'language'),
        refused({ translations: { DE: german } }, 'translations.DE'),
        refused({ translations: { german } }, 'translations.german'),
        refused({ translations: { fr: { alertTitle: ' ', alertMessage: '' } } }, 'translations.fr'),
        refused({ translations: { fr: {} } }, 'translations.fr'),
        refused({ translations: { fr: { url: 'javascript:alert(1)' } } }, 'translations.fr.url'),
        refused({ translations: { fr: { alertTitle: 'x'.repeat(70_000) } } }, 'translations'),
        refused({ translations: { fr: 'Bonjour' } }, 'translations.fr'),
        refused({ language: 'en', translations: { en: german } }, 'translations.en'),
      ]);
      const tooMany = await site.ask({ method: 'PATCH', url: `${notifications}/${id}`, body: { translations: many } });
      assert.match(tooMany.body.error.error, /at most 30/);
      await site.ask({ method: 'PATCH', url: `${notifications}/${id}`, body: { translations: { es: null } } });
      assert.deepEqual((await site.get(`notifications/${id}`)).translations, { de: german });
      const long = { data: { title: 'a' }, translations: { de: { alert: 'x'.repeat(4096) } } };
      const large = await site.ask({ method: 'POST', url: pushes, body: long });
      assert.deepEqual(
        [large.status, large.body.details?.[0]?.field ?? large.body.error.details?.[0]?.field],
        [413, 'translations.de'],
      );
      await site.ask({ method: 'DELETE', url: `${notifications}/${id}` });
    });

    test('the history and the trash keep the translations', async () => {
      const editor = await openConsole(site.app, 'editor');
      const data = (path: string) => `/apps/${site.app.appId}${path}`;
      const made = await editor.send({
        method: 'POST',
        url: data('/v2/notifications'),
        body: {
          description: 'Kept',
          beaconId: pointer('Beacon', site.hall),
          event: 'EXIT',
          type: 'TEXT',
          message: { alertTitle: 'Bye', alertMessage: '' },
          isEnabled: false,
          language: 'en',
          translations: { de: { alertTitle: 'Auf Wiedersehen' } },
        },
      });
      const { objectId } = made.body.result;
      const url = data(`/v2/notifications/${objectId}`);
      await editor.send({ method: 'PUT', url, body: { translations: null } });
      const { body } = await editor.send({ method: 'GET', url: data(`/history/notifications/${objectId}`) });
      const [{ objectId: versionId }] = body.results;
      await editor.send({ method: 'POST', url: data(`/history/notifications/${objectId}/${versionId}/restore`) });
      const read = async () => (await editor.send({ method: 'GET', url })).body.result.translations;
      assert.deepEqual(await read(), { de: { alertTitle: 'Auf Wiedersehen' } });
    });

    test('the languages of the phones are counted, whatever they call them', async () => {
      for (const [n, localeIdentifier] of ['zh_TW_#Hant', 'zh-HK', 'in_ID', 'de-AT', 'C'].entries())
        await site.installation({ installationId: `speaker ${n}`, localeIdentifier });
      const editor = await openConsole(site.app, 'editor');
      const { body } = await editor.send({ method: 'GET', url: `/apps/${site.app.appId}/languages` });
      const { languages, unknown } = body.result;
      const counts = Object.fromEntries(
        languages.map(({ language, count }: { language: string; count: number }) => [language, count]),
      );
      assert.deepEqual([counts['zh-Hant'], counts['id'], counts['de'], unknown], [2, 1, 2, 1]);
    });
  });
}
