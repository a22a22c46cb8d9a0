import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Fastify from 'fastify';
import { lexer, type Token, walkTokens } from 'marked';
import { describe, test } from 'vitest';
import { handbookAt, help } from '../../../../console/src/components/sections/help.ts';
import { speak } from '../../../../console/src/lib/words/words.ts';
import { readBook, searchBook } from './book.ts';
import { german } from './edition.ts';
import { registerHandbook } from './handbook.ts';

const docs = fileURLToPath(new URL('../../../../docs', import.meta.url));
const catalogues = new URL('../../../../console/src/lib/words/catalogues/', import.meta.url);
const labels: Readonly<Record<string, string>> = Object.assign(
  {},
  ...['service-de.json', 'de.json'].map((name) => JSON.parse(readFileSync(new URL(name, catalogues), 'utf8'))),
  { 'Save to read offline': german.words.offline },
);

/** Words that are printed like a label and are none. */
const emphasised = new Map([
  ['event', 'Ereignis'],
  ['visit', 'Aufenthalt'],
  ['beacons', 'Beacons'],
  ['bucket', 'Bucket'],
  ['received', 'empfangen'],
  ['opened', 'geöffnet'],
  ['silent', 'still'],
  ['battery', 'Batterie'],
  ['moved', 'versetzt'],
  ['copied', 'kopiert'],
  ['heard too far away', 'zu weit weg zu empfangen'],
  ['set up unlike the others', 'anders eingestellt als die übrigen'],
  ['Pseudonyms.', 'Pseudonyme.'],
  ['the Whale Hall', 'den Walsaal'],
  ['from 10:00 to 17:00', 'von 10:00 bis 17:00'],
  ['in December 2026', 'im Dezember 2026'],
]);

const names = readdirSync(join(docs, 'handbook')).filter((name) => name.endsWith('.md'));
const tokensOf = (path: string) => lexer(readFileSync(join(docs, 'handbook', path), 'utf8'));

/** The sections of a page: the kinds of their blocks, and what must be the same in each language. */
function sectionsOf(path: string) {
  const sections: { blocks: string[]; fixed: string[]; emphasised: string[] }[] = [];
  for (const block of tokensOf(path)) {
    if (block.type === 'heading') sections.push({ blocks: [], fixed: [], emphasised: [] });
    if (block.type !== 'space') sections.at(-1)?.blocks.push(shapeOf(block));
    void walkTokens([block], (token) => {
      const { type, text = '', href = '' } = token as { type: string; text?: string; href?: string };
      const [to = ''] = href.replace(/^(\.\.\/)+/, '').split('#');
      if (type === 'codespan') sections.at(-1)?.fixed.push(text);
      if (type === 'link' || type === 'image') sections.at(-1)?.fixed.push(`${type} ${to}`);
      if ((type === 'em' || type === 'strong') && !text.includes('**'))
        sections.at(-1)?.emphasised.push(text.replaceAll(/\s+/g, ' '));
    });
  }
  return sections.map((section) => ({
    ...section,
    fixed: section.fixed.toSorted(),
    emphasised: section.emphasised.toSorted(),
  }));
}

function shapeOf(block: Token): string {
  if (block.type === 'heading') return `heading ${block['depth']}`;
  return block.type === 'list' ? `list of ${block['items'].length}` : block.type;
}

describe('the handbook in German', () => {
  test('has each page, section, list, picture, link and piece of code that the English one has', () => {
    assert.deepEqual(readdirSync(join(docs, german.folder ?? '')), names);
    const strip = (path: string) => sectionsOf(path).map(({ blocks, fixed }) => ({ blocks, fixed }));
    for (const name of names) assert.deepEqual(strip(`de/${name}`), strip(name), name);
  });

  test('names labels as the console does, and so does the English one', () => {
    const unknown: string[] = [];
    for (const name of names)
      for (const [at, { emphasised: texts }] of sectionsOf(name).entries()) {
        const translated = texts.map((text) => emphasised.get(text) ?? labels[text] ?? `no label: ${text}`);
        unknown.push(...translated.filter((text) => text.startsWith('no label')).map((text) => `${name}: ${text}`));
        assert.deepEqual(sectionsOf(`de/${name}`)[at]?.emphasised, translated.toSorted(), `${name}, section ${at}`);
      }
    assert.deepEqual(unknown, []);
  });

  test('has a section for every link of the console, and every link in it leads somewhere', async () => {
    const book = await readBook(docs, german);
    const anchors = new Set(
      [...book.pages.values()].flatMap(({ slug, sections }) => [
        slug,
        ...sections.flatMap(({ anchor, english = anchor }) => [`${slug}#${anchor}`, `${slug}#${english}`]),
      ]),
    );
    const links = [...help.map(({ handbook }) => handbook), ...[...book.pages.values()].flatMap((page) => page.links)];
    assert.deepEqual(
      links.filter((to) => !anchors.has(to)),
      [],
    );
    assert.equal(handbookAt('beacons#calibration'), '/handbook/beacons#calibration');
    speak('de', {});
    assert.equal(handbookAt('beacons#calibration'), '/handbook/de/beacons#calibration');
    speak('en', {});
  });

  test('is searched in German, is one file, and leads to English and back', async () => {
    const [found] = searchBook(await readBook(docs, german), 'Kalibrierung Telefon');
    assert.deepEqual([found?.page.slug, found?.section.anchor], ['beacons', 'kalibrierung']);
    assert.match(found?.excerpt ?? '', /^Entfernungen werden aus .* berechnet\. Wählen Sie …$/);
    const server = Fastify();
    registerHandbook(server, docs);
    const get = async (url: string) => (await server.inject({ method: 'GET', url })).body;
    const page = await get('/handbook/de/beacons');
    assert.match(page, /<html lang="de">.*<h2 id="kalibrierung"><span id="calibration"><\/span>Kalibrierung<\/h2>/s);
    assert.match(page, /<a href="\/handbook\/beacons" hreflang="en" lang="en">English<\/a>/);
    assert.match(await get('/handbook/beacons'), /<a href="\/handbook\/de\/beacons" hreflang="de" lang="de">Deutsch</);
    assert.match(await get('/handbook/de?q=Kalibrierung'), /<a href="\/handbook\/de\/beacons#kalibrierung">/);
    assert.match(await get('/handbook/de/operations'), /<main id="page" lang="en"><h1 id="operations">/);
    const file = await get('/handbook/de/pharos-handbook.html');
    const ids = [...file.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length);
    const inFile = [...file.matchAll(/<a [^>]*href="#([^"]+)"/g)].map(([, id]) => id);
    assert.deepEqual(
      inFile.filter((id) => !ids.includes(id)),
      [],
    );
    await server.close();
  });
});
