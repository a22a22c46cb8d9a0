import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Fastify from 'fastify';
import { describe, test } from 'vitest';
import { help } from '../../../../console/src/components/sections/help.ts';
import { readBook, searchBook } from './book.ts';
import { colours } from './face.ts';
import { registerHandbook } from './handbook.ts';
import { renderPage } from './render.ts';

const docs = fileURLToPath(new URL('../../../../docs', import.meta.url));

const book = await readBook(docs);

describe('the handbook', () => {
  const anchors = new Set(
    [...book.pages.values()].flatMap(({ slug, sections }) => [
      slug,
      ...sections.map(({ anchor }) => `${slug}#${anchor}`),
    ]),
  );

  test('every link in it, and every link of the console to it, leads to a page and a section that are there', () => {
    const broken = [...book.pages.values()].flatMap(({ slug, links }) =>
      links.filter((to) => !anchors.has(to)).map((to) => `${slug || 'index'} -> ${to}`),
    );
    assert.deepEqual(broken, []);
    assert.deepEqual(
      help.map(({ handbook }) => handbook).filter((to) => !anchors.has(to)),
      [],
    );
    assert.ok(book.groups.flatMap(({ slugs }) => slugs).length === book.pages.size, 'every page is in the list');
  });

  test('a search finds sections that have all words, those with the word in the heading first', () => {
    const places = searchBook(book, 'Calibration phone').map(({ page, section }) => `${page.slug}#${section.anchor}`);
    assert.equal(places[0], 'beacons#calibration');
    assert.deepEqual(searchBook(book, 'xyzzy calibration'), []);
    assert.deepEqual(searchBook(book, ' '), []);
  });

  test('no page needs anything that has to be loaded but its own pictures and icon, and the file for reading offline not even these', async () => {
    const server = Fastify();
    registerHandbook(server, docs);
    const get = async (url: string) => (await server.inject({ method: 'GET', url })).body;
    const shown = new Set<string>();
    /** Without the pictures that the service has itself, which are noted, or that are in the file. */
    const withoutPictures = (html: string, isFile: boolean) =>
      html.replaceAll(/<(?:img src|source media="[^"]*" srcset)="([^"]*)"[^>]*>/g, (element, url: string) => {
        if (isFile ? !/^data:image\/png;base64,[\w+/]+=*$/.test(url) : !/^\/handbook\/images\/[\w-]+\.png$/.test(url))
          return element;
        if (!isFile) shown.add(url);
        return '';
      });
    const paths = [...book.pages.keys(), '?q=beacon', 'pharos-handbook.html'];
    for (const path of paths) {
      const whole = await get(path.startsWith('?') ? `/handbook${path}` : `/handbook/${path}`);
      const isFile = path.endsWith('.html');
      const icon = '<link rel="icon" href="/console/lighthouse.svg" type="image/svg+xml">';
      const html = withoutPictures(isFile ? whole : whole.replace(icon, ''), isFile);
      assert.match(html, /<h1/, path);
      // Everything with a URL is a link that somebody follows, or the search form.
      const elements = html.match(/<[a-z][^>]*\s(?:src|srcset|href|action|data|poster|background)="[^"]*"/g) ?? [];
      assert.deepEqual(
        elements.filter((element) => !/^<(a|form)\s/.test(element)),
        [],
        path,
      );
      for (const [style] of html.matchAll(/<style>.*?<\/style>/gs)) assert.doesNotMatch(style, /url\(|@import/);
      assert.doesNotMatch(html, /<(script|link|img|source|iframe|object|embed|svg)\b/, path);
    }
    assert.ok(shown.size > 10, `${shown.size} pictures`);
    for (const url of shown) {
      const answer = await server.inject({ method: 'GET', url });
      assert.deepEqual([answer.statusCode, answer.headers['content-type']], [200, 'image/png'], url);
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    }
    for (const name of ['nothing.png', '..%2Foperations.md', '..%2F..%2Fpackage.json'])
      assert.equal((await server.inject({ method: 'GET', url: `/handbook/images/${name}` })).statusCode, 404, name);
    await server.close();
  });

  test('pictures say what they show and how large they are; where colours are dark, they are too', async () => {
    const { html } = book.pages.get('activity') ?? { html: '' };
    const pictures = html.match(/<picture>.*?<\/picture>/g) ?? [];
    assert.ok(pictures.length >= 4, html);
    for (const picture of pictures) {
      assert.match(picture, /<img [^>]*alt="[^"]{20,}" width="\d{3,4}" height="\d{3,4}"/);
      const [, name] = /src="\/handbook\/images\/([\w-]+)\.png"/.exec(picture) ?? [];
      assert.ok(picture.includes(`(prefers-color-scheme: dark)" srcset="/handbook/images/${name}-dark.png"`), picture);
    }
  });

  test('the file for reading offline has every page, and its links lead to places in it', async () => {
    const server = Fastify();
    registerHandbook(server, docs);
    const answer = await server.inject({ method: 'GET', url: '/handbook/pharos-handbook.html' });
    assert.match(String(answer.headers['content-disposition']), /^attachment; filename="pharos-handbook.html"$/);
    const ids = [...answer.body.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length);
    const headings = [...book.pages.values()].flatMap(({ sections }) => sections);
    assert.equal(ids.length, headings.length + book.pages.size);
    const links = [...answer.body.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href = '']) => href);
    const lost = links.filter((href) => (href.startsWith('#') ? !ids.includes(href.slice(1)) : !/^https:/.test(href)));
    assert.deepEqual(lost, []);
    assert.ok(links.includes('#page--beacons--calibration') || links.includes('#page--beacons'));
    await server.close();
  });

  test('what looks like markup does nothing, neither in a page nor in a search', async () => {
    const evil =
      '# <script>alert(1)</script>\n\n<img src=x onerror=alert(1)> [a](javascript:alert(1)) ![b](http://x/y)';
    const { html } = renderPage({ slug: 'x', markdown: evil, resolve: () => undefined });
    assert.doesNotMatch(html, /<(script|img|a)\b/);
    const server = Fastify();
    registerHandbook(server, docs);
    const get = (url: string) => server.inject({ method: 'GET', url });
    const found = await get('/handbook?q=%3Cscript%3Ealert(1)%3C/script%3E');
    assert.doesNotMatch(found.body, /<script/);
    assert.match(String(found.headers['content-security-policy']), /default-src 'none'/);
    assert.equal((await get('/handbook/nothing')).statusCode, 404);
    assert.equal((await get('/handbook/..%2Foperations')).statusCode, 404);
    assert.match((await get('/handbook/operations')).body, /id="alerts"/);
    await server.close();
  });
});

test('the handbook and the interface have the colours of the console', () => {
  const look = readFileSync(new URL('../../../../console/src/app/look.css', import.meta.url), 'utf8');
  const of = (scheme: string) => look.split(`"${scheme}"] {`)[1]?.split('}')[0] ?? '';
  const names = {
    text: '--mantine-color-text',
    soft: '--soft',
    line: '--line',
    page: '--mantine-color-body',
    side: '--surface-side',
    code: '--surface-code',
    link: '--mantine-color-blue-light-color',
  } as const satisfies Record<keyof typeof colours, string>;
  for (const [at, scheme] of ['light', 'dark'].entries())
    for (const [name, values] of Object.entries(colours)) {
      const variable = names[name as keyof typeof names];
      assert.match(of(scheme), new RegExp(`${variable}: ${values[at]};`), `${name}, ${scheme}`);
    }
});
