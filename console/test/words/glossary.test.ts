import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'vitest';
import { readTexts } from './source-texts.ts';

/** Texts in which the word means something else. */
const exceptions: readonly (readonly [language: string, word: string, english: string, reason: string])[] = [
  ['id', 'telepon', 'must be a phone number: at least 3 digits, and spaces + ( ) - . /', 'the number, not the phone'],
  ['id', 'telepon', 'phone must be a phone number as a string.', 'the number, not the phone'],
];

/** Where developers, operators and installers work: there such words are the right ones. */
const workshops: readonly (readonly [place: RegExp, reason: string])[] = [
  [/^features\/(api|webhooks|rules|sign-in|system)\//, 'developers and operators set it up'],
  [/^features\/buckets\//, 'records are what an app stores, and are imported as files'],
  [/^features\/(beacons\/import|venues\/(geojson|imdf))\//, 'what is wrong in a file'],
  [
    /^features\/beacons\/page\/(beacon-details|calibration|signal)|^features\/people\/phones\/hearing/,
    'technical details',
  ],
  [/^features\/(beacons\/beacon-form|beacons\/beacon-fields|venues\/round\/nearest)/, 'installers measure'],
  [
    /^components\/(list\/filter-panel|bulk\/bulk-fields)|^features\/push\/(audience|push-fields|push-message)/,
    'for developers, behind a button',
  ],
  [/^components\/message\/own-phones/, 'what phones call it'],
];

const folder = fileURLToPath(new URL('../../src/lib/words/catalogues/', import.meta.url));
const handbook = fileURLToPath(new URL('../../../docs/handbook/de/', import.meta.url));
const read = (name: string) => readFileSync(folder + name, 'utf8');

interface Unused {
  readonly language: string;
  readonly word: string;
  readonly pattern: RegExp;
}

function unusedWords(): readonly Unused[] {
  const [, table = ''] = read('GLOSSARY.md').split('## Words that are not used');
  return [...table.matchAll(/^\| (\w\w) \| ([^|]+) \|/gm)].flatMap(([, language = '', words = '']) =>
    words.split(',').map((text) => {
      const word = text.trim().replace(/…$/, '');
      const end = text.trim().endsWith('…') ? '' : '(?![\\p{L}-])';
      return { language, word, pattern: new RegExp(`(?<![\\p{L}-])${word}${end}`, 'iu') };
    }),
  );
}

/** The words of a text, without what stands for values, elements, names of members and choices. */
function wordsOf(text: string, english: string): string {
  const [member = ''] = /^[\w.]+(?=:)/.exec(english) ?? [];
  return text
    .slice(text.startsWith(member) ? member.length : 0)
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\{\w+, (?:select|plural|number)/g, ' ')
    .replaceAll(/\b\w+ (?=\{)/g, ' ')
    .replaceAll(/[\w.$"/+@]*[:_.@/][\w{][\w:,]*/g, ' ')
    .replaceAll(/\{\w+\}/g, ' ');
}

/** Where a word that the glossary rules out stands, as `language word: English text`. */
function ruledOut(language: string, catalogue: Readonly<Record<string, string>>): string[] {
  const isExcepted = (word: string, english: string) =>
    exceptions.some(([tag, one, text]) => tag === language && one === word && text === english);
  return unusedWords()
    .filter((unused) => unused.language === language)
    .flatMap(({ word, pattern }) =>
      Object.entries(catalogue)
        .filter(([english, text]) => pattern.test(wordsOf(text, english)) && !isExcepted(word, english))
        .map(([english, text]) => `${language} ${word}: ${english} -> ${text}`),
    );
}

describe('the words of the glossary', () => {
  for (const language of ['de', 'fr', 'es', 'id'])
    test(`${language} has one word for one thing`, () => {
      const found = ['', 'service-'].flatMap((kind) =>
        ruledOut(language, JSON.parse(read(`${kind}${language}.json`)) as Record<string, string>),
      );
      assert.deepEqual(found, []);
    });

  test('the German handbook has the words of the German console', () => {
    const pages = globSync('*.md', { cwd: handbook });
    const texts = Object.fromEntries(pages.map((page) => [page, readFileSync(join(handbook, page), 'utf8')]));
    assert.ok(pages.length > 9);
    assert.deepEqual(ruledOut('de', texts), []);
  });

  test('an editor reads no word of the interface', () => {
    const isOfWorkshop = (place: string) => workshops.some(([where]) => where.test(place));
    const texts = readTexts().messages.filter(({ place }) => !isOfWorkshop(place));
    assert.ok(texts.length > 1_500);
    assert.deepEqual(ruledOut('en', Object.fromEntries(texts.map(({ text, place }) => [place, text]))), []);
    assert.deepEqual(
      texts.filter(({ text }) => /PHAROS_/.test(text)),
      [],
    );
    assert.equal(ruledOut('en', { x: 'The objectId of a notification' }).length, 2);
  });

  test('another word is found, also where it only begins so, and not within a word or a name', () => {
    assert.ok(unusedWords().length > 50);
    const found = (text: string) => ruledOut('de', { x: text }).length;
    assert.equal(found('Ein Besuch am <b>Beacon</b>'), 1);
    assert.equal(found('Die Backups werden gemacht.'), 1);
    assert.equal(found('Ein Besucher mit {besuch} und visit.besuch'), 0);
    assert.equal(found('{n, plural, one {# Besuch} other {# Aufenthalte}}'), 1);
  });

  test('every exception is needed', () => {
    const unneeded = exceptions.filter(([language, word, english]) => {
      const texts = { ...JSON.parse(read(`${language}.json`)), ...JSON.parse(read(`service-${language}.json`)) };
      const unused = unusedWords().find((one) => one.language === language && one.word === word);
      return !unused?.pattern.test(wordsOf(String(texts[english] ?? ''), english));
    });
    assert.deepEqual(unneeded, []);
  });
});
