import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Book, Found } from './book.ts';
import { escapeHtml } from './escape.ts';
import type { Page } from './render.ts';

const docsFolder = fileURLToPath(new URL('../../../../docs', import.meta.url));
const style = readFileSync(new URL('style.css', import.meta.url), 'utf8');

/** A form that asks this service is all that a page may do. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The handbook at `/handbook`, made from `docs/` on the first request and kept. It needs no script and no other server. */
export function registerHandbook(server: FastifyInstance, docs = docsFolder): void {
  // Loaded with the first page: a service that nobody reads about does without.
  const load = () => import('./book.ts');
  let known: Promise<Book> | undefined;
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const { readBook, searchBook } = await load();
    known ??= readBook(docs);
    const book = await known;
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

interface Shown extends Pick<Page, 'title' | 'slug' | 'html'> {
  readonly q: string;
}

function whole(book: Book, { title, slug, html, q }: Shown): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · Pharos handbook</title><style>${style}</style></head><body>
<a class="skip" href="#page">Skip to the page</a>
<header><a class="home" href="/handbook">Pharos handbook</a>
<form action="/handbook" role="search"><input name="q" type="search" aria-label="Search the handbook" placeholder="Search" value="${escapeHtml(q)}" maxlength="200"><button>Search</button></form>
<a href="/console">Console</a></header>
<div class="columns"><nav aria-label="Pages"><details open><summary>Pages</summary>${navHtml(book, slug)}</details></nav>
<main id="page">${html}</main></div></body></html>`;
}

function navHtml({ groups, pages }: Book, current: string): string {
  const item = (slug: string) => {
    const { title = slug } = pages.get(slug) ?? {};
    return `<li><a href="/handbook/${escapeHtml(slug)}"${slug === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`;
  };
  return groups.map(({ title, slugs }) => `<h2>${title}</h2><ul>${slugs.map(item).join('')}</ul>`).join('');
}

function foundHtml(found: readonly Found[]): string {
  const lines = found.map(({ page, section, excerpt }) => {
    const name = section.heading === page.title ? page.title : `${page.title}: ${section.heading}`;
    const to = `/handbook/${page.slug}#${section.anchor}`;
    return `<li><a href="${escapeHtml(to)}">${escapeHtml(name)}</a><p>${escapeHtml(excerpt)}</p></li>`;
  });
  const told = found.length === 0 ? 'Nothing was found. Try other words.' : `${found.length} places have it.`;
  return `<h1>Search</h1><p role="status">${told}</p><ol class="found">${lines.join('')}</ol>`;
}
