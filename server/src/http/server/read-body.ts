import type { IncomingMessage } from 'node:http';
import { fail } from '../../base/errors.ts';
import { perTick } from './per-tick.ts';

type Done = (error: Error | null, body?: Buffer) => void;

interface Reading {
  readonly request: IncomingMessage;
  readonly maxBytes: number;
  readonly done: Done;
}

/**
 * Passes on the body of a request in one piece of at most `maxBytes`. A small body has come with its headers and is
 * complete by the end of the tick: it is then read without the listeners and events that a longer one needs.
 *
 * `done` gets a Failure ObjectTooLarge or InvalidJSON (the connection ended early), or whatever else broke the stream.
 */
export function readBody(request: IncomingMessage, maxBytes: number, done: Done): void {
  if (Number(request.headers['content-length']) > maxBytes) done(tooLarge(maxBytes));
  else readLater({ request, maxBytes, done });
}

const readLater = perTick<Reading>((all) => {
  for (const { request, maxBytes, done } of all) {
    if (request.complete !== true) collect(request, maxBytes, done);
    else if (request.readableLength > maxBytes) done(tooLarge(maxBytes));
    else done(null, (request.read() as Buffer | null) ?? Buffer.alloc(0));
  }
});

function collect(request: IncomingMessage, maxBytes: number, done: Done): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const take = (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxBytes) finish(tooLarge(maxBytes));
    else chunks.push(chunk);
  };
  const end = () => finish(null);
  const finish = (error: Error | null) => {
    request.off('data', take).off('end', end).off('error', finish);
    if (error) done((error as NodeJS.ErrnoException).code === 'ECONNRESET' ? cutShort(error) : error);
    else done(null, Buffer.concat(chunks, length));
  };
  request.on('data', take).on('end', end).on('error', finish);
}

function tooLarge(maxBytes: number): Error {
  const most = maxBytes < 1_048_576 ? `${maxBytes / 1024} KiB` : `${maxBytes / 1_048_576} MiB`;
  return fail('ObjectTooLarge', `The body is larger than ${most}.`);
}

function cutShort(cause: Error): Error {
  return fail('InvalidJSON', { message: 'The connection ended before the body was complete.', cause });
}
