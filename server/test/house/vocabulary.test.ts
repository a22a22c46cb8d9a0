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

/** In the console these are names of icons and of what a pointer does. */
const ofServer = ['poller', 'poll, check, read'];

const givenUp: readonly { readonly use: string; readonly instead: RegExp; readonly isInTests?: true }[] = [
  // `longestDelay` is an option of the published SDK.
  { use: 'max…', instead: /\b(?:most|longest)(?!Delay\b)[A-Z]\w*/g },
  { use: 'poller', instead: /\b\w*[pP]ulse(?:s|Source|Ms|Question)?\b/g },
  { use: 'persistent …', instead: /\b[lL]asting[A-Z]\w*|\b(?:const|function|let) lasting\b/g, isInTests: true },
  { use: 'compiled query', instead: /\b[aA]skedList\w*/g },
  { use: 'write-behind cache', instead: /\b[hH]eldTrack\w*/g },
  { use: 'ownership', instead: /\b\w+Hands\b|\b(?:type|interface|const|let) [hH]ands\b/g },
  { use: 'lock…', instead: /\bhold(?:Venue|Zone)\w*/g },
  { use: 'untilStored', instead: /\binsist(?:s|ence)?(?=[<(:])/g },
  { use: 'estimate, step', instead: /\b(?:const|function|type|interface) [rR]eckon\w*/g },
  { use: 'pace', instead: /\b(?:type|interface) \w*Haste\b|\bhaste(?=[:,)])/g },
  { use: 'reported, notified, translated, telemetry', instead: told, isInTests: true },
  { use: 'period', instead: /\b(?:type|interface|function) \w*Spell\w*/g },
  // `ear`, `earX` and `earY` are names of what is stored.
  { use: 'receiver offset', instead: /\.ear\b|\bear(?![XY]\b)[A-Z]\w*|\w+Ear\b(?<!Near)|\bEAR_\w+/g, isInTests: true },
  // `lookBack` and `lookUp` are the field's words.
  {
    use: 'poll, check, read',
    instead:
      /#look(?!Back|Up|ed\b)\w*|\blook(?!Back|Up|Ahead|ed)[A-Z]\w*|\b(?:function|const) look\b|^ {2}(?:async )?look(?=\()|\b(?:type|interface) Looked\b/gm,
    isInTests: true,
  },
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
        if ((!ofServer.includes(use) || part.startsWith('server')) && !(isTest && isInTests))
          for (const [word] of text.matchAll(instead)) found.push(`${path}: ${use} instead of ${word}`);
    }
  assert.deepEqual(found, []);
});
