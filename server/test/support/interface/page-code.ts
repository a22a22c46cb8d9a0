import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkout } from './checkout-copy.ts';

/** A piece of code on a page of the documentation: a whole file, or what is inserted into one. */
export interface PageCode {
  /** Relative to the checkout; `NNNN` is the number of the next migration. */
  readonly path: string;
  /** The line behind which it belongs or whose place it takes, without its indentation; undefined for a new file. */
  readonly at: string | undefined;
  readonly replaces: boolean;
  readonly code: string;
}

const titled = /^`([^`\n]+)`, (?:new|(after|instead of) `([^`\n]+)`):\n\n```\w+\n([\s\S]*?)^```$/gm;

/** @throws Error for code that has no title */
export function readPageCode(page: string): readonly PageCode[] {
  const text = readFileSync(join(checkout, page), 'utf8');
  const pieces = [...text.matchAll(titled)].map(([, path = '', how, at, code = '']) => ({
    path,
    at,
    replaces: how === 'instead of',
    code,
  }));
  const fences = [...text.matchAll(/^```\w+$/gm)].length;
  if (pieces.length !== fences)
    throw new Error(
      `${page}: ${fences - pieces.length} of ${fences} pieces of code have no title. Write above each: ` +
        '`path/of/the/file`, new: (or: after `a line of it`: or: instead of `a line of it`:)',
    );
  return pieces;
}

/** Writes the code of a page into a copy of the checkout. @throws Error that says what the page has wrong */
export function applyPageCode(page: string, pieces: readonly PageCode[], folder: string): void {
  for (const piece of pieces) {
    const { path, at, code } = piece;
    const file = join(folder, path.replace('NNNN', nextMigration(folder)));
    if (path.endsWith('.json')) {
      addToCatalogues(folder, path, JSON.parse(code));
      continue;
    }
    if (at === undefined) {
      if (existsSync(file)) throw new Error(`${page} calls ${path} new, but it is there already.`);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, code);
      continue;
    }
    if (!existsSync(file)) throw new Error(`${page} changes ${path}, which is not there. Name the file of today.`);
    writeFileSync(file, inserted(readFileSync(file, 'utf8'), { page, ...piece }));
  }
}

function inserted(text: string, { page, path, at, replaces, code }: PageCode & { readonly page: string }): string {
  const lines = text.split('\n');
  const places = lines.flatMap((line, index) => (line.trim() === at ? [index] : []));
  const [place] = places;
  if (place === undefined || places.length > 1)
    throw new Error(
      `${page} inserts into ${path} at "${at}", but there ${place === undefined ? 'is no such line' : 'are several such lines'}. ` +
        'Name the line of today.',
    );
  // Code that begins with the line it takes the place of goes less far to the right where that does.
  const [own = ''] = /^\s*/.exec(code) ?? [];
  const indent = (/^\s*/.exec(lines[place] ?? '')?.[0] ?? '').slice(own.length);
  const added = code.trimEnd().split('\n');
  lines.splice(
    replaces ? place : place + 1,
    replaces ? 1 : 0,
    ...added.map((line) => (line === '' ? '' : indent + line)),
  );
  return lines.join('\n');
}

/** Of the texts of one language on the page, every other one has a translation too. */
function addToCatalogues(folder: string, path: string, texts: Readonly<Record<string, string>>): void {
  for (const language of ['de', 'es', 'fr', 'id']) {
    const file = join(folder, path.replace('de.json', `${language}.json`));
    const all = { ...JSON.parse(readFileSync(file, 'utf8')), ...texts };
    const sorted = Object.fromEntries(Object.entries(all).toSorted(([one], [other]) => (one < other ? -1 : 1)));
    writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
  }
}

function nextMigration(folder: string): string {
  const numbers = readdirSync(join(folder, 'server/migrations')).map((name) => Number.parseInt(name, 10) || 0);
  return String(Math.max(...numbers) + 1).padStart(4, '0');
}
