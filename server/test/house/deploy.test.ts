import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8');
const rulesOf = (path: string) =>
  read(path)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

test('an image has nothing that git ignores, such as the data of a service that has run in the checkout', () => {
  const ignored = rulesOf('.dockerignore');
  for (const rule of rulesOf('.gitignore')) {
    const path = rule.replace(/^\/|\/$/g, '').replace('*', 'x');
    // Rules without a slash in front hold in every folder.
    for (const one of rule.startsWith('/') || rule.slice(0, -1).includes('/') ? [path] : [path, `console/${path}`])
      assert.ok(
        ignored.some((pattern) => matchesGlob(one, pattern)),
        `${one} would be copied`,
      );
  }
  const isLeftOut = (path: string) =>
    path.split('/').some((_, at, parts) => ignored.some((rule) => matchesGlob(parts.slice(0, at + 1).join('/'), rule)));
  const sources = [
    'server/src',
    'server/bin',
    'server/migrations',
    'packages',
    'console/src',
    'sdk/src',
    'scripts',
    'docs',
  ];
  const files = sources.flatMap((folder) =>
    readdirSync(`${root}/${folder}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith('node_modules'))
      .map((name) => `${folder}/${name}`),
  );
  assert.deepEqual([...files, 'package.json', 'package-lock.json', '.npmrc'].filter(isLeftOut), []);
});

test('what the image and the documents say to release, the release has', () => {
  for (const text of [read('deploy/Containerfile'), read('docs/operations.md'), read('sdk/README.md')])
    for (const [, part = ''] of text.matchAll(/npm run release -- ([a-z]+)\b(?!\d)/g))
      assert.match(read('scripts/release/release.mjs'), new RegExp(`const parts = .*'${part}'`));
  const { version } = JSON.parse(read('package.json'));
  for (const path of ['deploy/compose.yaml', 'deploy/chart/pharos/Chart.yaml'])
    for (const [, found] of read(path).matchAll(/(?:pharos:|ersion: )(\d+\.\d+\.\d+)/g))
      assert.equal(found, version, path);
});
