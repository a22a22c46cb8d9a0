import type { Readable } from 'node:stream';
import type { TSchema } from 'typebox';
import type { AppContext, UserContext } from '../access/context.ts';
import type { Scope } from '../access/keys/scopes.ts';
import type { SecretKey } from '../access/keys/secret-key.ts';
import type { AdminRole, Permission } from '../access/roles.ts';
import type { ResourceName } from '../access/rules/presets.ts';
import type { Verb } from '../access/rules/rule-types.ts';
import type { ErrorName } from '../base/errors.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Creation } from '../limits/idempotency.ts';
import { LongText } from './streams/long-text.ts';
import type { StreamAnswer } from './streams/stream-answer.ts';

/**
 * Who may call. `app`: everyone with the app key; an Authorization header is ignored. `phone`: the same, and a valid
 * bearer says whose phone it is; any other is ignored, so that an expired token loses no data. `visitor`: the same, but
 * a bearer that is sent must be valid. `user`: a signed-in user. `manager`: a user with that role. `nobody`: refused.
 */
export type Grant = 'app' | 'phone' | 'visitor' | 'user' | 'manager' | 'nobody';

/** Who may call follows from the app's rule for this verb; which records, the handler asks the rule itself. */
export interface Ruled {
  /** `bucket`: of the bucket that the path names. */
  readonly of: ResourceName | 'bucket';
  readonly verb: Verb;
  /** What the rule's `app` means here; `visitor` without it. */
  readonly open?: 'app' | 'phone';
}

export interface Call<Body, Located> {
  readonly app: AppContext;
  /** Set whenever the grant is `user` or `manager`, and for a `visitor` or `phone` that sent a bearer; never in the console. */
  readonly user: UserContext | undefined;
  /** An administrator calls from the console; then there is no user. */
  readonly isAdministrator: boolean;
  /** The e-mail of the administrator who calls. */
  readonly administrator?: string | undefined;
  /** Of an administrator whose own request this is, in this app. */
  readonly role?: AdminRole | undefined;
  /** The venues to which the administrator is limited in this app; all of it without. */
  readonly venues?: readonly string[] | undefined;
  /** A server calls for the app itself; then there is no user. */
  readonly secretKey: SecretKey | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** Validated by the endpoint's `body`. */
  readonly body: Body;
  /** What `locate` found. */
  readonly located: Located;
  /** Epoch milliseconds at which the request was accepted. */
  readonly now: number;
  /** The client's address, behind trusted proxies the one that they report. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly followed?: FollowedList | undefined;
  /** The unread body, for an endpoint that takes a stream. */
  readonly stream: Readable;
  /** The id of what the request creates, if the request has an `Idempotency-Key`. */
  readonly objectId: string | undefined;
}

/**
 * An answer that is JSON text already, so that a document stored as text need not be parsed to be sent. A long one is in
 * pieces.
 */
export class JsonText {
  #text: string | readonly string[];
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(text: string | readonly string[], headers?: Readonly<Record<string, string>>) {
    this.#text = text;
    this.headers = headers;
  }

  get text(): string {
    return typeof this.#text === 'string' ? this.#text : this.#text.join('');
  }

  /**
   * Only the sender may use it, and only once. A request that has waited for its turn is old to the garbage collector,
   * and whatever its promises still hold stays until a full collection; so they hold no long text.
   */
  take(): string | LongText {
    const text = this.#text;
    this.#text = '';
    return typeof text === 'string' ? text : new LongText(text);
  }
}

/** What the handler returns for the endpoint's `otherAnswer`. */
export class OtherAnswer {
  readonly value: object;

  constructor(value: object) {
    this.value = value;
  }
}

export interface Success {
  readonly status: 200 | 201;
  readonly description: string;
  readonly schema: TSchema;
  readonly example: unknown;
  /** The media type, if it is not JSON. */
  readonly type?: string;
}

export interface BodySpec<Body> {
  /** What the OpenAPI document says about it. */
  readonly schema: TSchema;
  readonly example: unknown;
  /** Validates and narrows. @throws Failure */
  read(body: unknown, app: AppContext): Body;
}

export interface QueryParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: TSchema;
  readonly example?: unknown;
}

/** The group of a resource's operations in the documentation. */
export interface Tag {
  readonly name: string;
  readonly description: string;
  /** In the order of a reader's interest, whatever order the endpoints are registered in. */
  readonly place: number;
  /** What an administrator needs for its operations; without a line they cannot be reached from the console. */
  readonly console?: {
    readonly read?: Permission;
    readonly write?: Permission;
    /** Its records belong to venues, and are restricted for those who are limited to some. They reach nothing else. */
    readonly byVenue?: true;
  };
  /** Its records may hold personal data, which must be deleted when a person is erased: the audit keeps only their ids. */
  readonly isPersonal?: true;
  /** Members that a role without the permission neither sees nor can filter by. */
  readonly hides?: {
    readonly permission: Permission;
    readonly members: readonly string[];
    /** In apps with pseudonyms such a role reads no records, only their number, and cannot filter by these members either. */
    readonly underPseudonyms?: readonly string[];
  };
}

