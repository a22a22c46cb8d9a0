import type { FastifyRequest } from 'fastify';
import { standingIn } from '../../access/reach.ts';
import { isAllowed, type Permission } from '../../access/roles.ts';
import { fail } from '../../base/errors.ts';
import type { ConsoleCookies } from './console-cookies.ts';
import type { AdminContext, Asked } from './console-endpoint.ts';

/** The administrator for whom an agent acts; undefined for a token that is unknown or counts no more. */
export type FindAgent = (token: string) => Promise<AdminContext | undefined>;

export interface ConsoleGuardOptions {
  /** The administrator of a session token; undefined for an unknown, expired or idle session. */
  findSession(token: string): Promise<AdminContext | undefined>;
  readonly findAgent: FindAgent;
  /** The configured address; undefined: the one that the request names. */
  readonly publicUrl: string | undefined;
  readonly cookies: ConsoleCookies;
}

/** Checks callers of the management interface: origin, session, owner of the page, role, in this order. */
export interface ConsoleGuard {
  readonly cookies: ConsoleCookies;
  /** The address of the console from which a request came, such as `https://pharos.example`. */
  originOf(request: FastifyRequest): string;
  /**
   * Undefined where the permission is `public`, and without a session where it is `anybody`.
   *
   * @param narrows what the handler restricts for those whose role does not apply everywhere
   * @throws Failure OperationForbidden, InvalidSessionToken, SignedInAsAnother, EnrolmentNeeded; ObjectNotFound for an app to
   *   which the role does not reach
   */
  admit<P extends Asked>(
    request: FastifyRequest,
    permission: P,
    narrows?: Narrows,
  ): Promise<P extends Permission ? AdminContext : AdminContext | undefined>;
  /** Admits to the data of an app, also an agent of the administrator. @throws Failure as `admit` */
  admitToData(request: FastifyRequest, permission: Permission, narrows?: Narrows): Promise<AdminContext>;
}

type Narrows = 'apps' | 'venues' | undefined;

export function createConsoleGuard({ findSession, findAgent, publicUrl, cookies }: ConsoleGuardOptions): ConsoleGuard {
  /** Whoever signed in with the former version stays signed in. */
  async function findFormer(request: FastifyRequest): Promise<AdminContext | undefined> {
    const token = cookies.session.readFormer(request.headers.cookie);
    const admin = token === undefined ? undefined : await findSession(token);
    if (admin) request.formerSession = token;
    return admin;
  }
  async function admit(request: FastifyRequest, permission: Asked, narrows?: Narrows) {
    if (request.method !== 'GET' && request.method !== 'HEAD') assertOwnOrigin(request, publicUrl);
    if (permission === 'public') return undefined;
    const token = cookies.session.read(request.headers.cookie);
    const admin = token === undefined ? await findFormer(request) : await findSession(token);
    if (!admin && permission === 'anybody') return undefined;
    if (!admin) throw fail('InvalidSessionToken', 'You are not signed in, or the session has ended. Sign in again.');
    assertSamePerson(admin, request);
    if (permission === 'anybody' || permission === 'session.own') return admin;
    if (admin.mustEnrol) throw fail('EnrolmentNeeded');
    return within(admin, request, { permission, narrows });
  }
  async function admitToData(request: FastifyRequest, permission: Permission, narrows?: Narrows) {
    const admin = await findAgentOf(request, findAgent);
    if (!admin) return (await admit(request, permission, narrows)) as AdminContext;
    if (admin.mustEnrol) throw fail('EnrolmentNeeded');
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    if (!isReading && !admin.agent?.mayWrite) throw fail('OperationForbidden', 'This agent may only read.');
    return within(admin, request, { permission, narrows });
  }
  function originOf(request: FastifyRequest): string {
    const own = ownOrigins(request, publicUrl);
    const said = [request.headers.origin, `${request.protocol}://${request.host}`];
    return own.find((origin) => said.includes(origin)) ?? (own[0] as string);
  }
  return { cookies, originOf, admit: admit as ConsoleGuard['admit'], admitToData };
}

const agentForm = /^Bearer +(pha_[0-9A-Za-z]{43})$/i;

/** Undefined without a token of an agent; other credentials are those of a proxy. @throws Failure InvalidSessionToken */
export async function findAgentOf({ raw }: FastifyRequest, find: FindAgent): Promise<AdminContext | undefined> {
  const [, token] = agentForm.exec(raw.headers.authorization ?? '') ?? [];
  if (token === undefined) return undefined;
  const admin = await find(token);
  if (!admin) throw fail('InvalidSessionToken', 'This agent is not known, or its time is over. Add another one.');
  return admin;
}

