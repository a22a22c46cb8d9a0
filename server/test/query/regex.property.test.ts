import assert from 'node:assert/strict';
import { RE2 } from '@adguard/re2-wasm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { compileRegex, type Regex, RegexProblem } from '../../../packages/query/src/regex/regex.ts';
import { hasCase, rangesOf } from '../../../packages/query/src/regex/regex-ranges.ts';
import { runs } from '../support/depth.ts';
import { type Engine, openPostgres } from '../support/query-engines.ts';

/** Patterns are tried with the original RE2, with what SQLite and the matcher use, and with PostgreSQL. */

// Characters whose properties are the same in every version of Unicode that the engines have.
const characters = [
  ...[
    'a',
    'b',
    'k',
    'K',
    's',
    'Z',
    '0',
    '7',
    '_',
    '-',
    ' ',
    '\t',
    '\n',
    '\r',
    '\f',
    '\v',
    ']',
    '[',
    '^',
    '\\',
    '.',
    '~',
  ],
  ...['\u0001', '\u007f', '\u0080', '\u0085', '\u00a0', '\u00df', '\u1e9e', 'é', 'É', 'ÿ', '\u0178', 'µ', '\u0345'],
  ...['ſ', '\u212a', '\u2126', 'ω', 'Ж', 'ж', 'ǅ', 'ǆ', '\u0301', '\u0660', '½', 'Ⅷ', 'ⅷ', '\u2028', '日', '\ud7ff'],
  ...[
    '\ue000',
    '\ufffd',
    '\uffff',
    '\u{10000}',
    '\u{10400}',
    '\u{10428}',
    '😀',
    '\u{1d7d8}',
    '\u{e0001}',
    '\u{10ffff}',
  ],
];
const texts = ['', ...characters, 'a\nb', 'ab', 'a b', '\n\n', 'kS', 'é😀', 'a\r\n', '😀\n'];

const escaped = (char: string) => {
  const hex = char.codePointAt(0)?.toString(16) ?? '';
  return fc.constantFrom(`\\x{${hex}}`, ...(hex.length <= 2 ? [`\\x${hex.padStart(2, '0')}`] : []));
};
const plain = (char: string) => (/^[\]\\^[.\-*+?(){}|$]$/.test(char) ? `\\${char}` : char);
const character = fc.constantFrom(...characters).chain((char) => fc.oneof(fc.constant(plain(char)), escaped(char)));
const controls = fc.constantFrom('\\n', '\\t', '\\r', '\\f', '\\v', '\\a', '\\07', '\\141', '\\.', '\\-', '\\]');
const perl = fc.constantFrom('\\d', '\\D', '\\w', '\\W', '\\s', '\\S');
const unicode = fc
  .tuple(
    fc.constantFrom('p', 'P'),
    fc.constantFrom(
      'L',
      'N',
      'Z',
      '{L}',
      '{Lu}',
      '{Ll}',
      '{Lt}',
      '{^L}',
      '{^Nd}',
      '{Greek}',
      '{^Latin}',
      '{Any}',
      '{Han}',
    ),
  )
  .map(([letter, name]) => `\\${letter}${name}`);
const posixNames = ['alnum', 'alpha', 'ascii', 'blank', 'cntrl', 'digit', 'graph', 'lower', 'print', 'punct', 'space'];
const posix = fc
  .tuple(fc.constantFrom('', '^'), fc.constantFrom(...posixNames, 'upper', 'word', 'xdigit'))
  .map(([not, name]) => `[:${not}${name}:]`);
const range = fc
  .tuple(fc.constantFrom(...characters), fc.constantFrom(...characters))
  .map((ends) => ends.toSorted((a, b) => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0)))
  .chain(([low = '', high = '']) => fc.tuple(fc.oneof(fc.constant(plain(low)), escaped(low)), escaped(high)))
  .map(([low, high]) => `${low}-${high}`);
const members = fc.oneof(character, controls, perl, unicode, posix, range);
const classes = fc
  .tuple(fc.constantFrom('', '^'), fc.constantFrom('', '', ']', '-'), fc.array(members, { minLength: 1, maxLength: 3 }))
  .map(([not, first, all]) => `[${not}${first}${all.join('')}]`);