/** One endpoint of `/api/v2`, as data: it is routed, guarded, documented and tested from this. */
export interface Endpoint<Body = unknown, L = unknown> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v2`, with `:name` for parameters. */
  readonly path: string;
  readonly operationId: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly grant: Grant | Ruled;
  /**
   * What a secret key needs if the grant is not a rule: one of these scopes. Without either, secret keys are refused: the
   * endpoint is for a person who signs in.
   */
  readonly scopes?: readonly Scope[];
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: readonly QueryParameter[];
  readonly body?: BodySpec<Body>;
  /** Not refused when little space is left: it stores nothing or next to nothing, or frees space. */
  readonly needsNoRoom?: true;
  /** Its answer carries the tag of the record (`ETag`). */
  readonly hasEntityTag?: true;
  /** Clients keep its answer: it is compressed for those who can read that, and not sent to one that has it (`If-None-Match`). */
  readonly isKept?: true;
  /** It is refused unless the record is the one that `If-Match` names; its answer carries the new tag. */
  readonly takesIfMatch?: true;
  /**
   * It takes an `Idempotency-Key`: with the same `objectId` and `now`, what it creates is the same row. The answer to a
   * request that has been done already.
   */
  readonly repeat?: (creation: Creation) => JsonText | object;
  /** It takes an `Idempotency-Key`, and `handle` looks at it: the body of the request is not read before. */
  readonly takesKey?: true;
  /** Members of the record that it changes, whatever they are called in the body: rules for members apply to them. */
  readonly writes?: readonly string[];
  /** It is about an installation, which may have to be proven by its secret. */
  readonly takesInstallationSecret?: true;
  /** The body is a file of any type instead of JSON, or what is described; the handler reads `stream`. */
  readonly takesStream?: true | { readonly description: string };
  readonly answer: Success;
  /**
   * In the console the password or a passkey must have been given in the last few minutes. Elsewhere it changes nothing: an app's own
   * callers prove themselves to the app.
   */
  readonly needsConfirmation?: true;
  /** A second kind of success, with another status; the handler chooses it by returning an `OtherAnswer`. */
  readonly otherAnswer?: Success;
  /** Errors beyond those of every endpoint (credentials, limit, bearer if needed, internal). */
  readonly errors: readonly ErrorName[];
  /**
   * Checks the path and finds what it names, before the body is read, so that an unknown id is answered as such
   * whatever the body says.
   */
  readonly locate?: (call: Omit<Call<undefined, undefined>, 'body' | 'located'>) => MaybePromise<L>;
  /**
   * Decides what `handle` would decide about the caller and the record that the path names, if `locate` leaves that to it.
   * Nothing is changed.
   */
  readonly judge?: (call: Omit<Call<undefined, undefined>, 'body' | 'located'>) => Promise<unknown>;
  readonly handle: (call: Call<Body, L>) => Promise<JsonText | OtherAnswer | StreamAnswer | object>;
  /** A list that can be followed. @throws Failure InvalidQuery */
  readonly follow?: (call: Call<Body, L>) => Promise<ListFollowing>;
  /** If its query names a list (`list`), the request is admitted as one to that list, and `call.followed` is how it is followed. */
  readonly followsLists?: true;
}

/** What a list's answer to one caller depends on. */
export interface ListFollowing {
  /** The table of its records. */
  readonly table: string;
  /** Callers for whom it is equal are answered the same, except for members that are hidden from them; without it nobody else is. */
  readonly sharedAs?: string;
  /** Whether one of these records may be in the list, or behind its limit, as long as nothing else than records has changed. */
  mayHave(objectIds: readonly string[]): Promise<boolean>;
}

/** A followed list, with the caller's present rights. */
export interface CurrentList extends ListFollowing {
  /** The list's answer. @throws Failure as the list does */
  read(): Promise<object>;
}

export interface FollowedList {
  /** What is sent beside the list's own parameters. */
  readonly query: Readonly<Record<string, string | undefined>>;
  /** The list's answer with one record, as to the request itself. @throws Failure as the list does */
  check(): Promise<unknown>;
  /** @throws Failure also when the caller may no longer ask */
  ask(): Promise<CurrentList>;
}

/** Checks an endpoint's types against each other and forgets them, so that all endpoints fit one list. */
export function endpoint<Body = undefined, L = undefined>(spec: Endpoint<Body, L>): Endpoint {
  return spec as unknown as Endpoint;
}
