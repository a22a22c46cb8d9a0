import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import { help } from '../../src/components/sections/help.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const source = join(root, 'console/src');
const read = (file: string) => readFileSync(file, 'utf8');
const sources = globSync('**/*.{ts,tsx}', { cwd: source }).map((file) => join(source, file));

/** Every address of the console, as the routes declare it; those of an app are relative to it. */
function routes(): ReadonlySet<string> {
  const declared = [join(source, 'app/router.tsx'), ...sources.filter((file) => /routes\.ts$/.test(file))]
    .flatMap((file) => [...read(file).matchAll(/(?:^ +path: |Page\(\s*)'(\/[^']*)'/gm)])
    .map(([, path = '']) => path);
  return new Set(declared.flatMap((path) => [path, `/apps/$appId${path === '/' ? '' : path}`]));
}

test('every link of the console leads to a page that there is', () => {
  const known = routes();
  const dead = sources.flatMap((file) =>
    [...read(file).matchAll(/\bto(?:=|: )\{?["'](\/[^"'`]*)["']/g)]
      .map(([, to = '']) => to)
      .filter((to) => !known.has(to))
      .map((to) => `${relative(source, file)}: ${to}`),
  );
  assert.deepEqual(dead, []);
  assert.ok(known.size > 100, 'the routes were found');
});

test('every section of an app has a paragraph of help of its own', () => {
  const sections = [
    ...read(join(source, 'components/sections/app-sections.ts')).matchAll(/to: '\/apps\/\$appId\/([\w-]+)'/g),
  ];
  assert.ok(sections.length > 15);
  for (const [, section = ''] of [...sections, ['', 'sign-in'], ['', 'trash']]) {
    const found = help.find(({ path }) => path.test(`/apps/x/${section}`));
    assert.ok(found?.path.test(`/apps/x/${section}`) && !found.path.test('/apps/x/'), section);
  }
});

/** As GitHub and the handbook make them. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replace(/ /g, '-');

function anchorsOf(file: string): ReadonlySet<string> {
  const text = read(file).replace(/^```[\s\S]*?^```/gm, '');
  return new Set([...text.matchAll(/^#+ +(.+)$/gm)].map(([, heading = '']) => anchorOf(heading)));
}

test('every link of the documents leads to a file, and to a heading in it', () => {
  const documents = globSync(['*.md', 'docs/**/*.md', 'sdk/*.md', 'deploy/**/*.md', 'bench/*.md'], { cwd: root });
  const dead = documents.flatMap((document) => {
    const file = join(root, document);
    const text = read(file)
      .replace(/^```[\s\S]*?^```/gm, '')
      .replace(/`[^`\n]*`/g, '');
    return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, to = '']) => to)
      .filter((to) => !/^(https?:|mailto:)/.test(to))
      .filter((to) => {
        const [path = '', anchor = ''] = to.split('#');
        const target = path === '' ? file : resolve(dirname(file), decodeURIComponent(path));
        if (!existsSync(target)) return true;
        return anchor !== '' && target.endsWith('.md') && !anchorsOf(target).has(anchor);
      })
      .map((to) => `${document}: ${to}`);
  });
  assert.deepEqual(dead, []);
  assert.ok(documents.length > 50);
});
