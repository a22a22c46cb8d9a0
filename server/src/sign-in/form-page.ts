import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { readBody } from '../http/server/read-body.ts';
import { asFailure } from '../http/server/render-error.ts';

/** The plain pages behind links in mails: a form, without a script. */

const mostFormBytes = 16_384;

const style = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:26rem;margin:10vh auto;padding:0 1rem}
label,input,button{display:block;width:100%;box-sizing:border-box;font:inherit}input{padding:.6rem;margin:.3rem 0 1rem}button{padding:.7rem}
[role=alert]{border-left:4px solid #c0392b;padding:.4rem .8rem}`;

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  // The address holds the token.
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export const alertHtml = (message: string) => `<p role="alert">${escapeHtml(message)}</p>`;

/** Makes what is registered on `page` read forms, and answer errors as pages of this title. */
export function readForms(page: FastifyInstance, title: string): void {
  page.removeAllContentTypeParsers();
  page.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
    readBody(payload, mostFormBytes, (failure, body) =>
      done(failure, Object.fromEntries(new URLSearchParams(String(body ?? '')))),
    );
  });
  page.setErrorHandler((error, request, reply) => {
    const failure = asFailure(error);
    if (failure.entry.status >= 500) request.log.error({ err: failure.cause ?? failure }, failure.message);
    void sendPage(reply, { status: failure.entry.status, title, content: alertHtml(failure.message) });
  });
}

export interface FormPage {
  readonly status: number;
  readonly title: string;
  /** HTML. */
  readonly content: string;
}

export function sendPage(reply: FastifyReply, { status, title, content }: FormPage): FastifyReply {
  return reply
    .code(status)
    .headers(headers)
    .send(
      `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style></head><body><main>${content}</main></body></html>`,
    );
}

/** Text members of a query or a form; what is missing or no text is empty. */
export function readTexts<Name extends string>(given: unknown, names: readonly Name[]): Readonly<Record<Name, string>> {
  const values = (given ?? {}) as Readonly<Record<string, unknown>>;
  const text = (name: string) => (typeof values[name] === 'string' ? (values[name] as string) : '');
  return Object.fromEntries(names.map((name) => [name, text(name)])) as Record<Name, string>;
}
