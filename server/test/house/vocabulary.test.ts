import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';

/** The words that docs/glossary.md has given up are not in names. */

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Tests may call what somebody was told so; `told`, `isTold` and `toldAt` are names of what is stored or sent. */
const told =
  /\b(?:const|let|function|class|interface|type) \w*[tT]old\w*|\breadonly #?\w*[tT]old(?!At\b|\?: (?:HourTelemetry|TrackRecord|true)\b)\w*|^ {2}(?:async )?#?\w*[tT]old\w*(?=\()/gm;

const givenUp: readonly { readonly use: string; readonly instead: RegExp; readonly isInTests?: true }[] = [
  // `longestDelay` is an option of the published SDK.
  { use: 'max…', instead: /\b(?:most|longest)(?!Delay\b)[A-Z]\w*/g },
  { use: 'poller', instead: /\b\w*[pP]ulse(?:s|Source|Ms|Question)?\b/g },
  { use: 'persistent limits', instead: /\b[lL]astingLimit\w*/g },
  { use: 'compiled query', instead: /\b[aA]skedList\w*/g },
  { use: 'write-behind cache', instead: /\b[hH]eldTrack\w*/g },
  { use: 'ownership', instead: /\b(?:next|assigned)Hands\b|\btype Hands\b/g },
  { use: 'lock…', instead: /\bhold(?:Venue|Zone)\w*/g },
  { use: 'untilStored', instead: /\binsist(?=[<(:])/g },
  { use: 'checkAlerts', instead: /\blook(?:Inside\b|(?=: \(\) => context\.))/g },
  { use: 'reported, notified, translated, telemetry', instead: told, isInTests: true },
  { use: 'period', instead: /\b(?:type|interface|function) \w*Spell\w*/g },
  // `ear`, `earX` and `earY` are names of what is stored.
  { use: 'receiver offset', instead: /\.ear\b|\bear(?![XY]\b)[A-Z]\w*|\w+Ear\b(?<!Near)|\bEAR_\w+/g, isInTests: true },
  { use: 'poll, check', instead: /^ {2}(?:async )?#?look(?=\()/gm },
];

test('no name in the code has a word that the glossary has given up', () => {
  const found: string[] = [];
  for (const part of ['server/src', 'server/test', 'packages', 'console/src', 'sdk', 'bench'])
    for (const name of readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })) {
      const path = join(part, name);
      if (!/\.tsx?$/.test(path) || /node_modules|wire\.ts|vocabulary/.test(path)) continue;
      const text = readFileSync(join(root, path), 'utf8');
      const isTest = /\.test\.ts$|\/test\//.test(path);
      for (const { use, instead, isInTests = false } of givenUp)
        if ((use !== 'poller' || part.startsWith('server')) && !(isTest && isInTests))
          for (const [word] of text.matchAll(instead)) found.push(`${path}: ${use} instead of ${word}`);
    }
  assert.deepEqual(found, []);
});
