import assert from 'node:assert/strict';
import { languageRanges, languageTag, lookUpLanguage } from '@pharos/engine/decide';
import { test } from 'vitest';

/** As in Hermes, the engine of React Native. */
function withoutLocale(check: () => void): void {
  const { Locale } = Intl;
  Object.assign(Intl, { Locale: undefined });
  try {
    check();
  } finally {
    Object.assign(Intl, { Locale });
  }
}

test('what phones report is read as a language tag', () => {
  const read: readonly (readonly [string, string | undefined])[] = [
    ['de-AT', 'de-AT'],
    ['de_AT', 'de-AT'],
    ['DE-at', 'de-AT'],
    ['de_DE@currency=EUR', 'de-DE'],
    ['en_US.UTF-8', 'en-US'],
    ['en-US-u-ca-buddhist', 'en-US'],
    ['in_ID', 'id-ID'],
    ['iw', 'he'],
    ['zh_TW_#Hant', 'zh-Hant-TW'],
    ['zh_#Hans', 'zh-Hans'],
    ['zh__#Hans', 'zh-Hans'],
    ['zh-Hans_CN', 'zh-Hans-CN'],
    ['fil', 'fil'],
    ['', undefined],
    ['C', undefined],
    ['POSIX', undefined],
    ['english', undefined],
    ['deutsch_AT', undefined],
    ['de--AT', undefined],
    ['x-klingon', undefined],
    ['ü', undefined],
    ['de-'.repeat(30), undefined],
  ];
  const check = () => {
    for (const [reported, tag] of read) assert.equal(languageTag(reported), tag, reported);
  };
  check();
  withoutLocale(check);
});

test('it is looked for from the most exact to the language alone', () => {
  assert.deepEqual(languageRanges('de-AT'), ['de-AT', 'de-Latn-AT', 'de-Latn', 'de']);
  assert.deepEqual(languageRanges('zh_TW'), ['zh-TW', 'zh-Hant-TW', 'zh-Hant', 'zh']);
  assert.deepEqual(languageRanges('nonsense'), []);
});

test('the closest translation is chosen, and none that only looks alike', () => {
  const chosen: readonly (readonly [string, readonly string[], string | undefined])[] = [
    ['de-AT', ['de', 'de-AT', 'en'], 'de-AT'],
    ['de-CH', ['de', 'de-AT', 'en'], 'de'],
    ['de', ['de-AT', 'en'], undefined],
    ['pt-PT', ['pt-BR'], undefined],
    ['zh-TW', ['zh', 'zh-Hant'], 'zh-Hant'],
    ['zh-CN', ['zh-Hant', 'zh-Hans'], 'zh-Hans'],
    ['sr-RS', ['sr-Latn', 'sr'], 'sr'],
    ['den-CA', ['de'], undefined],
    ['fr_FR', ['FR'], 'FR'],
    ['POSIX', ['en'], undefined],
  ];
  const check = () => {
    for (const [locale, tags, tag] of chosen) assert.equal(lookUpLanguage(locale, tags), tag, `${locale} of ${tags}`);
  };
  check();
  assert.equal(lookUpLanguage(null, ['en']), undefined);
  withoutLocale(check);
});
