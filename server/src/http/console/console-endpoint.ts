import type { Readable } from 'node:stream';
import type { TSchema } from 'typebox';
import type { Actor } from '../../access/audit.ts';
import type { Reach } from '../../access/reach.ts';
import type { AdminRole, Permission } from '../../access/roles.ts';
import { fail } from '../../base/errors.ts';
import type { ConsoleAnswer } from '../answers.ts';
import type { QueryParameter } from '../endpoint.ts';
import type { AssertUnchanged } from '../if-match.ts';

/** The administrator whose session a request carries. */
export interface AdminContext {
  readonly adminId: string;
  readonly email: string;
  readonly name: string;
  /** In the app that the path names. */
  readonly role: AdminRole;
  /** Where the role holds; null: everywhere. */
  readonly apps: Reach;
  /** Of the app that the path names: the venues to which the administrator is limited; undefined: all of it. */
  readonly venues?: readonly string[] | undefined;
  readonly sessionHash: string;
  /** When the password or a passkey was last given in this session, epoch milliseconds. */
  readonly confirmedAt: number;
  /** A second factor is required and missing: only the administrator's own sign-in may be changed. */
  readonly mustEnrol: boolean;
  /** The provider through which the session began; null: with a password or a passkey. */
  readonly provider: { readonly providerId: string; readonly name: string } | null;
  /** Set if an agent acts for the administrator, in this app alone. */
  readonly agent?: { readonly appId: string; readonly name: string; readonly mayWrite: boolean };
}

/** A session that has just begun. The token exists only here and in the cookie. */
export interface NewSession {
  readonly token: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** What a handler of the console knows about a request. */
export interface ConsoleCall<Body> {
  /** Undefined only of a public endpoint, and of one for anybody without a session. */
  readonly admin: AdminContext | undefined;
  /** The administrator and the address, for the audit record. */
  readonly by: Actor;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly body: Body;
  /** Epoch milliseconds at which the request was accepted. */
  readonly now: number;
  readonly address: string;
  /** The address of the console from which the request came, such as `https://pharos.example`. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Of an endpoint that takes `If-Match`. Call it where nobody else can change the record before you do. */
  readonly assertUnchanged: AssertUnchanged | undefined;
  /** Answers with the tag of the record (`ETag`), where `tagOf` cannot tell it from the answer. */
  setTag(tag: string): void;
  /** Puts a new session into the browser's cookie, or (undefined) deletes the cookie. */
  setSession(session: NewSession | undefined): void;
  /** Puts a secret into a cookie that the browser sends when a single sign-on provider sends it back. */
  bindBrowser(secret: string): void;
}

/** The line of the table of roles; `public` where nobody can be signed in yet, `anybody` where somebody may be. */
export type Asked = Permission | 'public' | 'anybody';

/** One endpoint of `/console/api`, as data: routed, guarded and documented from this. */
export interface ConsoleEndpoint<Body = unknown, Answer = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/console/api`, with `:name` for parameters. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly permission: Asked;
  /** The password or a passkey must have been given in the last few minutes, by signing in or at `POST /session/confirm`. */
  readonly needsConfirmation?: true;
  /**
   * Administrators limited to apps reach what concerns the service as a whole only with `apps`, and those limited to venues reach
   * what is below an app only with `venues`. The handler restricts what it shows and accepts (`admin.apps`, `admin.venues`).
   */
  readonly narrows?: 'apps' | 'venues';
  readonly query?: readonly QueryParameter[];
  readonly body?: {
    readonly schema: TSchema;
    readonly example: unknown;
    /** @throws Failure */
    read(body: unknown): Body;
  };
  /** It is refused unless the record is the one that `If-Match` names. */
  readonly takesIfMatch?: true;
  readonly answer: ConsoleAnswer;
  /** Throws when the path names nothing in the app, which is there, before the body is read. */
  readonly locate?: (params: Readonly<Record<string, string>>) => Promise<unknown>;
  readonly handle: (call: ConsoleCall<Body>) => Promise<Answer>;
  /** The tag of the record that is answered (`ETag`). */
  readonly tagOf?: (answer: Answer) => string;
}

/** An answer that is a file instead of JSON. */
export class FileDownload {
  readonly name: string;
  readonly type: string;
  readonly bytes: Readable;

  /** `name` consists of letters, digits, dots and dashes. */
  constructor(name: string, type: string, bytes: Readable) {
    this.name = name;
    this.type = type;
    this.bytes = bytes;
  }
}

/** Checks an endpoint's types against each other and forgets them, so that all endpoints fit one list. */
export const consoleEndpoint = <Body = undefined, Answer = unknown>(
  spec: ConsoleEndpoint<Body, Answer>,
): ConsoleEndpoint => spec as unknown as ConsoleEndpoint;

/** How long a confirmation counts before the next one is asked for. */
export const confirmedForMs = 5 * 60_000;

/** How far the clock of the node that took the confirmation may be ahead of this one's. */
const aheadMs = 30_000;

/** @throws Failure ConfirmationNeeded */
export function assertConfirmed({ confirmedAt }: AdminContext, now: number): void {
  if (now - confirmedAt < confirmedForMs && confirmedAt - now < aheadMs) return;
  throw fail('ConfirmationNeeded');
}

/** The administrator of an endpoint that is not public. */
export function signedIn(admin: AdminContext | undefined): AdminContext {
  if (!admin) throw fail('InvalidSessionToken');
  return admin;
}
