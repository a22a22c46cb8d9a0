import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sameToRules } from '../access/rules/rule-types.ts';
import { fail, type Problem } from '../base/errors.ts';
import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import { type Call, type Endpoint, type FollowedList, JsonText, OtherAnswer } from './endpoint.ts';
import { findFollowed, followedList, type ListEndpoint } from './followed-lists.ts';
import { noteSending } from './server/connections.ts';
import type { Route } from './server/router.ts';
import { sentence } from './shape.ts';
import type { LongText } from './streams/long-text.ts';
import { StreamAnswer, sendStream, skipStream } from './streams/stream-answer.ts';

/**
 * Called before something new is stored or something existing is replaced. @throws Failure when too little space is left
 */
export type AssertRoom = (kind: 'create' | 'change') => void;

export type EarlyCall = Omit<Call<undefined, undefined>, 'body' | 'located'>;

/** One object per request; its last members are set later than the others. */
type GrowingCall = EarlyCall & { body: unknown; located: unknown; followed?: FollowedList };

declare module 'fastify' {
  interface FastifyRequest {
    call: GrowingCall | undefined;
    followed: ListEndpoint | undefined;
  }
}

/** What is known about the caller before the rest of the request is read. */
export type Admitted = Pick<EarlyCall, 'app' | 'user' | 'now'> &
  Partial<Pick<EarlyCall, 'isAdministrator' | 'administrator' | 'role' | 'secretKey' | 'venues'>>;

/** Endpoints that are reached below one address by one kind of caller. */
export interface Mount {
  readonly endpoints: readonly Endpoint[];
  /** Before each endpoint's path, below the prefix of the plugin. */
  readonly prefix: string;
  /** Finds out who the caller is and whether they may call. @throws Failure */
  readonly admit: (request: FastifyRequest, endpoint: Endpoint) => MaybePromise<Admitted>;
  /** Checks the same again while a stream is open; it is `admit` if that costs the caller nothing. */
  readonly readmit?: (request: FastifyRequest, endpoint: Endpoint) => MaybePromise<Admitted>;
  readonly assertRoom: AssertRoom;
  /** Tells apart callers from whom different members are hidden in an endpoint's answers. */
  readonly shownAs: (endpoint: Endpoint, call: Call<unknown, unknown>) => string;
  /** Calls the endpoint's `handle`, and may do something before and after. */
  readonly handle?: (
    request: FastifyRequest,
    endpoint: Endpoint,
    call: Call<unknown, unknown>,
  ) => Promise<HandlerAnswer>;
}

export type HandlerAnswer = JsonText | OtherAnswer | StreamAnswer | object;

/** What answers the endpoints: caller, path, body, in this order. Streams would delay a stop for ever; they end with `stopping`. */
export function routesOf(mount: Mount, stopping: AbortSignal): Route[] {
  return mount.endpoints.map((endpoint) => ({
    method: endpoint.method,
    path: mount.prefix + endpoint.path,
    takesStream: endpoint.takesStream !== undefined,
    begin(request) {
      request.followed = findFollowed(request, endpoint, mount.endpoints);
      return locateCall(request, request.followed ?? endpoint, mount);
    },
    handle(request, reply) {
      const call = request.call as GrowingCall;
      const asked = request.followed ?? endpoint;
      if (request.followed) call.followed = followed(request, endpoint, request.followed, mount);
      if (endpoint.body && request.body === undefined)
        throw fail('InvalidJSON', 'The body is empty; send a JSON object.');
      call.body = endpoint.body?.read(request.body, call.app);
      // An async function here would cost each request two more promises.
      return (mount.handle?.(request, endpoint, call) ?? endpoint.handle(call)).then((answer): unknown =>
        answer instanceof StreamAnswer
          ? sendStreamTo(request, reply, answer, { mayListen: readmission(request, asked, mount), stopping })
          : send(reply, endpoint, answer),
      );
    },
  }));
}

/** Aborted when the service stops. */
export function stopOf(fastify: FastifyInstance): AbortSignal {
  const stop = new AbortController();
  fastify.addHook('preClose', async () => stop.abort());
  return stop.signal;
}

