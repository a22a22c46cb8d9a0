import cors from '@fastify/cors';
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccessGuard } from '../access/access.ts';
import type { AppContext, UserContext } from '../access/context.ts';
import type { Clock } from '../base/clock.ts';
import { Failure, fail, type Problem } from '../base/errors.ts';
import { type Soon, whenThere } from '../base/soon.ts';
import type { Revision } from '../db/revision.ts';
import { clientNetwork, type RateLimiter, type RateRule } from '../limits/rate-limit.ts';
import { type Call, type Endpoint, type Grant, JsonText, OtherAnswer } from './endpoint.ts';
import { jsonLimits, parseJsonBody } from './server/json-body.ts';
import { readBody } from './server/read-body.ts';
import { sentence } from './shape.ts';
import { eventStreamType, StreamAnswer, sendStream, skipStream } from './stream-answer.ts';

export const apiPrefix = '/api/v2';

const exposedName = 'access-control-expose-headers';
const exposedHeaders = 'Location, ETag, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Allow';

export interface ApiOptions {
  readonly endpoints: readonly Endpoint[];
  readonly guard: AccessGuard;
  readonly limiter: RateLimiter;
  /** Counts wrong app ids and keys by address; a limiter of its own, so that they push nobody's bucket out. */
  readonly wrongKeys: RateLimiter;
  readonly revision: Revision;
  readonly now: Clock;
  /** In lower case, such as `x-service-`. */
  readonly headerPrefixes: readonly string[];
  readonly corsOrigins: readonly string[] | '*';
  readonly assertRoom: AssertRoom;
}

/** Before something new is stored, or what is there is replaced. @throws Failure when too little room is left */
export type AssertRoom = (kind: 'create' | 'change') => void;

/** What a caller has to pass, with the names of the headers that hold credentials; the first that is there counts. */
interface Gate extends ApiOptions {
  readonly appIdNames: readonly string[];
  readonly appKeyNames: readonly string[];
}

export type EarlyCall = Omit<Call<undefined, undefined>, 'body' | 'located'>;

/** One object for each request: its last members are known later than the others. */
type GrowingCall = EarlyCall & { body: unknown; located: unknown };

declare module 'fastify' {
  interface FastifyRequest {
    call: GrowingCall | undefined;
  }
}

type Guarded = { readonly app: AppContext; readonly now: number };

/** What was found out about who calls, before anything else of the request is looked at. */
export type Admitted = Pick<EarlyCall, 'app' | 'user' | 'now'> & Partial<Pick<EarlyCall, 'isAdministrator'>>;

/** The endpoints as they are reached under one address, by one kind of caller. */
export interface Mount {
  readonly endpoints: readonly Endpoint[];
  /** Before each endpoint's path, below the prefix of the plugin. */
  readonly prefix: string;
  /** Who calls, and whether they may. @throws Failure */
  readonly admit: (request: FastifyRequest, endpoint: Endpoint) => Soon<Admitted>;
  /** The same question again while a stream is open; `admit` where that costs the caller nothing. */
  readonly readmit?: (request: FastifyRequest, endpoint: Endpoint) => Soon<Admitted>;
  readonly assertRoom: AssertRoom;
  /** Calls the endpoint's `handle`, and may do something before and after. */
  readonly handle?: (
    request: FastifyRequest,
    endpoint: Endpoint,
    call: Call<unknown, unknown>,
  ) => Promise<HandlerAnswer>;
  /** Refuses a method that the path does not have. @throws Failure */
  readonly refuseMethod: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** For the plugins of the framework. */
  readonly config?: FastifyContextConfig;
}

export type HandlerAnswer = JsonText | OtherAnswer | StreamAnswer | object;

