import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { buildApp, type TestApp } from '../../test/support/build-app.ts';
import { type PageText, pageLanguageOf, pageTexts, say } from './page-words.ts';

const languages = ['de', 'fr', 'es', 'id'] as const;
const holesOf = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([hole]) => hole).sort();

test('each translation has the values of its text, and its typography', () => {
  for (const [text, translations] of Object.entries(pageTexts))
    for (const language of languages) {
      const said = translations[language];
      assert.deepEqual(holesOf(said), holesOf(text), `${language}: ${text}`);
      assert.doesNotMatch(said, /'/, `${language}: ${said}`);
      assert.equal(/[.?]$/.test(said), /[.?]$/.test(text), `${language}: ${said}`);
    }
});

test('a value is put in as it is, also if it looks like a place for one', () => {
  assert.equal(say('de', 'For your account at {app}.', { app: '{app} & $1' }), 'Für Ihr Konto bei {app} & $1.');
});

test('the language is the one that the browser prefers of those that there are', () => {
  const cases: readonly (readonly [header: string | undefined, language: string])[] = [
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['DE-ch', 'de'],
    ['en;q=0.3, fr;q=0.7', 'fr'],
    ['it, es-MX;q=0.5', 'es'],
    ['in-ID', 'id'],
    ['de;q=0, en', 'en'],
    ['de;q=0', 'en'],
    ['*', 'en'],
    ['constructor, __proto__', 'en'],
    ['de;q=x', 'en'],
    [`${'it,'.repeat(500)}de`, 'en'],
  ];
  for (const [header, language] of cases)
    assert.equal(pageLanguageOf(header === undefined ? {} : { 'accept-language': header }), language, header);
});

describe('the pages behind links in mails', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await buildApp();
  });
  afterAll(() => app.close());

  const pages: readonly (readonly [path: string, title: PageText])[] = [
    ['/password-reset?app=a&token=b', 'New password'],
    ['/verify-email?app=a&token=b', 'Your e-mail address'],
    ['/report-address?token=b', 'Reports by mail'],
    ['/report-stop?token=b', 'Reports by mail'],
  ];
  const open = (url: string, language: string) =>
    app.app.server.inject({ method: 'GET', url, headers: { 'accept-language': language } });

  test('say that a link is over in the language of their reader', async () => {
    const over = 'This link is not valid, has expired or has been used.';
    for (const [path, title] of pages)
      for (const language of ['en', ...languages] as const) {
        const { statusCode, payload, headers } = await open(path, language);
        assert.equal(statusCode, 404);
        assert.equal(headers['vary'], 'accept-language');
        assert.ok(payload.includes(`<html lang="${language}">`), payload);
        assert.ok(payload.includes(`<h1>${say(language, title)}</h1>`), `${path} ${language}`);
        // In the app one asks for another, so the sentence goes on there.
        assert.ok(payload.includes(say(language, over)), `${path} ${language}`);
      }
  });
});
