import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Book, Found } from './book.ts';
import { escapeHtml } from './escape.ts';
import { face } from './face.ts';
import { apart, type HandbookLayout, inOne } from './layout.ts';
import { pictureFolder } from './pictures.ts';
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
  // Loaded with the first page: a service whose handbook nobody opens does without it.
  const load = () => import('./book.ts');
  let known: Promise<Book> | undefined;
  const open = async () => {
    const { readBook } = await load();
    known ??= readBook(docs);
    return known;
  };
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const { searchBook } = await load();
    const book = await open();
    const { slug = '' } = request.params as { readonly slug?: string };
    const { q } = request.query as { readonly q?: string | string[] };
    secure(reply);
    const page = book.pages.get(slug);
    if (typeof q === 'string' && slug === '')
      return whole(book, { title: `Search: ${q}`, slug: '?', q, html: foundHtml(searchBook(book, q)) });
    if (page) return whole(book, { ...page, q: '' });
    reply.code(404);
    return whole(book, {
      title: 'No such page',
      slug: '?',
      q: '',
      html: '<h1>No such page</h1><p>Search for it, or choose one from the list.</p>',
    });
  };
  server.get('/handbook', answer);
  server.get(`/handbook/${fileName}`, async (_, reply) => {
    const { readBook } = await load();
    secure(reply);
    reply.header('content-disposition', `attachment; filename="${fileName}"`);
    return document(await readBook(docs, inOne), inOne);
  });
  server.get('/handbook/images/:name', async (request, reply) => {
    const { name } = request.params as { readonly name: string };
    const { pictures } = await open();
    if (!pictures.has(name)) return reply.callNotFound();
    secure(reply);
    reply.type('image/png').header('cache-control', 'max-age=3600');
    return readFile(join(docs, pictureFolder, name));
  });
  server.get('/handbook/:slug', answer);
}

function secure(reply: FastifyReply): void {
  reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', policy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cache-control', 'no-cache');
}

interface Shown extends Pick<HandbookPage, 'title' | 'slug' | 'html'> {
  readonly q: string;
}

function whole(book: Book, { title, slug, html, q }: Shown): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · Pharos handbook</title><link rel="icon" href="/console/lighthouse.svg" type="image/svg+xml"><style>${style}</style></head><body>
<a class="skip" href="#page">Skip to the page</a>
<header><a class="home" href="/handbook">Pharos handbook</a>
<form action="/handbook" role="search"><input name="q" type="search" aria-label="Search the handbook" placeholder="Search" value="${escapeHtml(q)}" maxlength="200"><button>Search</button></form>
<a href="/handbook/${fileName}" download>Save to read offline</a> <a href="/console">Console</a></header>
<div class="columns"><nav aria-label="Pages"><details open><summary>Pages</summary>${navHtml(book, apart, slug)}</details></nav>
<main id="page">${html}</main></div></body></html>`;
}

/** Every page in one file, with nothing that has to be loaded: it is searched with the browser's own search. */
function document(book: Book, layout: HandbookLayout): string {
  const pages = book.groups.flatMap(({ slugs }) => slugs.flatMap((slug) => book.pages.get(slug) ?? []));
  const articles = pages.map(({ slug, html }) => `<article id="${escapeHtml(layout.id(slug, ''))}">${html}</article>`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="content-security-policy" content="${policyOfFile}">
<title>Pharos handbook</title><style>${style}</style></head><body>
<a class="skip" href="#page">Skip to the pages</a>
<header><a class="home" href="#page">Pharos handbook</a> <span>All pages. Search with your browser: Ctrl-F, on a Mac ⌘F.</span></header>
<div class="columns one"><nav aria-label="Pages"><details open><summary>Pages</summary>${navHtml(book, layout, '?')}</details></nav>
<main>${articles.join('<hr>')}</main></div></body></html>`;
}

function navHtml({ groups, pages }: Book, layout: HandbookLayout, current: string): string {
  const item = (slug: string) => {
    const { title = slug } = pages.get(slug) ?? {};
    return `<li><a href="${escapeHtml(layout.href(slug))}"${slug === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`;
  };
  return groups.map(({ title, slugs }) => `<h2>${title}</h2><ul>${slugs.map(item).join('')}</ul>`).join('');
}

function foundHtml(found: readonly Found[]): string {
  const lines = found.map(({ page, section, excerpt }) => {
    const name = section.heading === page.title ? page.title : `${page.title}: ${section.heading}`;
    const to = `/handbook/${page.slug}#${section.anchor}`;
    return `<li><a href="${escapeHtml(to)}">${escapeHtml(name)}</a><p>${escapeHtml(excerpt)}</p></li>`;
  });
  const summary = found.length === 0 ? 'Nothing was found. Try other words.' : `${found.length} places have it.`;
  return `<h1>Search</h1><p role="status">${summary}</p><ol class="found">${lines.join('')}</ol>`;
}
