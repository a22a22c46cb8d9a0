import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { escapeHtml } from '../escape-html.ts';
import type { Book, Found } from './book.ts';
import { type Edition, editions } from './edition.ts';
import { face } from './face.ts';
import { apart, type HandbookLayout, inOne } from './layout.ts';
import { isPicture, pictureFolder } from './pictures.ts';
import type { HandbookPage } from './render.ts';

const docsFolder = fileURLToPath(new URL('../../../../docs', import.meta.url));
const style = face + readFileSync(new URL('style.css', import.meta.url), 'utf8');

/** A page may only show its pictures and send a form to this service. */
const loads = ["default-src 'none'", `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`];
const policy = [...loads, "img-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"].join(
  '; ',
);
/** What a document may say of itself. */
const policyOfFile = [...loads, 'img-src data:', "base-uri 'none'"].join('; ');

/** The document that is read without the service. */
const fileName = 'pharos-handbook.html';

/** The handbook at `/handbook`, rendered from `docs/` on the first request and kept. It needs no script and no other server: its pictures are of `docs/images/`. */
export function registerHandbook(server: FastifyInstance, docs = docsFolder): void {
  for (const edition of editions) registerEdition(server, docs, edition);
  server.get('/handbook/images/:name', async (request, reply) => {
    const { name } = request.params as { readonly name: string };
    if (!isPicture(name)) return reply.callNotFound();
    const bytes = await readFile(join(docs, pictureFolder, name)).catch(() => undefined);
    if (!bytes) return reply.callNotFound();
    secure(reply);
    reply.type('image/png').header('cache-control', 'max-age=3600');
    return bytes;
  });
}

function registerEdition(server: FastifyInstance, docs: string, edition: Edition): void {
  const { base, words } = edition;
  // Loaded with the first page: a service whose handbook nobody opens does without it.
  const load = () => import('./book.ts');
  let known: Promise<Book> | undefined;
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const { readBook, searchBook } = await load();
    known ??= readBook(docs, edition);
    const book = await known;
    const { slug = '' } = request.params as { readonly slug?: string };
    const { q } = request.query as { readonly q?: string | string[] };
    secure(reply);
    const page = book.pages.get(slug);
    if (typeof q === 'string' && slug === '')
      return whole(book, { title: `${words.search}: ${q}`, q, html: foundHtml(searchBook(book, q), edition) });
    if (page) return whole(book, { ...page, q: '' });
    reply.code(404);
    return whole(book, {
      title: words.missing,
      q: '',
      html: `<h1>${words.missing}</h1><p>${words.missingHint}</p>`,
    });
  };
  server.get(base, answer);
  server.get(`${base}/${fileName}`, async (_, reply) => {
    const { readBook } = await load();
    secure(reply);
    reply.header('content-disposition', `attachment; filename="${fileName}"`);
    return document(await readBook(docs, edition, inOne), inOne);
  });
  server.get(`${base}/:slug`, answer);
}

function secure(reply: FastifyReply): void {
  reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-cache');
}

interface Shown extends Pick<HandbookPage, 'title' | 'html'>, Partial<Pick<HandbookPage, 'slug' | 'language'>> {
  readonly q: string;
}

function whole(book: Book, { title, slug, html, q, language }: Shown): string {
  const { edition } = book;
  const { base, words } = edition;
  const others = editions.filter((other) => other !== edition);
  const inOthers = others.map(({ base: to, language: tag, name }) => {
    const address = slug === undefined ? to : apart(to).href(slug);
    return `<a href="${escapeHtml(address)}" hreflang="${tag}" lang="${tag}">${name}</a>`;
  });
  return `<!doctype html>
<html lang="${edition.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · ${words.handbook}</title><link rel="icon" href="/console/lighthouse.svg" type="image/svg+xml"><style>${style}</style></head><body>
<a class="skip" href="#page">${words.skip}</a>
<header><a class="home" href="${base}">${words.handbook}</a>
<form action="${base}" role="search"><input name="q" type="search" aria-label="${words.searchAll}" placeholder="${words.search}" value="${escapeHtml(q)}" maxlength="200"><button>${words.search}</button></form>
<a href="${base}/${fileName}" download>${words.offline}</a> ${inOthers.join(' ')} <a href="/console">${words.console}</a></header>
<div class="columns"><nav aria-label="${words.pages}"><details open><summary>${words.pages}</summary>${navHtml(book, apart(base), slug)}</details></nav>
<main id="page"${langHtml(language, edition)}>${html}</main></div></body></html>`;
}

/** Every page in one file, with nothing that has to be loaded: it is searched with the browser's own search. */
function document(book: Book, layout: HandbookLayout): string {
  const { edition } = book;
  const { words } = edition;
  const pages = book.groups.flatMap(({ slugs }) => slugs.flatMap((slug) => book.pages.get(slug) ?? []));
  const articles = pages.map(
    ({ slug, html, language }) =>
      `<article id="${escapeHtml(layout.id(slug, ''))}"${langHtml(language, edition)}>${html}</article>`,
  );
  return `<!doctype html>
<html lang="${edition.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="content-security-policy" content="${policyOfFile}">
<title>${words.handbook}</title><style>${style}</style></head><body>
<a class="skip" href="#page">${words.skip}</a>
<header><a class="home" href="#page">${words.handbook}</a> <span>${words.all}</span></header>
<div class="columns one"><nav aria-label="${words.pages}"><details open><summary>${words.pages}</summary>${navHtml(book, layout)}</details></nav>
<main>${articles.join('<hr>')}</main></div></body></html>`;
}

/** Of a part that is in another language than the rest. */
const langHtml = (language: string | undefined, edition: Edition) =>
  language === undefined || language === edition.language ? '' : ` lang="${language}"`;

function navHtml({ groups, pages, edition }: Book, layout: HandbookLayout, current?: string): string {
  const item = (slug: string) => {
    const { title = slug, language } = pages.get(slug) ?? {};
    const isCurrent = slug === current ? ' aria-current="page"' : '';
    return `<li${langHtml(language, edition)}><a href="${escapeHtml(layout.href(slug))}"${isCurrent}>${escapeHtml(title)}</a></li>`;
  };
  return groups.map(({ title, slugs }) => `<h2>${title}</h2><ul>${slugs.map(item).join('')}</ul>`).join('');
}

function foundHtml(found: readonly Found[], edition: Edition): string {
  const { base, words, placesFound } = edition;
  const lines = found.map(({ page, section, excerpt }) => {
    const name = section.heading === page.title ? page.title : `${page.title}: ${section.heading}`;
    const to = apart(base).href(`${page.slug}#${section.anchor}`);
    return `<li${langHtml(page.language, edition)}><a href="${escapeHtml(to)}">${escapeHtml(name)}</a><p>${escapeHtml(excerpt)}</p></li>`;
  });
  const summary = found.length === 0 ? words.nothingFound : placesFound(found.length);
  return `<h1>${words.search}</h1><p role="status">${summary}</p><ol class="found">${lines.join('')}</ol>`;
}