const complete = fc.constantFrom(
  '[^\\n]',
  '[\\s\\S]',
  '[\\w\\W]',
  '[\\d\\D]',
  '[^\\s\\S]',
  '\\p{Any}',
  '\\P{Any}',
  '[\\x00-\\x{10FFFF}]',
);
const atoms = fc.oneof(
  { weight: 4, arbitrary: classes },
  { weight: 2, arbitrary: complete },
  { weight: 2, arbitrary: fc.oneof(character, controls, perl, unicode) },
  { weight: 2, arbitrary: fc.constantFrom('.', '^', '$', '\\A', '\\z', '\\b', '\\B', '', '\\Q[\\E', '\\Qa.\\E') },
);
const patterns = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 3 },
    atoms,
    fc.array(tie('pattern'), { maxLength: 3 }).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})`),
    fc
      .tuple(fc.constantFrom('(', '(?i:', '(?s:', '(?m:', '(?-i:', '(?ims:', '(?i-s:', '(?P<n>'), tie('pattern'))
      .map(([open, part]) => `${open}${part})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '{1,}', '*?'))
      .map(([part, count]) => `(?:${part})${count}`),
  ),
})).pattern;
const flags = fc.constantFrom('', '', '(?i)', '(?s)', '(?m)', '(?is)', '(?im)', '(?ims)');

/** Patterns that are usually broken. */
const pieces = [
  '[',
  ']',
  '[^',
  '(',
  ')',
  '(?i)',
  '(?',
  '\\',
  '\\p',
  '\\pL',
  '{',
  '}',
  '{2}',
  '{2,1}',
  '*',
  '+',
  '|',
  '-',
  '[:',
  ':]',
];
const broken = fc
  .array(
    fc.constantFrom(
      ...pieces,
      'alpha',
      'i',
      'a',
      'z-a',
      '\\x',
      '\\x{',
      '\\1',
      '\\8',
      '\\Q',
      '\\E',
      '\\b',
      '^',
      '$',
      '(?P<n>',
    ),
    {
      maxLength: 8,
    },
  )
  .map((all) => all.join(''));

/** The texts in which RE2 finds the pattern; undefined if it refuses it. */
function askOriginal(pattern: string): readonly boolean[] | undefined {
  let regex: RE2;
  try {
    regex = new RE2(pattern, 'u');
  } catch (error) {
    assert.match(String(error), /SyntaxError/);
    return undefined;
  }
  try {
    return texts.map((text) => regex.test(text));
  } finally {
    // The memory of WebAssembly is small and not collected, and the package offers no other way to give it back.
    (regex as unknown as { wrapper: { delete(): void } }).wrapper.delete();
  }
}

const compile = (pattern: string): Regex | RegexProblem => {
  try {
    return compileRegex(pattern);
  } catch (error) {
    if (error instanceof RegexProblem) return error;
    throw error;
  }
};

describe('a pattern is found where RE2 finds it', () => {
  let postgres: Engine & Awaited<ReturnType<typeof openPostgres>>;
  beforeAll(async () => {
    postgres = await openPostgres();
  });
  afterAll(() => postgres.close());

  async function check(pattern: string): Promise<void> {
    // RE2 reads this as characters; re2js refuses it, and so do both databases.
    if (pattern.includes('[:]')) return;
    const found = askOriginal(pattern);
    const regex = compile(pattern);
    if (regex instanceof RegexProblem) {
      const isSyntax = regex.message.startsWith('is not RE2 syntax');
      assert.ok(!(isSyntax && found), `${pattern} is RE2, but ${regex.message}`);
      return;
    }
    assert.ok(found, `${pattern} is refused by RE2`);
    assert.deepEqual(texts.map(regex.test), found, `in memory: ${pattern}`);
    const text = 'select t collate "C" ~ $1 as found from unnest($2::text[]) with ordinality as u(t, i) order by i';
    const { rows } = await postgres.client.query<{ found: boolean }>(text, [regex.postgres, texts]);
    assert.deepEqual(
      rows.map((row) => row.found),
      found,
      `PostgreSQL: ${pattern} as ${regex.postgres}`,
    );
  }

  it('with classes of every kind, and flags', async () => {
    const property = fc.asyncProperty(flags, patterns, (flag, pattern) => check(flag + pattern));
    await fc.assert(property, runs(1_000));
  });

  it('and is refused where RE2 refuses it', async () => {
    await fc.assert(fc.asyncProperty(broken, check), runs(1_000));
  });
});

it('a letter that is taken to have no case equals no other', () => {
  const without: string[] = [];
  for (let code = 1; code <= 0x10ffff; code++) {
    if ((code < 0xd800 || code > 0xdfff) && !hasCase(code)) without.push(`\\x{${code.toString(16)}}`);
  }
  // A class of several characters is written with all the characters that they equal.
  for (let start = 0; start < without.length; start += 50_000) {
    const atom = `[${without.slice(start, start + 50_000).join('')}]`;
    assert.deepEqual(rangesOf(atom, true), rangesOf(atom, false));
  }
});
