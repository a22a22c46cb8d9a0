import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccessGuard, Admission } from '../access/access.ts';
import type { Change } from '../access/audit.ts';
import { type FindHeld, knowInstallations } from '../access/caller.ts';
import type { UserContext } from '../access/context.ts';
import { RefusedKey } from '../access/keys/secret-key.ts';
import { bucketSubject, type DryRun, isDecidedAtGate, passesGate } from '../access/rules/dry-run.ts';
import { roleOf } from '../access/rules/rule-types.ts';
import type { Clock } from '../base/clock.ts';
import { Failure, fail } from '../base/errors.ts';
import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import type { CacheVersion } from '../db/nodes/cache-version.ts';
import type { IdempotencyKeys } from '../limits/idempotency.ts';
import { clientNetwork, LimitKeys, type RateLimiter, type RateRule } from '../limits/rate-limit.ts';
import { auditedHandle, storesNothing, withAgent } from './audited-handle.ts';
import type { Grant } from './endpoint.ts';
import { type Call, type Endpoint, JsonText } from './endpoint.ts';
import { assertGranted, assertInScope, grantOf } from './grants.ts';
import { handleByMembers, hiddenFrom } from './member-rules.ts';
import { type Admitted, type AssertRoom, type HandlerAnswer, type Mount, routesOf, stopOf } from './mount-endpoints.ts';
import { handleOnce } from './once.ts';
import { pathBelow, Router, registerRoutes } from './server/router.ts';

/** Records of a list that are compared. */
const maxCompared = 100;

/**
 * Notes a request that the app's rules allow, if those of the dry run would not have. Whether single records would be hidden is
 * noted where they are found; lists are judged occasionally, alongside requests.
 */
function noteDryRun(endpoint: Endpoint, call: Call<unknown, unknown>, dryRun: DryRun): void {
  const { grant } = endpoint;
  // What a secret key may do is in its scopes.
  if (typeof grant === 'string' || call.secretKey) return;
  const { of, verb, open } = grant;
  // Where everyone with the app key may call, the bearer is not read; it may be under other rules.
  const caller = roleOf(call.user);
  dryRun.noteRequest(caller);
  const bucket = call.params['bucketName'] ?? '';
  const rule = dryRun.changed(of, verb, bucket);
  if (!rule) return;
  const cell = () => ({ subject: of === 'bucket' ? bucketSubject(bucket) : of, verb, caller });
  const isUnread = open === 'app' && call.user === undefined && call.headers['authorization'] !== undefined;
  if (!passesGate(rule.gate, call.user) && !isUnread) dryRun.note(cell(), 'refused');
  else if (verb === 'list' && !isDecidedAtGate(rule))
    dryRun.sampleList({
      of,
      bucketName: bucket,
      caller,
      now: call.now,
      cell,
      isNarrowed: () => isNarrowed(endpoint, call, dryRun),
    });
}

/** Whether the first records of the list would differ. */
async function isNarrowed(endpoint: Endpoint, call: Call<unknown, unknown>, { rules }: DryRun): Promise<boolean> {
  const limit = Math.min(Number(call.query['limit'] || maxCompared), maxCompared);
  const ask = async (app: typeof call.app) =>
    idsOf(await endpoint.handle({ ...call, app, query: { ...call.query, limit: `${limit}`, count: undefined } }));
  const { dryRun: _, ...app } = call.app;
  return (await ask(app)) !== (await ask({ ...app, rules }));
}

function idsOf(answer: unknown): string {
  const { results } = (answer instanceof JsonText ? JSON.parse(answer.text) : answer) as {
    readonly results: readonly { readonly objectId: string }[];
  };
  return results.map(({ objectId }) => objectId).join(' ');
}

export const apiPrefix = '/api/v2';
/** What an agent that uses a secret key calls itself, for the audit. */
export const agentHeader = 'pharos-agent';

const exposedName = 'access-control-expose-headers';
const exposedHeaders =
  'Location, ETag, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy, Allow, Idempotency-Replayed';

export interface ApiOptions {
  readonly endpoints: readonly Endpoint[];
  readonly guard: AccessGuard;
  readonly limiter: RateLimiter;
  /** Counts wrong app ids and keys by address; a separate limiter, so that they displace nobody's bucket. */
  readonly wrongKeys: RateLimiter;
  readonly cacheVersion: CacheVersion;
  readonly now: Clock;
  /** In lower case, such as `x-service-`. */
  readonly headerPrefixes: readonly string[];
  readonly corsOrigins: readonly string[] | '*';
  readonly assertRoom: AssertRoom;
  /** Called if an app's rules refer to the caller's installations. */
  readonly findHeld: FindHeld;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly record: (change: Change) => Promise<void>;
}

/**
 * The checks that a caller has to pass, with the names of the headers that hold credentials; the first one present
 * counts.
 */
interface Gate extends ApiOptions {
  readonly appIdNames: readonly string[];
  readonly appKeyNames: readonly string[];
  readonly limitKeys: LimitKeys;
}

