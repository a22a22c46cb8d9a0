import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { ClientConnections } from './connections.ts';
import { perTick } from './per-tick.ts';

/*
 * Relies on (`relied-on.test.ts`): Node emits `checkContinue` or `checkExpectation` instead of `request` where somebody
 * listens for it; `complete` of a request says whether all of it was read; after an answer with `connection: close` Node
 * calls `destroySoon` of the socket, which a method of this one socket can take the place of.
 */

/** If no more than this of an announced body is left, it is read and discarded: cheaper than a new connection. */
const smallBytes = 65_536;
/** How much is still read and discarded after a refusal, so that the client gets to read the answer. */
const lingerBytes = 1_048_576;
const lingerMs = 2_000;

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isSmall({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length']) <= smallBytes;
}

/**
 * How bodies are awaited, and what happens to the rest of a refused one.
 *
 * - `Expect: 100-continue` is answered only when the body is about to be read, so that a request that is refused by its
 *   headers is never followed by its body.
 * - A client that stalls in the middle of a body, or sends it too slowly, is disconnected (`Connections`).
 * - After an answer that came before the whole body, the connection is closed instead of reading the rest. Closing at
 *   once would reset the connection and could take the answer away from a client that is still sending (RFC 9112,
 *   section 9.6), so a little more is read and discarded first.
 */
export function registerBodyHandling(server: FastifyInstance, connections: ClientConnections): void {
  const pass = (request: IncomingMessage, response: ServerResponse) => server.server.emit('request', request, response);
  server.server.on('checkContinue', pass);
  // An unknown expectation may be ignored (RFC 9110, section 10.1.1); without this, Node answers without a body.
  server.server.on('checkExpectation', pass);

  server.addHook('preParsing', (request, reply, _payload, done) => {
    const { raw } = request;
    if (announcesBody(raw)) {
      if (/^100-continue$/i.test(raw.headers.expect ?? '')) reply.raw.writeContinue();
      watch({ request: raw, connections });
    }
    done();
  });
  server.addHook('onSend', (request, reply, _payload, done) => {
    const { raw } = request;
    // The client should not wait for a next answer on a connection that is about to go.
    if (server.leaving.now) reply.header('connection', 'close');
    // Only a real connection says `false`; an injected request has no socket to protect.
    if (raw.complete === false && announcesBody(raw) && !isSmall(raw)) {
      reply.header('connection', 'close');
      lingerBeforeClosing(raw);
    }
    done();
  });
}

/** At the end of the tick: most bodies have come with their headers and need no waiting. */
const watch = perTick<{ readonly request: IncomingMessage; readonly connections: ClientConnections }>((all) => {
  for (const { request, connections } of all) connections.waitForBody(request);
});

/**
 * Node calls `destroySoon` once the answer is sent; this socket closes more slowly. The rest of the body is read here,
 * because Node does not count what it discards itself.
 */
function lingerBeforeClosing(request: IncomingMessage): void {
  const { socket } = request;
  if (typeof socket?.destroySoon !== 'function') return;
  let taken = 0;
  let isAnswered = false;
  const closeWhenEnough = () => {
    if (isAnswered && (taken > lingerBytes || request.complete)) socket.destroy();
  };
  request.on('data', (chunk: Buffer) => {
    taken += chunk.length;
    closeWhenEnough();
  });
  request.on('end', closeWhenEnough);
  request.on('error', () => undefined);
  request.resume();
  socket.destroySoon = () => {
    socket.end(() => {
      isAnswered = true;
      closeWhenEnough();
    });
    const timer = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(timer));
  };
}
