import type { IncomingMessage } from 'node:http';
import { fail } from '../../base/errors.ts';
import { perTick } from './per-tick.ts';

type Done = (error: Error | null, body?: Buffer) => void;

interface Reading {
  readonly request: IncomingMessage;
  readonly mostBytes: number;
  readonly done: Done;
}

/**
 * Passes on the body of a request in one piece of at most `mostBytes`. A small body has come with its headers and is
 * complete by the end of the tick: it is then read without the listeners and events that a longer one needs.
 *
 * `done` gets a Failure ObjectTooLarge or InvalidJSON (the connection ended early), or whatever else broke the stream.
 */
export function readBody(request: IncomingMessage, mostBytes: number, done: Done): void {
  if (Number(request.headers['content-length']) > mostBytes) done(tooLarge(mostBytes));
  else readLater({ request, mostBytes, done });
}

const readLater = perTick<Reading>((all) => {
  for (const { request, mostBytes, done } of all) {
    if (request.complete !== true) collect(request, mostBytes, done);
    else if (request.readableLength > mostBytes) done(tooLarge(mostBytes));
    else done(null, (request.read() as Buffer | null) ?? Buffer.alloc(0));
  }
});

function collect(request: IncomingMessage, mostBytes: number, done: Done): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const take = (chunk: Buffer) => {
    length += chunk.length;
    if (length > mostBytes) finish(tooLarge(mostBytes));
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

function tooLarge(mostBytes: number): Error {
  const most = mostBytes < 1_048_576 ? `${mostBytes / 1024} KiB` : `${mostBytes / 1_048_576} MiB`;
  return fail('ObjectTooLarge', `The body is larger than ${most}.`);
}

function cutShort(cause: Error): Error {
  return fail('InvalidJSON', { message: 'The connection ended before the body was complete.', cause });
}
