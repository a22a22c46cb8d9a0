import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { compileRegex, RegexProblem } from '../../../packages/query/src/regex/regex.ts';
import { rangesOfCharacter } from '../../../packages/query/src/regex/regex-ranges.ts';
import { type Engine, openPostgres } from '../support/query-engines.ts';

const texts = [
  '',
  'a',
  'ab',
  'aab',
  'B',
  'K',
  '\u212a',
  'ſ',
  'é',
  'É',
  '😀',
  '\n',
  'a\nb',
  'a b',
  '_',
  '-',
  '7',
  '\u0085',
  'ǆ',
];

/** Pieces of the syntax that a generator meets too rarely. */
const patterns = [
  ...[
    'a{0}b',
    'a{0,0}',
    'a{2,1000}',
    '^a{2,}b',
    '^a{1,1}b$',
    '^a+b$',
    '^a{1,2}b$',
    'a{,2}',
    'a{',
    'x{1}{',
    '(a|)',
    '(|a)+$',
    '()',
    '()*',
    'a||b',
    '^*',
    '(?:^)*a',
    '\\b*',
  ],
  ...[
    '(?i)k',
    '(?i)a b',
    '(?i)aB',
    'a b',
    '(?i)\\.',
    '\\-',
    '(?i)[k]',
    '(?i)[^k]',
    '(?i)s',
    '(?i)\\w',
    '(?i)\\W',
    '(?i)ǆ',
    '(?i)é',
    '(?i)[[:lower:]]',
    '(?i)\\p{Lu}',
  ],
  ...[
    '[[:^alpha:]]',
    '[[:word:]-]',
    '[]]',
    '[^]]',
    '[a\\]]',
    '[\\x{1F600}]',
    '[\\d\\-]',
    '[a-]',
    '[[:x]',
    '[[]',
    '[\\pL7]',
  ],
  ...[
    '(?m)^b$',
    '^b$',
    '(?m)^$',
    '(?m:^)b',
    '(?s).',
    '.',
    '(?s:.)b',
    '(?-s).',
    '(?ms)^.b',
    '\\Aa\\z',
    'a\\z',
    '(?U)a*',
  ],
  ...[
    '\\Qa.b\\E',
    '\\Qa',
    '\\Q\\E+'.slice(0, 4),
    '\\Qab\\E+$',
    '\\.',
    '\\-',
    '\\n',
    '\\t',
    '\\x0a',
    '\\07',
    '\\141',
    '\\pL',
    '\\PL',
  ],
  ...[
    '\\p{Greek}',
    '\\p{^Latin}',
    '\\P{Han}',
    '\\pN',
    '[^\\x00-\\x{10FFFF}]',
    '[^\\x00-\\x{10FFFF}]*a',
    '\\x00',
    '[\\x00-b]',
  ],
  ...['(?P<name>a)(?<other>b)', '(?:a|b)*?c', '(a?){3}b', '((a|b){2}){3}', '***:a', '***=a', '(?q)a', '(?i:a(?-i:B))'],
  ...[
    '[[.a.]]',
    '[[=a=]]',
    '\\y',
    '\\m',
    'a\\B',
    '\\Bb',
    '\\b_',
    '(\\b|a)b',
    '(?:\\b\\w+\\b\\s*){3}',
    '(a+)+$',
    'a{255,256}b',
  ],
];

describe('a regular expression', () => {
  let postgres: Engine & Awaited<ReturnType<typeof openPostgres>>;
  beforeAll(async () => {
    postgres = await openPostgres();
  });
  afterAll(() => postgres.close());

  async function ask(pattern: string, subjects: readonly string[]): Promise<readonly boolean[]> {
    const text = 'select t collate "C" ~ $1 as found from unnest($2::text[]) with ordinality as u(t, i) order by i';
    const { rows } = await postgres.client.query<{ found: boolean }>(text, [pattern, subjects]);
    return rows.map(({ found }) => found);
  }

  for (const pattern of patterns) {
    it(`finds the same in PostgreSQL: ${JSON.stringify(pattern)}`, async () => {
      let regex: ReturnType<typeof compileRegex>;
      try {
        regex = compileRegex(pattern);
      } catch (error) {
        // A pattern that both refuse counts as the same, as long as it is refused as the caller's mistake.
        assert.ok(error instanceof RegexProblem, String(error));
        return;
      }
      assert.deepEqual(await ask(regex.postgres, texts), texts.map(regex.test));
    });
  }

  it('folds case as one engine does for every character', async () => {
    const letters: string[] = [];
    for (let code = 1; code < 0x1f000; code++) {
      if (code < 0xd800 || code > 0xdfff) letters.push(String.fromCodePoint(code));
    }
    const folding = letters.filter(
      (letter) =>
        rangesOfCharacter(letter.codePointAt(0) ?? 0, true).length > 2 ||
        (/\p{L}/u.test(letter) && letter !== letter.toLowerCase()),
    );
    assert.ok(folding.length > 2000);
    for (const letter of folding.filter((_, index) => index % 7 === 0 || index < 200)) {
      const regex = compileRegex(`(?i)^${letter}$`);
      const around = [letter, letter.toLowerCase(), letter.toUpperCase(), 'k', 's', 'i', 'ß'];
      assert.deepEqual(await ask(regex.postgres, around), around.map(regex.test), letter);
    }
  });

  const refused = [
    ...[
      '(',
      ')',
      'a**',
      '*',
      '[a',
      '[b-a]',
      'a{1001}',
      '(?:a{1000}){1000}',
      'a{2,1}',
      '\\1',
      '(?=a)',
      '(?<=a)b',
      '(?<!a)b',
    ],
    ...[
      '\\C',
      '\\Z',
      '(?x)a',
      '\\p{Nothing}',
      '[[:nothing:]]',
      '[[:[]:]',
      '[[:a]|[:]',
      '(?P<a>x)(?P<a>y)',
      '\\',
      '(?i',
      'a++',
      '\\u0041',
    ],
    ...[
      '(?:a{500}b{500}){2}',
      '(.?.?.?){300}',
      '\\b\\B\\b\\B\\b\\B\\b\\B',
      '(?:\\b\\w*\\b\\s*){20}',
      '(?:(?:x?y?){30}z?){30}',
    ],
  ];
  for (const pattern of refused) {
    it(`is refused as ${pattern}`, () => {
      assert.throws(() => compileRegex(pattern), RegexProblem);
    });
  }

  it('is compiled in a bounded time by both engines at its worst', async () => {
    const worst = [
      'a{1000}',
      '(.*.*.*.*){30}',
      '(?:a{0,10}b?){60}',
      '(?:\\pL?\\pN?\\w*){40}',
      '(?:[a-c]?[b-d]?){60}',
      '\\pL{1000}',
    ];
    for (const pattern of [...worst, '(a+)+$', '(?:\\b.){100}', '(?:(?:(?:\\w|\\A\\s)\\x{1F600}){1,10}){0,10}']) {
      const started = process.cpuUsage();
      const regex = compileRegex(pattern);
      await ask(regex.postgres, ['a'.repeat(1000)]);
      regex.test('a'.repeat(1000));
      // A pattern without a bound takes hours.
      assert.ok(process.cpuUsage(started).user < 10_000_000, pattern);
    }
  });
});
