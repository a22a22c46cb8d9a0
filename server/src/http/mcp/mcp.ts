import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SecretKey } from '../../access/keys/secret-key.ts';
import { fail } from '../../base/errors.ts';
import type { AdmitToApp } from '../api.ts';
import type { AgentServer, AgentServerOptions } from './agent-server.ts';

export interface McpOptions extends Omit<AgentServerOptions, 'inject'> {
  readonly admit: AdmitToApp;
  /** As people reach the service; undefined: as the request says. */
  readonly publicUrl: string | undefined;
}

const mcpPath = '/mcp';

/**
 * The Model Context Protocol (revision 2026-07-28, and the earlier ones without sessions) over streamable HTTP: what a secret key may do, as
 * tools. A tool's call is a request to `/api/v2` with the same credentials, so whatever holds there holds here.
 */
export function registerMcp(server: FastifyInstance, options: McpOptions): void {
  // Loaded with the first request: a service that no agent uses does without it.
  let loaded: Promise<AgentServer> | undefined;
  const load = async () => {
    const { createAgentServer } = await import('./agent-server.ts');
    return createAgentServer({ ...options, inject: (request) => server.inject(request) });
  };
  server.register(async (scope) => {
    const keys = new WeakMap<FastifyRequest, SecretKey>();
    // Before the body is read.
    scope.addHook('onRequest', async (request) => {
      assertOwnOrigin(request, options.publicUrl);
      const { secretKey } = await options.admit(request);
      if (!secretKey) throw fail('OperationForbidden', 'Agents use a secret key; this is the key of the app.');
      keys.set(request, secretKey);
    });
    // What is no JSON is answered in the protocol's own way.
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: mcpPath,
      handler: async (request, reply) => {
        loaded ??= load();
        const { answer } = await loaded;
        return send(reply, await answer(request, keys.get(request) as SecretKey));
      },
    });
  });
}

/**
 * The protocol asks for it: a page of another site that a browser has open must not reach a service on this machine or in this network by
 * a name of its own (DNS rebinding).
 *
 * @throws Failure OperationForbidden
 */
function assertOwnOrigin({ headers, protocol }: FastifyRequest, publicUrl: string | undefined): void {
  const { origin } = headers;
  if (origin === undefined) return;
  const isHere = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/.test(origin);
  const isOwn =
    publicUrl === undefined
      ? isHere && origin === `${protocol}://${headers.host}`
      : origin === new URL(publicUrl).origin;
  if (!isOwn) throw fail('OperationForbidden', 'Pages of other origins may not call this.');
}

function send(reply: FastifyReply, { status, headers, body }: Response): FastifyReply {
  reply.code(status).headers(Object.fromEntries(headers)).header('cache-control', 'no-store');
  return reply.send(body ? Readable.fromWeb(body as never) : '');
}