const pageHeader = 'pharos-administrator';
/** The page's owner as a query parameter, for addresses that the browser opens by itself: streams, downloads. */
const pageParameter = 'administrator';

/**
 * All pages of a browser share its cookie. A page that one administrator opened does nothing, and shows nothing, in the name of another who
 * has signed in since. Programs and older pages send no name, and belong to the session's administrator.
 *
 * @throws Failure SignedInAsAnother
 */
function assertSamePerson({ adminId }: AdminContext, { headers, method, query }: FastifyRequest): void {
  const ofAddress = method === 'GET' ? (query as Readonly<Record<string, unknown>>)[pageParameter] : undefined;
  const said = headers[pageHeader] ?? ofAddress;
  if (said !== undefined && said !== adminId) throw fail('SignedInAsAnother');
}

/** The administrator with their role in the app that the path names. @throws Failure */
function within(
  admin: AdminContext,
  request: FastifyRequest,
  { permission, narrows }: { readonly permission: Permission; readonly narrows: Narrows },
): AdminContext {
  const { appId } = request.params as Readonly<Record<string, string | undefined>>;
  if (appId === undefined) {
    assertHolds(admin, permission, narrows);
    return admin;
  }
  const standing = standingIn(admin, appId);
  // The same as for an app that does not exist.
  if (!standing) throw fail('ObjectNotFound', `There is no app ${appId}.`);
  const { role, venues } = standing;
  if (!isAllowed(role, permission)) throw lacking(role, permission);
  if (venues && narrows !== 'venues')
    throw fail(
      'OperationForbidden',
      'You are limited to some venues of this app, and this is about the app as a whole. An owner can give you more.',
    );
  return { ...admin, role, venues };
}

/** For what concerns no single app. */
function assertHolds(admin: AdminContext, permission: Permission, narrows: Narrows): void {
  const { role, apps } = admin;
  if (apps === null ? isAllowed(role, permission) : narrows === 'apps' && mayInSome(admin, permission)) return;
  if (apps === null || narrows === 'apps') throw lacking(role, permission);
  throw fail(
    'OperationForbidden',
    'You are limited to some apps, and this is about the service as a whole. An owner can give you more.',
  );
}

/** Also of somebody who has no app yet, and sees none. */
const mayInSome = ({ role, apps }: AdminContext, permission: Permission) =>
  isAllowed(role, permission) || (apps?.some((grant) => isAllowed(grant.role ?? role, permission)) ?? false);

const lacking = (role: AdminContext['role'], permission: Permission) =>
  fail('OperationForbidden', `The role ${role} does not include this (${permission}).`);

/**
 * A write must come from a page of the console itself. A browser says so in `Origin`, which a foreign page cannot
 * forge; SameSite alone would not stop a page on a neighbouring subdomain.
 */
function assertOwnOrigin(request: FastifyRequest, publicUrl: string | undefined): void {
  const { origin } = request.headers;
  const own = ownOrigins(request, publicUrl);
  const isSame =
    request.headers['sec-fetch-site'] === 'same-origin' && own.includes(`${request.protocol}://${request.host}`);
  if (origin === undefined ? isSame : own.includes(origin)) return;
  throw fail(
    'OperationForbidden',
    origin === undefined
      ? 'Send the Origin header with the address of the console.'
      : `This page may not change anything: its Origin is not the address of the console${publicUrl ? `, ${publicUrl}` : ''}.`,
  );
}

/**
 * If a public address is configured, the request's Host proves nothing, because a foreign name can be made to point here (DNS
 * rebinding). Besides that address only loopback names are accepted, and only on a direct connection from this machine.
 */
function ownOrigins(request: FastifyRequest, publicUrl: string | undefined): readonly string[] {
  const named = `${request.protocol}://${request.host}`;
  if (!publicUrl) return [named];
  const { headers, socket } = request.raw;
  const isDirect = isLoopback(socket.remoteAddress) && headers['x-forwarded-for'] === undefined;
  const direct = `http://${headers.host}`;
  return [new URL(publicUrl).origin, ...(isDirect && hasLoopbackName(direct) ? [direct] : [])];
}

const isLoopback = (address: string | undefined) => address !== undefined && /^(::ffff:)?127\.|^::1$/.test(address);

function hasLoopbackName(url: string): boolean {
  return URL.canParse(url) && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}