/** Finds the app and the key of a request, and counts it. @throws Failure */
export type AdmitToApp = (request: FastifyRequest) => MaybePromise<Admission>;

/**
 * Serves the endpoints below `/api/v2`: credentials, rate limit, bearer, path, body, in this order. Returns the first two, for what
 * answers elsewhere.
 */
export async function registerApi(fastify: FastifyInstance, options: ApiOptions): Promise<AdmitToApp> {
  const namesOf = (name: string) => options.headerPrefixes.map((prefix) => prefix + name);
  const gate = { ...options, appIdNames: namesOf('appid'), appKeyNames: namesOf('appkey'), limitKeys: new LimitKeys() };
  const isOpen = options.corsOrigins === '*';
  await fastify.register(
    async (api) => {
      api.decorateRequest('call', undefined);
      api.decorateRequest('followed', undefined);
      const mount: Mount = {
        endpoints: options.endpoints,
        prefix: '',
        assertRoom: options.assertRoom,
        shownAs: (endpoint, call) => hiddenFrom(endpoint, call).join(' '),
        admit: (request, endpoint) =>
          andThen(guardApp(request, gate), (app) =>
            andThen(admitUser(request, app, endpoint, options), (admitted) => countCaller(admitted, gate)),
          ),
        readmit: (request, endpoint) =>
          andThen(findApp(request, gate), (app) => admitUser(request, app, endpoint, options)),
        handle: (request, endpoint, call) =>
          call.secretKey !== undefined && isAudited(endpoint)
            ? auditedHandle(endpoint, call, {
                ...options,
                by: {
                  name: withAgent(`key ${call.secretKey.name}`, String(call.headers[agentHeader] ?? '')),
                  address: call.address,
                },
                handle: () => handle(request, endpoint, call, options),
              })
            : handle(request, endpoint, call, options),
      };
      const router = new Router(routesOf(mount, stopOf(api)));
      api.addHook('onRequest', (request, reply, done) => {
        reply.header('cache-control', 'no-store');
        // If every origin is allowed, there is nothing to look up, except for a preflight. A request without an origin
        // does not ask, and no cache keeps the answer for others.
        if (isOpen && request.raw.headers.origin !== undefined)
          reply.header('access-control-allow-origin', '*').header(exposedName, exposedHeaders);
        // For a preflight and for any other OPTIONS request: the document says the same, so no credentials are needed.
        if (request.method === 'OPTIONS') allow(request, reply, router);
        done();
      });
      const origins = {
        origin: isOpen ? '*' : [...options.corsOrigins],
        methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
        exposedHeaders,
        maxAge: 7200,
        strictPreflight: false,
      };
      // In a scope of its own the plugin sees preflights, and no other request has to pass its hook.
      await (isOpen
        ? api.register(async (preflights) => void (await preflights.register(cors, origins)))
        : api.register(cors, origins));
      const refuse = (request: FastifyRequest, reply: FastifyReply) => answerUnrouted(request, reply, gate, router);
      registerRoutes(api, router, refuse);
      // In a hook and not in the handler, which runs only after the body was read.
      api.addHook('onRequest', (request, reply, done) => {
        if (request.is404) refuse(request, reply).catch(done);
        else done();
      });
      api.setNotFoundHandler(() => {
        throw fail('NotFound');
      });
    },
    { prefix: apiPrefix },
  );
  return (request) => guardApp(request, gate);
}

function handle(
  request: FastifyRequest,
  endpoint: Endpoint,
  call: Call<unknown, unknown>,
  { idempotencyKeys }: ApiOptions,
): Promise<HandlerAnswer> {
  const { dryRun } = call.app;
  if (dryRun) noteDryRun(endpoint, call, dryRun);
  return handleOnce(request, endpoint, call, {
    keys: idempotencyKeys,
    caller: call.user?.userId ?? call.secretKey?.keyId ?? null,
    handle: (call) => handleByMembers(endpoint, call, request.body),
  });
}

/**
 * Of secret keys' writes, the audit keeps changes to the app. Writes about phones and the app's own records can be thousands a
 * minute: these are only in the log.
 */
function isAudited({ method, tag, operationId }: Endpoint): boolean {
  return method !== 'GET' && tag.console?.write !== undefined && !tag.isPersonal && !storesNothing.has(operationId);
}

/** Credentials and rate limit: every request has to pass these before the rest of it is read. */
function guardApp(request: FastifyRequest, gate: Gate): MaybePromise<Admission> {
  return andThen(findAppOrCount(request, gate), (admission) => {
    const { app, now } = admission;
    const rule = app.policy.rateLimit;
    if (rule.enabled) gate.limiter.take(gate.limitKeys.ofAddress(app.appId, request.ip), rule, now);
    return admission;
  });
}

/**
 * The same limit again, per person or secret key across all addresses: otherwise many addresses would give as many limits.
 *
 * @throws Failure APICallLimit
 */
