import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type MessageFormatElement, parse, TYPE } from '@formatjs/icu-messageformat-parser';
import { parseAst } from 'rolldown/parseAst';
import { test } from 'vitest';
import { asMailLanguage, mailLanguages, mailWords } from './mail-words.ts';

const source = fileURLToPath(new URL('../..', import.meta.url));
const translated = mailLanguages.filter((language) => language !== 'en');
const catalogue = (language: string) =>
  JSON.parse(readFileSync(new URL(`catalogues/${language}.json`, import.meta.url), 'utf8')) as Readonly<
    Record<string, string>
  >;

interface Node {
  readonly type: string;
  readonly [member: string]: unknown;
}
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

/** The first argument of every call of a method `t`; undefined: it is not written there. */
function textsIn(node: unknown): readonly (string | undefined)[] {
  if (Array.isArray(node)) return node.flatMap(textsIn);
  if (!isNode(node)) return [];
  const inner = Object.values(node).flatMap(textsIn);
  if (node.type !== 'CallExpression') return inner;
  const { callee } = node as unknown as { callee: { property?: { name?: string } } };
  if (callee.property?.name !== 't') return inner;
  const [text] = node['arguments'] as readonly Node[];
  const isWritten = text?.type === 'Literal' && typeof text['value'] === 'string';
  return [isWritten ? (text['value'] as string) : undefined, ...inner];
}

const users = globSync('features/**/*.ts', { cwd: source }).filter((file) => {
  const code = readFileSync(join(source, file), 'utf8');
  return !file.endsWith('.test.ts') && /MailWords|mailWords|ReportWords/.test(code);
});
const found = users.flatMap((file) =>
  textsIn(parseAst(readFileSync(join(source, file), 'utf8'), { lang: 'ts' })).map((text) => ({ file, text })),
);
/** `ReportWords` passes on what it is given. */
const passing = found.filter(({ text }) => text === undefined).map(({ file }) => file);
const texts = new Set(found.flatMap(({ text }) => text ?? []));

function valuesOf(message: string): readonly string[] {
  const values = new Set<string>();
  const walk = (elements: readonly MessageFormatElement[]) => {
    for (const element of elements) {
      if (element.type === TYPE.literal || element.type === TYPE.pound || element.type === TYPE.tag) continue;
      values.add(element.value);
      if ('options' in element) for (const option of Object.values(element.options)) walk(option.value);
    }
  };
  walk(parse(message, { ignoreTag: true }));
  return [...values].sort();
}

test('every text is written where it is said', () => {
  assert.deepEqual(passing, ['features/insights/reports/content/words.ts']);
  assert.ok(texts.size > 90, `${texts.size} texts`);
});

for (const language of translated)
  test(`${language} has each text of the mails and no other, with the same values`, () => {
    const words = catalogue(language);
    assert.deepEqual(
      [...texts].filter((text) => !words[text]?.trim()),
      [],
      'missing',
    );
    assert.deepEqual(
      Object.keys(words).filter((text) => !texts.has(text)),
      [],
      'left over',
    );
    const keys = Object.keys(words);
    assert.deepEqual(keys, keys.toSorted(), 'in alphabetical order');
    for (const [text, said] of Object.entries(words)) {
      assert.deepEqual(valuesOf(said), valuesOf(text), text);
      assert.doesNotMatch(said, /'/, `a straight apostrophe quotes: ${said}`);
    }
  });

test('a mail is in the language of its reader, with dates, numbers and sentences of the service', () => {
  const german = mailWords('de');
  assert.equal(
    german.translated('1,204 messages failed in the last 24 hours'),
    '1.204 Nachrichten sind in den letzten 24 Stunden fehlgeschlagen',
  );
  assert.equal(german.translated('What only a provider says'), 'What only a provider says');
  assert.equal(german.moment('Europe/Berlin', Date.UTC(2026, 4, 4, 7, 30)), '4. Mai 2026 um 09:30 (Europe/Berlin)');
  const days = 'The link is good for {days, plural, one {# day} other {# days}}. If you do nothing, you get nothing.';
  assert.match(german.t(days, { days: 1 }), /^Der Link gilt 1 Tag\. /);
  assert.match(german.t(days, { days: 7 }), /^Der Link gilt 7 Tage\. /);
});

test('whoever has no language, or one that there is not, reads English', () => {
  for (const none of [null, undefined, '', 'it', '__proto__', '../de']) {
    assert.equal(mailWords(none).language, 'en');
    assert.equal(asMailLanguage(none), undefined);
  }
  const english = mailWords('en');
  assert.equal(english.t('Still: {title}', { title: 'it’s {odd} <b>' }), 'Still: it’s {odd} <b>');
  assert.equal(english.moment('Europe/Berlin', Date.UTC(2026, 4, 4, 7, 30)), '4 May 2026 at 09:30 (Europe/Berlin)');
});

test('names that people have given are not translated, also where they are words of the service', () => {
  const german = mailWords('de');
  for (const [name, english, said] of [
    ['Friday', '“Friday” waits for a second person', '„Friday“ wartet auf eine zweite Person'],
    [
      'floor is missing',
      '“floor is missing” waits for a second person',
      '„floor is missing“ wartet auf eine zweite Person',
    ],
    ['Sunday', 'The report about Sunday was not sent', 'Der Bericht über Sunday wurde nicht gesendet'],
    [
      'files',
      'The report about files was not sent to everybody',
      'Der Bericht über files wurde nicht an alle gesendet',
    ],
  ] as const)
    assert.equal(german.translated(english), said, name);
  assert.equal(
    german.translated('The report about a deleted venue was not sent'),
    'Der Bericht über einen gelöschten Standort wurde nicht gesendet',
  );
  assert.equal(
    german.translated('“A message without text” waits for a second person'),
    '„Eine Nachricht ohne Text“ wartet auf eine zweite Person',
  );
});
