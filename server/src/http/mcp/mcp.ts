import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fail } from '../../base/errors.ts';
import type { AdmitToApp } from '../api.ts';
import { type FindAgent, findAgentOf } from '../console/console-guard.ts';
import { type AgentCaller, keyCaller, operationsOfRoles, roleCaller } from './agent-caller.ts';
import type { AgentServer, AgentServerOptions } from './agent-server.ts';

export interface McpOptions extends Omit<AgentServerOptions, 'inject'> {
  readonly admit: AdmitToApp;
  readonly findAgent: FindAgent;
  /** As people reach the service; undefined: as the request says. */
  readonly publicUrl: string | undefined;
}

const mcpPath = '/mcp';

/**
 * The Model Context Protocol (revision 2026-07-28, and the earlier ones without sessions) over streamable HTTP: what a secret key, or the
 * role of an administrator, may do, as tools. A tool's call is a request to `/api/v2`, or to the console's access to the app, with the same
 * credentials, so whatever holds there holds here.
 */
export function registerMcp(server: FastifyInstance, options: McpOptions): void {
  // Loaded with the first request: a service that no agent uses does without it.
  let loaded: Promise<AgentServer> | undefined;
  const load = async () => {
    const { createAgentServer } = await import('./agent-server.ts');
    return createAgentServer({ ...options, inject: (request) => server.inject(request) });
  };
  const operations = operationsOfRoles(options.endpoints);
  async function callerOf(request: FastifyRequest): Promise<AgentCaller> {
    const admin = await findAgentOf(request, options.findAgent);
    if (admin) return roleCaller(admin, operations);
    const { secretKey } = await options.admit(request);
    if (!secretKey) throw fail('OperationForbidden', 'Agents use a secret key; this is the key of the app.');
    return keyCaller(secretKey);
  }
  server.register(async (scope) => {
    const callers = new WeakMap<FastifyRequest, AgentCaller>();
    // Before the body is read.
    scope.addHook('onRequest', async (request) => {
      assertOwnOrigin(request, options.publicUrl);
      callers.set(request, await callerOf(request));
    });
    // What is no JSON is answered in the protocol's own way.
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: mcpPath,
      handler: async (request, reply) => {
        loaded ??= load();
        const { answer } = await loaded;
        return send(reply, await answer(request, callers.get(request) as AgentCaller));
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
