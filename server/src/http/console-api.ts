import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import { fail } from '../errors.ts';
import { acceptJson, allowedMethods } from './api.ts';
import type { AdminContext, ConsoleCall, ConsoleEndpoint, NewSession } from './console-endpoint.ts';
import { isAllowed } from './console-roles.ts';

export const consolePrefix = '/console/api';

export interface ConsoleApiOptions {
  readonly endpoints: readonly ConsoleEndpoint[];
  /** The administrator of a session token; undefined for an unknown, expired or idle one. */
  findSession(token: string): Promise<AdminContext | undefined>;
  readonly now: Clock;
  /** The configured address; undefined: the one that the request names. */
  readonly publicUrl: string | undefined;
}

type Early = Omit<ConsoleCall<undefined>, 'body'>;

declare module 'fastify' {
  interface FastifyRequest {
    consoleCall: Early | undefined;
  }
}

/** Serves the management interface: origin, session, role, path, body, in this order. */
export async function registerConsoleApi(fastify: FastifyInstance, options: ConsoleApiOptions): Promise<void> {
  const cookie = sessionCookie(options.publicUrl);
  await fastify.register(
    async (api) => {
      api.decorateRequest('consoleCall', undefined);
      api.addHook('onSend', async (_request, reply) => {
        reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
      });
      acceptJson(api);
      for (const endpoint of options.endpoints) route(api, endpoint, options, cookie);
      api.setNotFoundHandler((request, reply) => answerUnrouted(request, reply, options.endpoints));
    },
    { prefix: consolePrefix },
  );
}

function route(fastify: FastifyInstance, endpoint: ConsoleEndpoint, options: ConsoleApiOptions, cookie: SessionCookie) {
  fastify.route({
    method: endpoint.method,
    url: endpoint.path,
    onRequest: async (request, reply) => {
      if (endpoint.method !== 'GET') assertOwnOrigin(request, options.publicUrl);
      const admin = await guard(request, endpoint, options, cookie);
      request.consoleCall = {
        admin,
        by: { name: admin?.email ?? 'nobody', address: request.ip },
        params: readParams(request.params as Record<string, string>),
        query: readQuery(request.query as Record<string, string | string[]>),
        now: options.now(),
        address: request.ip,
        setSession: (session) => void reply.header('set-cookie', cookie.write(session, options.now())),
      };
      await endpoint.locate?.(request.consoleCall.params);
    },
    handler: async (request, reply) => {
      const early = request.consoleCall as Early;
      if (endpoint.body && request.body === undefined)
        throw fail('InvalidJSON', 'The body is empty; send a JSON object.');
      const answer = await endpoint.handle({ ...early, body: endpoint.body?.read(request.body) });
      reply.code(endpoint.answer.status).type('application/json; charset=utf-8');
      return JSON.stringify(answer);
    },
  });
}

async function guard(
  request: FastifyRequest,
  { permission }: ConsoleEndpoint,
  options: ConsoleApiOptions,
  cookie: SessionCookie,
): Promise<AdminContext | undefined> {
  if (permission === 'public') return undefined;
  const token = cookie.read(request.headers.cookie);
  const admin = token === undefined ? undefined : await options.findSession(token);
  if (!admin) throw fail('InvalidSessionToken', 'You are not signed in, or the session has ended. Sign in again.');
  if (isAllowed(admin.role, permission)) return admin;
  throw fail('OperationForbidden', `The role ${admin.role} does not include this (${permission}).`);
}

/** PostgreSQL takes no U+0000 in a text, so nothing is called so. */
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

/**
 * A write must come from a page of the console itself. A browser says so in `Origin`; a foreign page cannot forge it,
 * and SameSite alone would not stop one on a neighbouring subdomain.
 */
function assertOwnOrigin(request: FastifyRequest, publicUrl: string | undefined): void {
  const { origin } = request.headers;
  const own = [`${request.protocol}://${request.host}`, ...(publicUrl ? [new URL(publicUrl).origin] : [])];
  if (origin === undefined ? request.headers['sec-fetch-site'] === 'same-origin' : own.includes(origin)) return;
  throw fail(
    'OperationForbidden',
    origin === undefined
      ? 'Send the header Origin with the address of the console.'
      : 'This page may not change anything here: its Origin is not the address of the console.',
  );
}

interface SessionCookie {
  read(header: string | undefined): string | undefined;
  write(session: NewSession | undefined, now: number): string;
}

/** Under https the name's prefix makes the browser refuse a cookie that another host or an insecure page has set. */
function sessionCookie(publicUrl: string | undefined): SessionCookie {
  const isSecure = publicUrl?.startsWith('https:') ?? false;
  const name = isSecure ? '__Host-pharos' : 'pharos';
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    read(header) {
      const pairs = (header ?? '').split(';').map((pair) => pair.trim());
      return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
    },
    write(session, now) {
      const seconds = session ? Math.floor((session.expiresAt - now) / 1000) : 0;
      return `${name}=${session?.token ?? ''}; ${attributes}; Max-Age=${seconds}`;
    },
  };
}

async function answerUnrouted(
  request: FastifyRequest,
  reply: FastifyReply,
  endpoints: readonly ConsoleEndpoint[],
): Promise<void> {
  const path = (request.url.split('?')[0] ?? '').slice(consolePrefix.length);
  const allowed = allowedMethods(path, endpoints);
  if (allowed.length === 0) throw fail('NotFound');
  reply.header('allow', allowed.join(', '));
  throw fail('MethodNotAllowed', { message: `${request.method} is not possible here; ${allowed.join(', ')} are.` });
}
