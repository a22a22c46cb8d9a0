import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { describe, test } from 'vitest';
import { languageOf, languages } from '../../src/lib/words/language.ts';
import { listed, rich, speak, t, textParts } from '../../src/lib/words/words.ts';
import { exceptions } from './exceptions.ts';
import { readTexts, textsOf } from './source-texts.ts';

const folder = new URL('../../src/lib/words/catalogues/', import.meta.url);
const catalogue = (tag: string) =>
  JSON.parse(readFileSync(new URL(`${tag}.json`, folder), 'utf8')) as Readonly<Record<string, string>>;
const translated = languages.map(({ tag }) => tag).filter((tag) => tag !== 'en');
const texts = readTexts();
const messages = new Map(texts.messages.map((message) => [message.text, message]));

/** What a message is given: its arguments, and the elements in it. */
function shapeOf(message: string, isRich: boolean) {
  const [args, tags] = [new Set<string>(), new Set<string>()];
  const walk = (elements: readonly MessageFormatElement[]) => {
    for (const element of elements) {
      if (element.type === TYPE.literal || element.type === TYPE.pound) continue;
      (element.type === TYPE.tag ? tags : args).add(element.value);
      if (element.type === TYPE.tag) walk(element.children);
      if ('options' in element) for (const option of Object.values(element.options)) walk(option.value);
    }
  };
  walk(parse(message, { ignoreTag: !isRich }));
  return { args: [...args].sort(), tags: [...tags].sort() };
}

describe('the texts of the console', () => {
  test('no text is shown that is not in the catalogues', () => {
    const allowed = new Set(exceptions.flatMap(([, ...these]) => these));
    assert.deepEqual(
      texts.strays.filter(({ text }) => !allowed.has(text)),
      [],
      'Write it as t(…), or name it in exceptions.ts with the reason.',
    );
    const found = new Set(texts.strays.map(({ text }) => text));
    assert.deepEqual(
      [...allowed].filter((text) => !found.has(text)),
      [],
      'These exceptions are no longer needed.',
    );
  });

  test('every text is written out where it is used, with the values that it names', () => {
    assert.deepEqual(texts.computed, []);
    const wrong = texts.messages.flatMap(({ place, text, values, isRich }) => {
      if (!values && !isRich) return /\{\w+[,}]/.test(text) ? [{ place, text, wants: ['values'], values: [] }] : [];
      const { args, tags } = shapeOf(text, isRich);
      // `rich` itself knows what is bold.
      const wants = [...new Set([...args, ...tags.filter((tag) => tag !== 'b')])].sort();
      return wants.join() === (values ?? []).toSorted().join() ? [] : [{ place, text, wants, values }];
    });
    assert.deepEqual(wrong, []);
  });

  test('what stands outside is noticed', () => {
    const found = textsOf(
      'a.tsx',
      `export const A = () => <p title="Shown" className="b c">{x ? 'yes' : t('no')} {\`\${n} rows\`}</p>;`,
    );
    assert.deepEqual(
      found.strays.map(({ text }) => text),
      ['Shown', 'yes', 'rows'],
    );
  });
});

describe('the catalogues', () => {
  test('there is one for each language that is offered', () => {
    const files = readdirSync(fileURLToPath(folder)).flatMap((name) => /^(\w+)\.json$/.exec(name)?.[1] ?? []);
    assert.deepEqual(files.sort(), translated.toSorted());
  });

  for (const tag of translated)
    test(`${tag} has every text of the source and no other, with the same values and elements`, () => {
      const words = catalogue(tag);
      assert.deepEqual(
        [...messages.keys()].filter((text) => !words[text]?.trim()),
        [],
        'missing',
      );
      assert.deepEqual(
        Object.keys(words).filter((text) => !messages.has(text)),
        [],
        'left over',
      );
      const different = [...messages.values()].filter(({ text, values, isRich }) => {
        if (!values) return false;
        return JSON.stringify(shapeOf(text, isRich)) !== JSON.stringify(shapeOf(words[text] ?? '', isRich));
      });
      assert.deepEqual(
        different.map(({ text }) => ({ text, said: words[text] })),
        [],
      );
    });

  test('a text that begins or ends with a space does so in every language', () => {
    const edges = (text: string) => [/^\s/.test(text), /\s$/.test(text)].join();
    for (const tag of translated)
      assert.deepEqual(
        Object.entries(catalogue(tag)).filter(([text, said]) => edges(text) !== edges(said)),
        [],
        tag,
      );
  });
});

describe('a text in the language of the page', () => {
  test('is looked up, with plurals and numbers of the language, and elements around words', () => {
    speak('de', {
      '{n, plural, one {# row} other {# rows}}': '{n, plural, one {# Zeile} other {# Zeilen}}',
      'a <b>b</b>': 'ein <b>be</b>',
    });
    try {
      assert.equal(t('{n, plural, one {# row} other {# rows}}', { n: 1 }), '1 Zeile');
      assert.equal(t('{n, plural, one {# row} other {# rows}}', { n: 1200 }), '1.200 Zeilen');
      assert.deepEqual(textParts('a <b>b</b>', { b: (inner) => ({ inner }) }), ['ein ', { inner: 'be' }]);
      assert.equal(listed(['A', 'B', 'C'], 'or'), 'A, B oder C');
      assert.equal(t('not translated'), 'not translated');
    } finally {
      speak('en', {});
    }
    assert.equal(t('{isOn, select, true {on} other {off}}{rest}', { isOn: false, rest: undefined }), 'off');
    assert.ok(rich('a {b}', { b: 'c' }));
  });

  test('is the first language of the browser that the console has', () => {
    assert.equal(languageOf(['de-AT', 'en']), 'de');
    assert.equal(languageOf(['ja', 'fr-CA', 'de']), 'fr');
    assert.equal(languageOf(['ja']), 'en');
  });
});