function followed(request: FastifyRequest, endpoint: Endpoint, list: ListEndpoint, mount: Mount): FollowedList {
  const admit = mount.readmit ?? mount.admit;
  return followedList(list, {
    query: readQuery(endpoint, request.query as Record<string, unknown>),
    call: request.call as GrowingCall,
    again: () => andThen(admit(request, list), (admitted) => beginCall(request, list, admitted)),
    handle: (call) => mount.handle?.(request, list, call) ?? list.handle(call),
    shownAs: (call) => mount.shownAs(list, call),
  });
}

async function sendStreamTo(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: StreamAnswer,
  until: Parameters<typeof sendStream>[2],
): Promise<void> {
  if (request.method !== 'HEAD') {
    sendStream(reply, answer, until);
    return;
  }
  await skipStream(answer);
  reply.type(answer.head.type).send();
}

/** The caller, and what the path names. @throws Failure */
function locateCall(request: FastifyRequest, endpoint: Endpoint, mount: Mount): MaybePromise<void> {
  const located = andThen(mount.admit(request, endpoint), (admitted) => {
    request.call = beginCall(request, endpoint, admitted);
    if (endpoint.method !== 'GET' && endpoint.method !== 'DELETE' && !endpoint.needsNoRoom)
      mount.assertRoom(endpoint.method === 'POST' ? 'create' : 'change');
    return endpoint.locate?.(request.call);
  });
  return andThen(located, (found) => {
    if (request.call) request.call.located = found;
  });
}

/** Another role, another installation or other rules show something else: the stream ends, and the client reconnects and is checked again. */
function readmission(request: FastifyRequest, endpoint: Endpoint, mount: Mount): () => Promise<boolean> {
  const { user, app } = request.call ?? {};
  return async () => {
    const now = await (mount.readmit ?? mount.admit)(request, endpoint);
    return sameToRules(now.user, user) && now.app.rules.text === app?.rules.text;
  };
}

/**
 * Sent here instead of returned, so that the handler's promise does not hold the text (`JsonText`). Answers what the
 * handler has to return.
 */
function send(reply: FastifyReply, endpoint: Endpoint, answer: HandlerAnswer): FastifyReply | undefined {
  const isOther = answer instanceof OtherAnswer;
  reply.code((isOther ? endpoint.otherAnswer : undefined)?.status ?? endpoint.answer.status);
  reply.type('application/json; charset=utf-8');
  if (answer instanceof JsonText && answer.headers) reply.headers(answer.headers);
  const value = isOther ? answer.value : answer;
  const text = value instanceof JsonText ? value.take() : JSON.stringify(value);
  if (endpoint.isKept && typeof text === 'string') return sendKept(reply, text);
  if (typeof text !== 'string') return sendLong(reply, text);
  reply.send(text);
  return undefined;
}

/** RFC 9110, sections 13.1.2 (If-None-Match) and 12.5.3 (Accept-Encoding). */
function sendKept(reply: FastifyReply, text: string): FastifyReply {
  const { 'if-none-match': known = '', 'accept-encoding': accepted = '' } = reply.request.headers;
  reply.header('vary', 'accept-encoding');
  const tag = String(reply.getHeader('etag'));
  if (known.split(',').some((one) => one.trim().replace(/^W\//, '') === tag)) return reply.code(304).send();
  if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:\s*,|\s*$))/.test(String(accepted))) return reply.send(text);
  gzip(text, (error, bytes) => void (error ? reply.send(error) : reply.header('content-encoding', 'gzip').send(bytes)));
  return reply;
}

/** If a handler returns nothing before its stream has begun, Fastify sends an empty answer. */
function sendLong(reply: FastifyReply, text: LongText): FastifyReply {
  noteSending(reply.raw.socket, () => text.left);
  return reply.header('content-length', text.bytes).send(text.stream);
}

function beginCall(request: FastifyRequest, endpoint: Endpoint, admitted: Admitted): GrowingCall {
  const { app, user, now, isAdministrator = false, administrator, role, secretKey, venues } = admitted;
  return {
    app,
    user,
    isAdministrator,
    administrator,
    role,
    secretKey,
    venues,
    now,
    params: readParams(request),
    query: readQuery(endpoint, request.query as Record<string, unknown>),
    address: request.ip,
    headers: request.raw.headers,
    stream: request.raw,
    objectId: undefined,
    body: undefined,
    located: undefined,
  };
}

/**
 * PostgreSQL cannot even compare with U+0000. Another control character stands in for it: no id and no name contains
 * either, so each endpoint refuses it with its own error, on both databases alike.
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

/** The parameters that the endpoint knows, each given at most once. */
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
