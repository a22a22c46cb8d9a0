import type { AppContext, UserContext, UserRole } from '../access/context.ts';
import type { Db } from '../db/db.ts';

/** A session that has just begun. The token exists only here and at the client. */
export interface Session {
  readonly accessToken: string;
  readonly userId: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
  /** Of a session that is renewed; the access token is short-lived then. */
  readonly refresh?: { readonly token: string; readonly expiresAt: number } | undefined;
}

/** A sign-in whose first half was right; having the challenge proves that. */
export interface HalfSignIn {
  readonly challenge: string;
  /** A code of the authenticator app; or that one is set up first, where everybody needs one. */
  readonly missing: 'code' | 'enrolment';
}

export type SignedIn = Session | HalfSignIn;

/** How and where a session begins. */
export interface SessionStart extends SessionClient {
  readonly method: SignInMethod;
  /** The name of the identity provider. */
  readonly provider?: string;
  readonly hasSecondFactor?: true;
}

export type SignInMethod = 'password' | 'identityProvider' | 'mailLink' | 'passkey';

export interface SessionClient {
  readonly userAgent: string | null;
  /** It wants a refresh token. */
  readonly isRenewable: boolean;
}

const maxUserAgent = 300;

export function clientOf(
  { headers }: { readonly headers: Readonly<Record<string, string | string[] | undefined>> },
  { refresh }: { readonly refresh?: boolean | undefined },
): SessionClient {
  const userAgent = String(headers['user-agent'] ?? '').slice(0, maxUserAgent) || null;
  return { userAgent, isRenewable: refresh === true };
}

/** What the access token of a signed-in person proves. */
export const tokenProof = ({
  accessToken,
  tokenHash,
}: UserContext): Pick<AccountProof, 'tokenHash' | 'hasSession'> => ({
  tokenHash,
  hasSession: !accessToken.includes('.'),
});

export interface AccountKey {
  readonly appId: string;
  readonly userId: string;
}

export interface Account {
  readonly userId: string;
  readonly role: UserRole;
  readonly isDisabled: boolean;
  /** It can be signed in to with an e-mail address and a password. */
  readonly hasPassword: boolean;
  /** Somebody has proved to read the mails to the account's address. */
  readonly hasVerifiedEmail: boolean;
  /** Another text as soon as it has another password. */
  readonly passwordProof: string;
  /** Empty if there is none. */
  readonly email: string;
  /** Both names, which may be empty. */
  readonly name: string;
  /** Those to which the user belongs. */
  readonly venueIds: readonly string[] | undefined;
}

/** Which second factor an account needs beside what was given; undefined for none. `db` is the transaction of the sign-in. */
export type FindMissing = (db: Db, app: AppContext, key: AccountKey) => Promise<HalfSignIn['missing'] | undefined>;

/** What a signed-in person must prove to change how to sign in. */
export interface AccountProof {
  readonly currentPassword: string | undefined;
  /** Of the access token that was sent. */
  readonly tokenHash: string;
  /** False for the token of an issuer, by which nobody is signed in here. */
  readonly hasSession: boolean;
  /** Checks a password so that wrong ones count against the account. @throws Failure APICallLimit */
  readonly confirm: (emailKey: string, check: () => Promise<void>) => Promise<void>;
}

/** The accounts of an app's users, for other ways to sign in than a password. `db` is the caller's transaction. */
export interface Accounts {
  /** Nobody can change the account until the end of the transaction. */
  lock(db: Db, key: AccountKey): Promise<Account | undefined>;
  /**
   * Locks the account of a caller who changes how to sign in; the session may have ended since the request came, by a new password or the
   * first proof of the address. @throws Failure InvalidSessionToken
   */
  lockOneself(db: Db, key: AccountKey, proof: Pick<AccountProof, 'tokenHash' | 'hasSession'>): Promise<Account>;
  lockByEmail(db: Db, appId: string, email: string): Promise<Account | undefined>;
  /** Without a password. `email` is verified; undefined: the account has none. @throws UniqueViolation */
  create(db: Db, key: AccountKey, account: NewAccount): Promise<void>;
  /** Notes that the address is verified if it is the account's. */
  noteVerified(db: Db, key: AccountKey, email: string): Promise<void>;
  /** Gives it an address whose mails somebody reads, and tells the former one. @throws UniqueViolation */
  changeAddress(db: Db, key: AccountKey, email: string): Promise<void>;
  /** Removes the password and ends all sessions: whoever set it has not proven to be the person. */
  dropPassword(db: Db, key: AccountKey): Promise<void>;
  setRole(db: Db, key: AccountKey, role: UserRole): Promise<void>;
  /** Half a sign-in where the account has a second factor that was not given. */
  beginSession(db: Db, app: AppContext, userId: string, how: SessionStart): Promise<SignedIn>;
  /** Whose sign-in goes on with a challenge. @throws Failure UserInvalidLoginParams for one that is no longer valid */
  readHalf(appId: string, challenge: string): Promise<AccountKey>;
  /** Reads a half sign-in and counts a guess, of which a challenge allows a few. @throws Failure UserInvalidLoginParams */
  tryHalf(appId: string, challenge: string): Promise<AccountKey>;
  /** Begins the session. @throws Failure UserInvalidLoginParams when the challenge was used in the meantime */
  finishHalf(db: Db, app: AppContext, challenge: string): Promise<Session>;
  /** Ends all sessions except that of an access token, which continues as one with two factors or with one. */
  settleSession(db: Db, key: AccountKey, tokenHash: string, hasSecondFactor: boolean): Promise<void>;
  /** @throws Failure OperationForbidden unless the session began a few minutes ago */
  assertFresh(key: AccountKey, tokenHash: string): Promise<void>;
  /**
   * The current password, or a session that began a few minutes ago.
   *
   * @throws Failure PasswordMissing, UserInvalidLoginParams, OperationForbidden
   */
  assertOneself(key: AccountKey, proof: AccountProof): Promise<void>;
}

interface NewAccount {
  readonly email: string | undefined;
  readonly firstname: string;
  readonly lastname: string;
  readonly role: UserRole;
  readonly now: number;
}
