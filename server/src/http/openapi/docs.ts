import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Endpoint } from '../endpoint.ts';
import { docsStyle, renderDocsPage } from './docs-page.ts';
import { buildOpenApi, type OpenApiDocument } from './openapi.ts';
import { type WebhookCall, webhooksOf } from './webhooks.ts';

export interface DocsOptions {
  readonly endpoints: readonly Endpoint[];
  readonly version: string;
  readonly publicUrl: () => string;
  readonly webhooks: () => readonly WebhookCall[];
}

const introduction = `
<p>Every request goes to <code>/api/v2</code> and carries the headers <code>X-Service-AppId</code> and <code>X-Service-AppKey</code>
of an app; what a signed-in user does also carries <code>Authorization: Bearer …</code>. Bodies are JSON in UTF-8. The same
description for programs is <a href="/openapi.json">/openapi.json</a> (OpenAPI 3.1).</p>
<p>Lists take <code>where</code>, <code>order</code>, <code>skip</code>, <code>limit</code> and <code>count</code>. A <code>where</code> is a JSON
object: <code>{"metadata.count":{"$gte":2},"$or":[{"metadata.species":"Kestrel"},{"metadata.species":{"$regex":"^Kite"}}]}</code>.
Operators: <code>$lt $lte $gt $gte $ne $in $nin $regex $exists $all</code>, joined by <code>$or $and $nor</code>.</p>`;

/** `/openapi.json` and `/docs`. Both are made on the first request and kept. */
export function registerDocs(server: FastifyInstance, options: DocsOptions): void {
  let known: { readonly document: OpenApiDocument; readonly text: string; readonly page: string } | undefined;
  const made = () => {
    if (known) return known;
    const document = buildOpenApi({
      endpoints: options.endpoints,
      version: options.version,
      serverUrl: options.publicUrl(),
      webhooks: webhooksOf(options.webhooks()),
    });
    known = { document, text: JSON.stringify(document), page: renderDocsPage(document, introduction) };
    return known;
  };
  const styleHash = createHash('sha256').update(docsStyle).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
  server.get('/openapi.json', async (_request, reply) => {
    reply.type('application/json; charset=utf-8').header('access-control-allow-origin', '*');
    return made().text;
  });
  server.get('/docs', async (_request, reply) => {
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', policy)
      .header('x-content-type-options', 'nosniff')
      .header('referrer-policy', 'no-referrer');
    return made().page;
  });
}
