import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Failure } from '../base/errors.ts';
import { escapeHtml } from '../http/escape-html.ts';
import { readBody } from '../http/server/read-body.ts';
import { asFailure } from '../http/server/render-error.ts';
import { isPageText, type PageLanguage, type PageText, pageLanguageOf, say } from './page-words.ts';

/** The plain pages behind links in mails: a form, without a script. */

const maxFormBytes = 16_384;

const style = `:root{color-scheme:light dark;--ground:#f5f6f8;--card:#fff;--text:#1f2630;--soft:#525c69;--line:#858f9c;--accent:#0b5c8c;--on:#fff;--wrong:#b3261e}
@media(prefers-color-scheme:dark){:root{--ground:#14171b;--card:#1d2126;--text:#e8ebef;--soft:#b0b8c2;--line:#6d7783;--accent:#6bb8e6;--on:#0c1116;--wrong:#f2837b}}
body{margin:0;box-sizing:border-box;min-height:100vh;min-height:100dvh;padding:1rem;display:grid;place-items:center;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{box-sizing:border-box;width:100%;max-width:26rem;padding:2rem;border-radius:12px;background:var(--card)}
h1{margin:0 0 .5rem;font-size:1.5rem;line-height:1.25}p{margin:0 0 1.25rem;color:var(--soft);overflow-wrap:anywhere}p:last-child{margin:0}
label,input,button{display:block;width:100%;box-sizing:border-box;font:inherit}label,button{font-weight:600}
input{margin:.35rem 0 1.25rem;padding:.65rem .75rem;border:1px solid var(--line);border-radius:8px;background:var(--card);color:inherit}
button{padding:.7rem;border:0;border-radius:8px;background:var(--accent);color:var(--on);cursor:pointer}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
[role=alert]{padding:.1rem 0 .1rem .8rem;border-left:4px solid var(--wrong);color:var(--text)}
@media(max-width:30rem){body{place-items:start center;background:var(--card)}main{padding:1rem 0}}`;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  // The address holds the token.
  'referrer-policy': 'no-referrer',
  vary: 'accept-language',
  'x-content-type-options': 'nosniff',
};

export const alertHtml = (message: string) => `<p role="alert">${escapeHtml(message)}</p>`;

/** What a page says to whoever has sent a request, as HTML. */
export type Say = (text: PageText, values?: Readonly<Record<string, string | number>>) => string;

export const sayTo = ({ headers }: FastifyRequest): Say => {
  const language = pageLanguageOf(headers);
  return (text, values) => escapeHtml(say(language, text, values));
};

/** A failure in the reader's language; what has no translation is told in general. */
export function failureText({ message, entry }: Failure, language: PageLanguage): string {
  if (isPageText(message)) return say(language, message);
  if (language === 'en') return message;
  return say(
    language,
    entry.status === 429 ? 'Too many attempts. Try again in a few minutes.' : 'That did not work. Try again later.',
  );
}

/** Makes what is registered on `page` read forms, and answer errors as pages of this title. */
export function readForms(page: FastifyInstance, title: PageText): void {
  page.removeAllContentTypeParsers();
  page.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
    readBody(payload, maxFormBytes, (failure, body) =>
      done(failure, Object.fromEntries(new URLSearchParams(String(body ?? '')))),
    );
  });
  page.setErrorHandler((error, request, reply) => {
    const failure = asFailure(error);
    if (failure.entry.status >= 500) request.log.error({ err: failure.cause ?? failure }, failure.message);
    const text = failureText(failure, pageLanguageOf(request.headers));
    const content = `<h1>${sayTo(request)(title)}</h1>${alertHtml(text)}`;
    void sendPage(reply, { status: failure.entry.status, title, content });
  });
}

export interface FormPage {
  readonly status: number;
  readonly title: PageText;
  /** HTML. */
  readonly content: string;
}

export function sendPage(reply: FastifyReply, { status, title, content }: FormPage): FastifyReply {
  const language = pageLanguageOf(reply.request.headers);
  return reply
    .code(status)
    .headers(headers)
    .send(
      `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(say(language, title))}</title><style>${style}</style></head><body><main>${content}</main></body></html>`,
    );
}

/** Text members of a query or a form; what is missing or no text is empty. */
export function readTexts<Name extends string>(given: unknown, names: readonly Name[]): Readonly<Record<Name, string>> {
  const values = (given ?? {}) as Readonly<Record<string, unknown>>;
  const text = (name: string) => (typeof values[name] === 'string' ? (values[name] as string) : '');
  return Object.fromEntries(names.map((name) => [name, text(name)])) as Record<Name, string>;
}
