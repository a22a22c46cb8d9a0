import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../../base/errors.ts';
import type { BlobStorage } from '../../../blobs/blob-store.ts';
import type { Db } from '../../../db/db.ts';
import { servedAs } from './headers/media-type.ts';
import { isUnchanged, requestedRange } from './headers/preconditions.ts';
import { blobKeyOf, contentDisposition } from './place/file-name.ts';
import { findServedFile, type ServedFile } from './store.ts';

const nameForm = /^[0-9a-f]{32}_/;

/**
 * Only the requesting client may cache it, and asks again after a minute, so that a deleted file is gone from then on.
 * Asking costs one index look-up and an answer without a body.
 */
const cacheControl = 'private, max-age=60, must-revalidate';

interface Deps {
  readonly db: Db;
  readonly blobs: BlobStorage;
  /** Whether apps read files from the storage itself, if it can sign addresses. */
  readonly redirects: boolean;
}

/**
 * Serves uploaded files at `/files/{appId}/{storedName}` to anyone who knows the address, without credentials.
 *
 * The files share the origin of the console. So only inert types keep their type; everything else is saved and not
 * shown, and what is shown is in a sandbox without an origin.
 */
export function registerFileServing(server: FastifyInstance, deps: Deps): void {
  server.route<{ Params: { appId: string; storedName: string } }>({
    method: ['GET', 'HEAD'],
    url: '/files/:appId/:storedName',
    handler: async (request, reply) => {
      const { appId, storedName } = request.params;
      const file = isPossible(appId, storedName) ? await findServedFile(deps.db, appId, storedName) : undefined;
      if (!file) throw notFound();
      return serve(request, reply, { file, key: blobKeyOf(appId, storedName), ...deps });
    },
  });
}

/** PostgreSQL fails on U+0000 instead of finding nothing. */
function isPossible(appId: string, storedName: string): boolean {
  return /^[0-9A-Za-z]{1,64}$/.test(appId) && nameForm.test(storedName) && !storedName.includes('\0');
}

const notFound = () => fail('NotFound', 'There is no such file.');

interface Found extends Omit<Deps, 'db'> {
  readonly file: ServedFile;
  readonly key: string;
}

async function serve(request: FastifyRequest, reply: FastifyReply, found: Found): Promise<FastifyReply> {
  const { file, key, blobs } = found;
  const validators = { etag: `"${file.sha256}"`, modifiedAt: file.created_at };
  reply.headers({
    'cache-control': cacheControl,
    etag: validators.etag,
    'last-modified': new Date(file.created_at).toUTCString(),
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'",
    'cross-origin-resource-policy': 'cross-origin',
    'access-control-allow-origin': '*',
  });
  if (isUnchanged(request.headers, validators)) return reply.code(304).send();
  const { contentType, disposition } = servedAs(file.content_type);
  reply.headers({ 'accept-ranges': 'bytes', 'content-disposition': contentDisposition(disposition, file.name) });
  reply.type(contentType);
  // A range of a HEAD request is ignored (RFC 9110, section 14.2).
  if (request.method === 'HEAD') return reply.header('content-length', file.size).send();
  if (found.redirects && blobs.signedUrl && !isOwnPage(request)) return redirect(reply, found, blobs.signedUrl);
  const range = requestedRange(request.headers, file.size, validators);
  if (range === 'unsatisfiable') return refuseRange(reply, file.size);
  const bytes = await blobs.get(key, range);
  if (!bytes) {
    request.log.error({ key }, 'the bytes of a file are missing from the storage');
    throw notFound();
  }
  if (range) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${file.size}`);
  return reply.header('content-length', range ? range.end - range.start + 1 : file.size).send(bytes);
}

/** The console's pages show nothing from other addresses; their content policy forbids it. */
function isOwnPage({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-site'] === 'same-origin';
}

/** The bytes come from the storage, with the same type and name. The address is signed, and valid for a minute. */
async function redirect(
  reply: FastifyReply,
  { file, key }: Found,
  sign: NonNullable<BlobStorage['signedUrl']>,
): Promise<FastifyReply> {
  const { contentType, disposition } = servedAs(file.content_type);
  const signed = await sign(key, {
    contentType,
    disposition: contentDisposition(disposition, file.name),
    cacheControl,
  });
  for (const name of ['content-disposition', 'content-type', 'accept-ranges', 'etag', 'last-modified'])
    reply.removeHeader(name);
  return reply.header('cache-control', 'private, no-store').redirect(signed, 302);
}

function refuseRange(reply: FastifyReply, size: number): FastifyReply {
  for (const name of ['cache-control', 'content-disposition', 'content-type']) reply.removeHeader(name);
  return reply.code(416).header('content-range', `bytes */${size}`).send();
}