/** Serves the endpoints below `/api/v2`: credentials, rate limit, bearer, path, body, in this order. */
export async function registerApi(fastify: FastifyInstance, options: ApiOptions): Promise<void> {
  const namesOf = (name: string) => options.headerPrefixes.map((prefix) => prefix + name);
  const gate = { ...options, appIdNames: namesOf('appid'), appKeyNames: namesOf('appkey') };
  const isOpen = options.corsOrigins === '*';
  await fastify.register(
    async (api) => {
      api.addHook('onRequest', (request, reply, done) => {
        reply.header('cache-control', 'no-store');
        // Where every origin is welcome there is nothing to find out, except for a preflight. Who names no origin does
        // not ask, and no cache keeps the answer for others.
        if (isOpen && request.raw.headers.origin !== undefined)
          reply.header('access-control-allow-origin', '*').header(exposedName, exposedHeaders);
        // For a preflight and for anybody else who asks: the document says the same, so no credentials are needed.
        if (request.method === 'OPTIONS') allow(request, reply, options.endpoints);
        done();
      });
      await api.register(cors, {
        origin: isOpen ? '*' : [...options.corsOrigins],
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
        exposedHeaders,
        maxAge: 7200,
        strictPreflight: false,
      });
      await mountEndpoints(api, {
        endpoints: options.endpoints,
        prefix: '',
        assertRoom: options.assertRoom,
        admit: (request, endpoint) =>
          whenThere(guardApp(request, gate), (app) => admitUser(request, app, endpoint, options.guard)),
        readmit: (request, endpoint) =>
          whenThere(findApp(request, gate), (app) => admitUser(request, app, endpoint, options.guard)),
        refuseMethod: (request, reply) => answerUnrouted(request, reply, gate),
        ...(isOpen ? { config: { cors: false } } : {}),
      });
      // In a hook and not in the handler, which would come only after the body.
      api.addHook('onRequest', (request, reply, done) => {
        if (request.is404) answerUnrouted(request, reply, gate).catch(done);
        else done();
      });
      api.setNotFoundHandler(() => {
        throw fail('NotFound');
      });
    },
    { prefix: apiPrefix },
  );
}

/** Routes the endpoints: who calls, path, body, in this order. */
export async function mountEndpoints(fastify: FastifyInstance, mount: Mount): Promise<void> {
  fastify.decorateRequest('call', undefined);
  const stop = new AbortController();
  // Streams would hold up the stop for ever.
  fastify.addHook('preClose', async () => stop.abort());
  await fastify.register(async (json) => {
    acceptJson(json);
    for (const endpoint of mount.endpoints) if (!endpoint.takesStream) route(json, endpoint, mount, stop.signal);
    routeMissingMethods(json, mount);
  });
  await fastify.register(async (streams) => {
    streams.removeAllContentTypeParsers();
    streams.addContentTypeParser('*', (_request, _payload, done) => done(null));
    for (const endpoint of mount.endpoints) if (endpoint.takesStream) route(streams, endpoint, mount, stop.signal);
  });
}

export function acceptJson(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', (request, payload, done) => {
    readBody(payload, jsonLimits.bytes, (failure, body) => {
      // Many clients put a content type on a request without a body; who needs one asks for it.
      if (!body || request.method === 'DELETE' || body.length === 0) return done(failure, undefined);
      try {
        done(null, parseJsonBody(body));
      } catch (error) {
        done(error as Error);
      }
    });
  });
}

function route(fastify: FastifyInstance, endpoint: Endpoint, mount: Mount, stopping: AbortSignal): void {
  const url = mount.prefix + endpoint.path;
  fastify.route({
    method: endpoint.method,
    // An empty file name is a name that the endpoint refuses, not another address.
    url: endpoint.takesStream ? `${url}?` : url,
    ...(mount.config ? { config: mount.config } : {}),
    onRequest: (request, _reply, done) => {
      const located = locateCall(request, endpoint, mount);
      if (located instanceof Promise) located.then(() => done(), done);
      else done(located);
    },
    handler: async (request, reply) => {
      const call = request.call as GrowingCall;
      if (endpoint.body && request.body === undefined)
        throw fail('InvalidJSON', 'The body is empty; send a JSON object.');
      call.body = endpoint.body?.read(request.body, call.app);
      const answer = await (mount.handle?.(request, endpoint, call) ?? endpoint.handle(call));
      if (!(answer instanceof StreamAnswer)) {
        send(reply, endpoint, answer);
        return;
      }
      if (request.method !== 'HEAD')
        return void sendStream(reply, answer, { mayListen: readmission(request, endpoint, mount), stopping });
      await skipStream(answer);
      reply.type(eventStreamType).send();
    },
  });
}

/**
 * The router would take `signin` in `GET /users/signin` for an objectId, since only `POST` is its own. Methods that only
 * such a path has are refused.
 */
