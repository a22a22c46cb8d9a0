import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../base/errors.ts';

/** The folder that `scripts/build-console.mjs` writes the console to. */
export const consoleFolder = fileURLToPath(new URL('../../../../console/dist', import.meta.url));

const compress = promisify(gzip);

interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Undefined where compressing does not pay. Made when it is first asked for: of most files it never is. */
  readonly gzipped: () => Promise<Buffer> | undefined;
  /** The name contains a hash of the content, so a browser may keep it for good. */
  readonly isHashed: boolean;
}

type PageFiles = ReadonlyMap<string, PageFile>;

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const missingPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Pharos</title></head><body>
<h1>The console is not built</h1><p>Start the service with <code>npm start</code>, which builds it, or run
<code>node scripts/build-console.mjs</code> and load this page again. The interface for apps works without it.</p>
</body></html>`;

/**
 * Serves the management console's pages below `/console`. The files are few and small, so they are read once and kept;
 * a request's path is only looked up among them. Every other path gets the one page, whose script handles the rest.
 */
export function registerConsoleFiles(server: FastifyInstance, folder = consoleFolder): void {
  let kept: PageFiles | undefined;
  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    secure(reply);
    kept ??= readFiles(folder);
    const path = (request.url.split('?')[0] ?? '').replace(/^\/console\/?/, '');
    const file = kept?.get(path);
    if (file) return send(request, reply, file);
    if (path.startsWith('assets/')) throw fail('NotFound');
    const page = kept?.get('index.html');
    if (page) return send(request, reply, page);
    return reply.code(503).type('text/html; charset=utf-8').header('cache-control', 'no-store').send(missingPage);
  };
  server.get('/console', answer);
  // A person who opens the service's address is redirected; a program finds nothing here.
  server.get('/', (request, reply) => {
    reply.header('vary', 'accept').header('cache-control', 'no-store');
    if (!/\btext\/html\b/.test(request.headers.accept ?? '')) throw fail('NotFound');
    return reply.redirect('/console');
  });
  // Everything below /console/api answers for itself, unknown paths included.
  server.get('/console/:page(^(?!api$)[^/]+$)', answer);
  server.get('/console/:page(^(?!api$)[^/]+$)/*', answer);
}

function secure(reply: FastifyReply): void {
  reply
    .header('content-security-policy', contentPolicy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')
    .header('x-frame-options', 'DENY');
}

async function send(request: FastifyRequest, reply: FastifyReply, file: PageFile): Promise<FastifyReply> {
  const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  reply
    .type(file.type)
    .header('vary', 'accept-encoding')
    .header('cache-control', file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  const gzipped = takesGzip ? await file.gzipped() : undefined;
  if (!gzipped) return reply.send(file.bytes);
  return reply.header('content-encoding', 'gzip').send(gzipped);
}

/** Undefined while the console is not built, so that a later build is noticed without a restart. */
function readFiles(folder: string): PageFiles | undefined {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const served = names.filter((name) => extname(name) in types).map((name) => name.split(sep).join('/'));
  if (!served.includes('index.html')) return undefined;
  return new Map(served.map((name) => [name, readPageFile(folder, name)]));
}

function readPageFile(folder: string, name: string): PageFile {
  const bytes = readFileSync(join(folder, name));
  const isText = ['.html', '.js', '.mjs', '.css', '.svg'].includes(extname(name));
  const isWorthwhile = isText && bytes.length > 1_000;
  let gzipped: Promise<Buffer> | undefined;
  return {
    type: types[extname(name)] ?? 'application/octet-stream',
    bytes,
    gzipped: () => {
      // On a thread: nobody else waits for a large one.
      if (isWorthwhile) gzipped ??= compress(bytes);
      return gzipped;
    },
    isHashed: name.startsWith('assets/'),
  };
}
