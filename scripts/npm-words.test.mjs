import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'vitest';
import { settings } from '../server/src/config/settings.ts';
import { flagsIn, wordsFromNpm } from './npm-words.mjs';

const source = readFileSync(new URL('../server/src/config/settings.ts', import.meta.url), 'utf8');
const flags = flagsIn(source);

/** What npm 9 to 11 make of `npm start …`, seen from the script. */
const cases = [
  ['--port 9000', ['9000'], { port: 'true' }, ['--port', '9000']],
  ['--port=9000', [], { port: '9000' }, ['--port', '9000']],
  ['--demo', [], { demo: 'true' }, ['--demo']],
  ['--demo --port 9000', ['9000'], { demo: 'true', port: 'true' }, ['--demo', '--port', '9000']],
  ['--data=x --log-level warn', ['warn'], { data: 'x', log_level: 'true' }, ['--data', 'x', '--log-level', 'warn']],
  ['serve --port=9000', ['serve'], { port: '9000' }, ['serve', '--port', '9000']],
];

function wordsOf(words, taken) {
  const environment = Object.fromEntries(Object.entries(taken).map(([name, value]) => [`npm_config_${name}`, value]));
  return wordsFromNpm({
    words,
    environment: { npm_lifecycle_event: 'start', ...environment },
    flags,
    switches: ['demo'],
  });
}

describe('flags that npm took for its own', () => {
  for (const [typed, words, taken, meant] of cases)
    test(`npm start ${typed}`, () => {
      const { words: found, note } = wordsOf(words, taken);
      assert.deepEqual(found, meant);
      assert.match(note, new RegExp(`npm start -- ${meant.join(' ')}$`));
    });

  test('when it cannot be told what belongs together, what to write is said', () => {
    assert.throws(
      () => wordsOf(['9000', 'x'], { port: 'true', data: 'true' }),
      /^Error: npm took --port and --data .*: npm start -- --port VALUE --data VALUE$/,
    );
    assert.throws(() => wordsOf([], { port: 'true' }), /npm start -- --port VALUE$/);
  });

  test('what stands behind -- is left alone', () => {
    assert.deepEqual(wordsOf(['--port', '9000'], {}), { words: ['--port', '9000'] });
    assert.deepEqual(wordsOf(['demo', 'remove'], {}), { words: ['demo', 'remove'] });
  });

  test('every setting is known', () => {
    assert.deepEqual(
      flags,
      settings.map(({ flag }) => flag),
    );
  });
});