function routeMissingMethods(fastify: FastifyInstance, { endpoints, prefix, refuseMethod, config }: Mount): void {
  const paths = new Set(endpoints.map(({ path }) => path).filter((path) => !path.includes(':')));
  for (const path of paths) {
    const own = allowedMethods(path, endpoints);
    const others = endpoints.filter((endpoint) => matchesPath(endpoint.path, path)).map(({ method }) => method);
    const missing = [...new Set(others)].filter((method) => !own.includes(method));
    if (missing.length === 0) continue;
    fastify.route({
      method: missing,
      url: prefix + path,
      ...(config ? { config } : {}),
      onRequest: (request, reply, done) => void refuseMethod(request, reply).catch(done),
      handler: () => {
        throw fail('MethodNotAllowed');
      },
    });
  }
}

/** Who calls, and what the path names. What is refused at once is the value and not thrown: the framework is called back. */
function locateCall(request: FastifyRequest, endpoint: Endpoint, mount: Mount): Soon<Error | undefined> {
  try {
    const located = whenThere(mount.admit(request, endpoint), (admitted) => {
      request.call = beginCall(request, endpoint, admitted);
      if (endpoint.method !== 'GET' && endpoint.method !== 'DELETE' && !endpoint.needsNoRoom)
        mount.assertRoom(endpoint.method === 'POST' ? 'create' : 'change');
      return endpoint.locate?.(request.call);
    });
    return whenThere(located, (found) => {
      if (request.call) request.call.located = found;
      return undefined;
    });
  } catch (error) {
    return error as Error;
  }
}

/** Another role sees something else: the stream ends, and the client comes back and is judged anew. */
function readmission(request: FastifyRequest, endpoint: Endpoint, mount: Mount): () => Promise<boolean> {
  const role = request.call?.user?.role;
  return async () => (await (mount.readmit ?? mount.admit)(request, endpoint)).user?.role === role;
}

/** Sent here instead of returned, so that the handler's promise does not hold the text (`JsonText`). */
function send(reply: FastifyReply, endpoint: Endpoint, answer: HandlerAnswer): void {
  const isOther = answer instanceof OtherAnswer;
  reply.code((isOther ? endpoint.otherAnswer : undefined)?.status ?? endpoint.answer.status);
  reply.type('application/json; charset=utf-8');
  if (answer instanceof JsonText && answer.headers) reply.headers(answer.headers);
  const value = isOther ? answer.value : answer;
  reply.send(value instanceof JsonText ? value.take() : JSON.stringify(value));
}

function beginCall(request: FastifyRequest, endpoint: Endpoint, admitted: Admitted): GrowingCall {
  const { app, user, now, isAdministrator = false } = admitted;
  return {
    app,
    user,
    isAdministrator,
    now,
    params: readParams(request),
    query: readQuery(endpoint, request.query as Record<string, unknown>),
    address: request.ip,
    headers: request.raw.headers,
    stream: request.raw,
    body: undefined,
    located: undefined,
  };
}

/** Credentials and rate limit: what every request has to pass before anything else of it is looked at. */
function guardApp(request: FastifyRequest, gate: Gate): Soon<Guarded> {
  return whenThere(findAppOrCount(request, gate), (guarded) => {
    const rule = guarded.app.policy.rateLimit;
    if (rule.enabled) gate.limiter.take(`${guarded.app.appId} ${clientNetwork(request.ip)}`, rule, guarded.now);
    return guarded;
  });
}

/**
 * Wrong ids and keys from one address: 100 at once, then one a second. Beyond that they are told so; a right key from the
 * same address is always let in, since visitors of a venue share one.
 */
const wrongKeys: RateRule = { perSecond: 1, burst: 100 };

function findAppOrCount(request: FastifyRequest, gate: Gate): Soon<Guarded> {
  const refuse = (error: unknown): never => {
    if (!(error instanceof Failure) || error.entry.name !== 'InvalidCredentials') throw error;
    const retryAfter = gate.wrongKeys.tryTake(clientNetwork(request.ip), wrongKeys, gate.now());
    if (retryAfter === undefined) throw error;
    const message = `Too many requests with a wrong AppId or AppKey came from this address. Try again in ${retryAfter} s.`;
    throw fail('APICallLimit', { message, retryAfter });
  };
  try {
    const found = findApp(request, gate);
    return found instanceof Promise ? found.catch(refuse) : found;
  } catch (error) {
    return refuse(error);
  }
}

function findApp(request: FastifyRequest, gate: Gate): Soon<Guarded> {
  const app = whenThere(gate.revision.fresh(), () =>
    gate.guard.app(credential(request, gate.appIdNames), credential(request, gate.appKeyNames)),
  );
  return whenThere(app, (app) => ({ app, now: gate.now() }));
}

