import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../base/clock.ts';
import { fail } from '../../base/errors.ts';
import { readIfMatch } from '../if-match.ts';
import { routesOf, stopOf } from '../mount-endpoints.ts';
import { pathBelow, type Route, Router, registerRoutes } from '../server/router.ts';
import { type ConsoleDataOptions, consoleData } from './console-data.ts';
import { assertConfirmed, type ConsoleCall, type ConsoleEndpoint, FileDownload } from './console-endpoint.ts';
import { type ConsoleGuard, type ConsoleGuardOptions, createConsoleGuard } from './console-guard.ts';

export const consolePrefix = '/console/api';

export interface ConsoleApiOptions extends ConsoleGuardOptions {
  readonly endpoints: readonly ConsoleEndpoint[];
  /** The endpoints of `/api/v2`, which administrators reach below each app. */
  readonly data: ConsoleDataOptions;
  /** @throws Failure ObjectNotFound */
  readonly assertApp: (appId: string) => Promise<unknown>;
  readonly now: Clock;
}

type Early = Omit<ConsoleCall<undefined>, 'body'>;

declare module 'fastify' {
  interface FastifyRequest {
    consoleCall: Early | undefined;
    /** The session's token, if it came in the cookie of the former version. */
    formerSession: string | undefined;
  }
}

/** Serves the management interface: origin, session, role, path, body, in this order. */
export async function registerConsoleApi(fastify: FastifyInstance, options: ConsoleApiOptions): Promise<void> {
  const guard = createConsoleGuard(options);
  const { data, now } = options;
  await fastify.register(
    async (api) => {
      api.decorateRequest('consoleCall', undefined);
      api.decorateRequest('formerSession', undefined);
      api.addHook('onSend', async ({ formerSession }, reply) => {
        if (formerSession !== undefined && !reply.hasHeader('set-cookie'))
          reply.header('set-cookie', guard.cookies.session.rename(formerSession));
        reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
      });
      api.decorateRequest('call', undefined);
      api.decorateRequest('followed', undefined);
      api.decorateRequest('admin', undefined);
      const router = new Router([
        ...options.endpoints.map((endpoint) => routeOf(endpoint, guard, options)),
        ...routesOf(consoleData({ ...data, guard, now }), stopOf(api)),
      ]);
      const refuse = (request: FastifyRequest, reply: FastifyReply) => answerUnrouted(request, reply, router);
      registerRoutes(api, router, refuse);
      api.setNotFoundHandler(refuse);
    },
    { prefix: consolePrefix },
  );
}

function routeOf(
  endpoint: ConsoleEndpoint,
  guard: ConsoleGuard,
  { now, assertApp }: Pick<ConsoleApiOptions, 'now' | 'assertApp'>,
): Route {
  const { method, path } = endpoint;
  return {
    method,
    path,
    async begin(request, reply) {
      const admin = await guard.admit(request, endpoint.permission, endpoint.narrows);
      if (endpoint.needsConfirmation && admin) assertConfirmed(admin, now());
      request.consoleCall = {
        admin,
        by: { name: admin?.email ?? 'nobody', address: request.ip },
        params: readParams(request.params as Record<string, string>),
        query: readQuery(request.query as Record<string, string | string[]>),
        now: now(),
        address: request.ip,
        origin: guard.originOf(request),
        headers: request.raw.headers,
        assertUnchanged: endpoint.takesIfMatch && readIfMatch(request.raw.headers),
        setTag: (tag) => void reply.header('etag', tag),
        setSession: (session) => void reply.header('set-cookie', guard.cookies.session.write(session, now())),
        bindBrowser: (secret) => void reply.header('set-cookie', guard.cookies.attempt.write(secret)),
      };
      const { params } = request.consoleCall;
      if (params['appId'] !== undefined) await assertApp(params['appId']);
      await endpoint.locate?.(params);
    },
    async handle(request, reply) {
      const early = request.consoleCall as Early;
      if (endpoint.body && request.body === undefined)
        throw fail('InvalidJSON', 'The body is empty; send a JSON object.');
      const answer = await endpoint.handle({ ...early, body: endpoint.body?.read(request.body) });
      reply.code(endpoint.answer.status);
      if (endpoint.tagOf) early.setTag(endpoint.tagOf(answer));
      if (answer instanceof FileDownload)
        return reply
          .type(answer.type)
          .header('content-disposition', `attachment; filename="${answer.name}"`)
          .send(answer.bytes);
      reply.type('application/json; charset=utf-8');
      return JSON.stringify(endpoint.answer.isEmpty ? { result: {} } : answer);
    },
  };
}

/** PostgreSQL accepts no U+0000 in a text, so nothing has such a name. */
function readParams(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  if (Object.values(params).some((value) => value.includes('\u0000'))) throw fail('ObjectNotFound');
  return params;
}

function readQuery(query: Readonly<Record<string, string | string[]>>): Readonly<Record<string, string>> {
  const entries = Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? value.join() : value]);
  if (entries.some(([, value]) => value?.includes('\u0000')))
    throw fail('InvalidQuery', 'A query parameter contains the character U+0000.');
  return Object.fromEntries(entries) as Record<string, string>;
}

function answerUnrouted(request: FastifyRequest, reply: FastifyReply, router: Router): never {
  const allowed = router.methodsOf(pathBelow(consolePrefix, request));
  if (allowed.length === 0) throw fail('NotFound');
  reply.header('allow', allowed.join(', '));
  throw fail('MethodNotAllowed', {
    message: `${request.method} is not supported here. Supported: ${allowed.join(', ')}.`,
  });
}