function countCaller(admitted: Admitted, { limiter, limitKeys }: Gate): Admitted {
  const { app, user, secretKey, now } = admitted;
  const rule = app.policy.rateLimit;
  if (!rule.enabled) return admitted;
  if (user) limiter.take(limitKeys.ofUser(app.appId, user.userId), rule, now);
  else if (secretKey) limiter.take(limitKeys.ofSecretKey(app.appId, secretKey.keyId), rule, now);
  return admitted;
}

/**
 * Wrong ids and keys from one address: 100 at once, then one a second; beyond that the answer says so. A correct key
 * from the same address is always let in, since visitors of a venue share one address.
 */
const wrongKeys: RateRule = { perSecond: 1, burst: 100 };

function findAppOrCount(request: FastifyRequest, gate: Gate): MaybePromise<Admission> {
  const refuse = (error: unknown): never => {
    if (!(error instanceof Failure) || error.entry.name !== 'InvalidCredentials') throw error;
    if (error.cause instanceof RefusedKey)
      request.log.warn({ ...error.cause, address: request.ip }, 'a secret key was refused');
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

function findApp(request: FastifyRequest, gate: Gate): MaybePromise<Admission> {
  const appId = credential(request, gate.appIdNames);
  const appKey = credential(request, gate.appKeyNames);
  const basic = appId === undefined && appKey === undefined ? basicOf(request) : undefined;
  const admission = andThen(gate.cacheVersion.fresh(), () =>
    gate.guard.app(basic?.appId ?? appId, basic?.appKey ?? appKey, request.ip),
  );
  return andThen(admission, (admission) => {
    // Nobody is to type the key of an app into a browser.
    if (basic && !admission.secretKey) throw fail('InvalidCredentials');
    request.usedKey = admission;
    return admission;
  });
}

function credential(request: FastifyRequest, names: readonly string[]): string | undefined {
  const { headers } = request.raw;
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) return String(value);
  }
  return undefined;
}

const basicForm = /^Basic +([A-Za-z0-9+/=]{1,400})$/i;

/** The AppId and a secret key as user and password, from what cannot send headers of its own. */
function basicOf({ raw }: FastifyRequest): { readonly appId: string; readonly appKey: string } | undefined {
  const [, encoded] = basicForm.exec(raw.headers.authorization ?? '') ?? [];
  const [, appId, appKey] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString('utf8')) ?? [];
  return appId === undefined || appKey === undefined ? undefined : { appId, appKey };
}

function admitUser(
  request: FastifyRequest,
  guarded: Admission,
  endpoint: Endpoint,
  { guard, findHeld }: Pick<ApiOptions, 'guard' | 'findHeld'>,
): MaybePromise<Admitted> {
  const { app, secretKey, now } = guarded;
  const params = request.params as Readonly<Record<string, string>>;
  const grant = grantOf(endpoint, app.rules, params);
  if (secretKey) {
    const { authorization } = request.raw.headers;
    if (authorization !== undefined && !basicForm.test(authorization)) throw fail('OperationForbidden', keyAndBearer);
    assertInScope(endpoint, secretKey, params);
    if (grant === 'nobody') throw fail('OperationForbidden');
    return { app, now, user: undefined, secretKey };
  }
  return andThen(findUser(request.raw.headers.authorization, guarded, grant, guard), (user) => {
    assertGranted(grant, user);
    if (user && (app.rules.asksForInstallations || app.dryRun?.rules.asksForInstallations))
      return knowInstallations(app.appId, user, findHeld).then((user) => ({ app, now, user }));
    return { app, now, user };
  });
}

const keyAndBearer =
  'A secret key acts for the app itself, and a bearer for a person. Send the key without an Authorization header, or the bearer with the key of the app.';

function findUser(
  authorization: string | undefined,
  admission: Admission,
  grant: Grant,
  guard: AccessGuard,
): MaybePromise<UserContext | undefined> {
  if (grant === 'app') return undefined;
  if ((grant === 'visitor' || grant === 'phone') && authorization === undefined) return undefined;
  const { app, now } = admission;
  return grant === 'phone' ? knownUser(authorization, admission, guard) : guard.user(app, authorization, now);
}

async function knownUser(
  authorization: string | undefined,
  { app, now }: Admission,
  guard: AccessGuard,
): Promise<UserContext | undefined> {
  try {
    return await guard.user(app, authorization, now);
  } catch (error) {
    if (error instanceof Failure && error.name === 'InvalidSessionToken') return undefined;
    throw error;
  }
}

/** Only callers with credentials learn that a path or method is unknown, as for everything else below the prefix. */
async function answerUnrouted(request: FastifyRequest, reply: FastifyReply, gate: Gate, router: Router): Promise<void> {
  await guardApp(request, gate);
  const allowed = allow(request, reply, router);
  if (allowed.length === 0) throw fail('NotFound');
  throw fail('MethodNotAllowed', {
    message: `${request.method} is not supported here. Supported: ${allowed.join(', ')}.`,
  });
}

function allow(request: FastifyRequest, reply: FastifyReply, router: Router): readonly string[] {
  const allowed = router.methodsOf(pathBelow(apiPrefix, request));
  if (allowed.length > 0) reply.header('allow', allowed.join(', '));
  return allowed;
}