function credential(request: FastifyRequest, names: readonly string[]): string | undefined {
  const { headers } = request.raw;
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) return String(value);
  }
  return undefined;
}

function admitUser(request: FastifyRequest, guarded: Guarded, endpoint: Endpoint, guard: AccessGuard): Soon<Admitted> {
  const { app } = guarded;
  const grant = typeof endpoint.grant === 'function' ? endpoint.grant(app.policy) : endpoint.grant;
  return whenThere(findUser(request.raw.headers.authorization, app, grant, guard), (user) => {
    if (grant === 'nobody' || (grant === 'manager' && user?.role !== 'manager')) throw fail('OperationForbidden');
    return { app, now: guarded.now, user };
  });
}

/**
 * PostgreSQL cannot even compare with U+0000. Another control character stands for it: no id and no name has either, so
 * each endpoint refuses it in its own words, on both databases alike.
 */
function readParams(request: FastifyRequest): Record<string, string> {
  const params = request.params as Record<string, string>;
  if (!request.url.includes('%00')) return params;
  const read: Record<string, string> = {};
  for (const name in params) {
    const value = params[name] ?? '';
    read[name] = value.includes('\0') ? value.replaceAll('\0', '\u0001') : value;
  }
  return read;
}

/** The parameters that the endpoint knows, each given once at most. */
function readQuery(endpoint: Endpoint, query: Readonly<Record<string, unknown>>): Record<string, string> {
  const known: Record<string, string> = {};
  if (!endpoint.query) return known;
  const details: Problem[] = [];
  for (const { name } of endpoint.query) {
    const value = query[name];
    if (typeof value === 'string') known[name] = value;
    else if (value !== undefined) details.push({ field: name, problem: 'must be given once' });
  }
  if (details.length > 0) throw fail('InvalidQuery', { message: sentence(details), details });
  return known;
}

function findUser(
  authorization: string | undefined,
  app: AppContext,
  grant: Grant,
  guard: AccessGuard,
): Soon<UserContext | undefined> {
  if (grant === 'app') return undefined;
  if ((grant === 'visitor' || grant === 'phone') && authorization === undefined) return undefined;
  return grant === 'phone' ? knownUser(authorization, app, guard) : guard.user(app, authorization);
}

async function knownUser(
  authorization: string | undefined,
  app: AppContext,
  guard: AccessGuard,
): Promise<UserContext | undefined> {
  try {
    return await guard.user(app, authorization);
  } catch (error) {
    if (error instanceof Failure && error.name === 'InvalidSessionToken') return undefined;
    throw error;
  }
}

/** An unknown path or method is told apart only to callers with credentials, like everything else below the prefix. */
async function answerUnrouted(request: FastifyRequest, reply: FastifyReply, gate: Gate): Promise<void> {
  await guardApp(request, gate);
  const allowed = allow(request, reply, gate.endpoints);
  if (allowed.length === 0) throw fail('NotFound');
  throw fail('MethodNotAllowed', {
    message: `${request.method} is not supported here. Supported: ${allowed.join(', ')}.`,
  });
}

function allow(request: FastifyRequest, reply: FastifyReply, endpoints: readonly Endpoint[]): readonly string[] {
  const path = (request.url.split('?')[0] ?? '').slice(apiPrefix.length);
  const allowed = allowedMethods(path, endpoints);
  if (allowed.length > 0) reply.header('allow', allowed.join(', '));
  return allowed;
}

/** The methods of a path: of those endpoints that it fits with the fewest parameters, as the router chooses. */
export function allowedMethods(path: string, endpoints: readonly Pick<Endpoint, 'method' | 'path'>[]): string[] {
  const fitting = endpoints.filter((endpoint) => matchesPath(endpoint.path, path));
  const fewest = Math.min(...fitting.map(countParameters));
  const own = fitting.filter((endpoint) => countParameters(endpoint) === fewest);
  const methods = own.map((endpoint) => endpoint.method as string);
  if (methods.includes('GET')) methods.push('HEAD');
  return methods.length === 0 ? [] : [...new Set([...methods, 'OPTIONS'])].sort();
}

function countParameters({ path }: Pick<Endpoint, 'path'>): number {
  return path.split('/:').length;
}

function matchesPath(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
  );
}
