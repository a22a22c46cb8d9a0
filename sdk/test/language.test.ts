import assert from 'node:assert/strict';
import { languageFor } from '@pharos/engine/decide';
import { test } from 'vitest';
import { inLanguage, languageOf } from '../src/language.ts';

const message = { alertTitle: 'Welcome', alertMessage: 'Start here.' };
const worded = {
  language: 'en',
  translations: { de: { alertTitle: 'Willkommen' }, 'de-CH': { alertTitle: 'Grüezi' }, 'zh-Hant': {}, he: {}, pt: {} },
};

test('chooses the language that the service chooses', () => {
  for (const locale of [
    'de-AT',
    'de_CH',
    'de',
    'en-GB',
    'fr',
    'zh_TW',
    'zh-CN',
    'iw',
    'pt-BR',
    'POSIX',
    '',
    'de_DE@x=y',
  ])
    assert.equal(languageOf(worded, locale), languageFor(worded, locale), locale);
  assert.equal(languageOf({}, 'de'), undefined);
});

test('puts what a translation has over the message', () => {
  assert.deepEqual(inLanguage(message, worded, 'de-AT'), { alertTitle: 'Willkommen', alertMessage: 'Start here.' });
  assert.deepEqual(inLanguage(message, worded, undefined), message);
});
