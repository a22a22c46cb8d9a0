import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import Fastify from 'fastify';
import { help } from '../../../../console/src/components/page/help.ts';
import { readBook, searchBook } from './book.ts';
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

  test('what looks like markup does nothing, neither in a page nor in a search', async () => {
    const evil =
      '# <script>alert(1)</script>\n\n<img src=x onerror=alert(1)> [a](javascript:alert(1)) ![b](http://x/y)';
    const { html } = renderPage('x', evil, () => undefined);
    assert.doesNotMatch(html, /<(script|img|a)\b/);
    const server = Fastify();
    registerHandbook(server, docs);
    const get = (url: string) => server.inject({ method: 'GET', url });
    const found = await get('/handbook?q=%3Cscript%3Ealert(1)%3C/script%3E');
    assert.doesNotMatch(found.body, /<script/);
    assert.match(String(found.headers['content-security-policy']), /default-src 'none'/);
    assert.equal((await get('/handbook/nothing')).statusCode, 404);
    assert.equal((await get('/handbook/..%2Foperations')).statusCode, 404);
    assert.match((await get('/handbook/operations')).body, /id="told-before-asked"/);
    await server.close();
  });
});
