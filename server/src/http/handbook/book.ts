import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { type Edition, english } from './edition.ts';
import { apart } from './layout.ts';
import { darkName, type Picture, pictureFolder, readPictures } from './pictures.ts';
import { type FindPicture, type HandbookPage, renderPage, type Section } from './render.ts';

export interface Book {
  /** By slug. */
  readonly pages: ReadonlyMap<string, HandbookPage>;
  readonly groups: readonly { readonly title: string; readonly slugs: readonly string[] }[];
  readonly edition: Edition;
}

export interface Found {
  readonly page: HandbookPage;
  readonly section: Section;
  /** Around the first word that was found. */
  readonly excerpt: string;
}

const editors = ['', 'messages', 'beacons', 'activity', 'people', 'content', 'app', 'told', 'service', 'account'];
const operators = ['operations', 'installing-beacons', 'gateways', 'simulation', 'demo'];
const programmers = [
  'phones',
  'offline',
  'interface',
  'proximity',
  'performance',
  'architecture',
  'design',
  'adding-a-resource',
  'glossary',
];

/** Reads the handbook for editors and the other documents of a checkout, a page at a time, so that nobody waits for all. */
export async function readBook(docs: string, edition = english, layout = apart(edition.base)): Promise<Book> {
  const pages = new Map<string, HandbookPage>();
  const files = new Map<string, string>();
  const note = async (folder: string, slugOf: (name: string) => string) => {
    for (const name of await readdir(join(docs, folder)).catch(() => []))
      if (name.endsWith('.md')) files.set(posix.join(folder, name), slugOf(name.replace(/\.md$/, '')));
  };
  await note('.', (name) => name);
  const slugOf = (name: string) => (name === 'index' ? '' : name);
  await note('handbook', slugOf);
  await note('adr', (name) => `decisions-${name}`);
  // After the pages that they stand for.
  if (edition.folder) await note(edition.folder, slugOf);
  const pictures = await readPictures(docs, layout.embeds);
  for (const [file, slug] of files) {
    const markdown = await readFile(join(docs, file), 'utf8');
    const original = pages.get(slug);
    const page = renderPage({
      slug,
      markdown,
      layout,
      language: original ? edition.language : english.language,
      original,
      resolve: (href) => resolveLink(file, href, files),
      find: (href) => findPicture(target(file, href), pictures, layout.embeds),
    });
    pages.set(slug, page);
  }
  const known = (slugs: readonly string[]) => slugs.filter((slug) => pages.has(slug));
  const decisions = [...pages.keys()].filter((slug) => slug.startsWith('decisions-')).sort();
  return {
    pages,
    edition,
    groups: [
      { title: edition.words.editors, slugs: known(editors) },
      { title: edition.words.operators, slugs: known(operators) },
      { title: edition.words.programmers, slugs: known(programmers) },
      { title: edition.words.decisions, slugs: decisions },
    ].filter(({ slugs }) => slugs.length > 0),
  };
}

/** Files that are not part of the handbook. */
const elsewhere = /^(\.\.|history)\//;

/** The file that a document names, from the folder of the documents. */
const target = (file: string, path: string) => posix.normalize(posix.join(posix.dirname(file), path));

function findPicture(
  file: string,
  pictures: ReadonlyMap<string, Picture>,
  isLightOnly: boolean,
): ReturnType<FindPicture> {
  const name = file.startsWith(`${pictureFolder}/`) ? file.slice(pictureFolder.length + 1) : '';
  const light = pictures.get(name);
  return light && { light, dark: isLightOnly ? undefined : pictures.get(darkName(name)) };
}

/** A link between documents becomes one between pages; a link to anything else leads nowhere. */
function resolveLink(file: string, href: string, files: ReadonlyMap<string, string>): string | undefined {
  const [path = '', anchor] = href.split('#');
  const to = path === '' ? file : target(file, path);
  const slug = files.get(to);
  // A link to a missing page stays a link, so that the test of all links finds it.
  if (slug === undefined) return to.endsWith('.md') && !elsewhere.test(to) ? to : undefined;
  return `${slug}${anchor ? `#${anchor}` : ''}`;
}

const maxFound = 40;
const maxQuery = 200;
const around = 90;

/** The sections that have all of the words: of pages for editors first, and those with a word in their heading. */
export function searchBook({ pages }: Book, query: string): readonly Found[] {
  const words = query.slice(0, maxQuery).toLowerCase().split(/\s+/).filter(Boolean);
  const [first] = words;
  if (first === undefined) return [];
  const found = [...pages.values()].flatMap((page) =>
    page.sections.flatMap((section) => {
      const {
        searched: [heading, text],
      } = section;
      if (!words.every((word) => heading.includes(word) || text.includes(word))) return [];
      const rank = words.filter((word) => heading.includes(word)).length + readerOf(page) * (words.length + 1);
      return [{ page, section, excerpt: excerptOf(section.text, Math.max(0, text.indexOf(first))), rank }];
    }),
  );
  return found.sort((a, b) => b.rank - a.rank).slice(0, maxFound);
}

/** Pages for editors come before those for engineers, and decisions last. */
function readerOf({ slug }: HandbookPage): number {
  if (slug.startsWith('decisions-')) return -1;
  return editors.includes(slug) ? 1 : 0;
}

function excerptOf(text: string, at: number): string {
  // Whole words.
  const from = at > around ? text.indexOf(' ', at - around) : 0;
  const to = at + around < text.length ? text.lastIndexOf(' ', at + around) : text.length;
  const part = text.slice(from, to).replaceAll(/\s+/g, ' ').trim();
  return `${from > 0 ? '… ' : ''}${part}${to < text.length ? ' …' : ''}`;
}
