import type { Call, RenewableSession } from './call.ts';
import { PharosError } from './error.ts';
import * as operations from './operations.ts';
import { safely } from './report.ts';
import { inTime, lockedTokens, type TextStorage } from './storage-lock.ts';

/** The tokens of a signed-in user; undefined after signing out. */
export interface Tokens {
  readonly token: string | undefined;
  /** Without one the access token is long-lived. */
  readonly refreshToken: string | undefined;
  /** When the access token expires, epoch milliseconds. */
  readonly tokenExpiresAt: number | undefined;
}

/** What signing in and renewing answer. */
interface Issued {
  /** Of the user. */
  readonly objectId: string;
  readonly accessToken: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly refreshToken?: string;
}

/** A request takes a while, and clocks differ. */
const earlyMs = 30_000;

/** How long another tab may take to renew them. */
const turnMs = 30_000;

/** With whose they are, which is not known of tokens that an earlier version has stored, or that the app has kept itself. */
interface OwnTokens extends Tokens {
  readonly userId: string | undefined;
}

const noTokens: OwnTokens = { token: undefined, refreshToken: undefined, tokenExpiresAt: undefined, userId: undefined };

/**
 * The tokens of a client. An access token that comes with a refresh token is renewed shortly before it expires. Clients with one
 * storage, such as the tabs of a page, have one session: whichever renews it first does so for all.
 */
export class Session implements RenewableSession {
  token: string | undefined;
  refreshToken: string | undefined;
  userId: string | undefined;
  #expiresAt: number | undefined;
  readonly #onTokens: ((tokens: Tokens) => void) | undefined;
  readonly #storage: TextStorage | undefined;
  #reading: Promise<void> | undefined;
  /** It is over, and may begin again. */
  #isRead = false;
  /** As far as was stored or answered, nobody is signed in; otherwise the app itself has taken the tokens away. */
  #isNobody: boolean;
  /** The storage did not take the last tokens, and has older ones. */
  #isUnsaved = false;
  /** How often somebody has signed in or out here. */
  #changes = 0;
  /** Sign-ins and sign-outs that are not stored yet. */
  #saving = 0;
  #renewing: Promise<boolean> | undefined;
  /** Set once there is something to call with. */
  call: Call | undefined;

  constructor(
    { token, refreshToken, tokenExpiresAt }: Partial<Tokens>,
    onTokens: ((tokens: Tokens) => void) | undefined,
    storage?: TextStorage,
  ) {
    this.token = token;
    this.refreshToken = refreshToken;
    this.#expiresAt = tokenExpiresAt;
    this.#isNobody = isNobody(this);
    this.#onTokens = onTokens;
    this.#storage = storage;
  }

  /**
   * Has read what is stored, before the first call that needs it; while nobody is signed in, before each call, since somebody may have
   * signed in in another tab.
   *
   * @throws PharosError `StorageFailed`; the next call tries again
   */
  ready(): Promise<void> {
    if (this.#isRead && this.#isNobody && isNobody(this) && this.#saving === 0) this.#reading = undefined;
    this.#reading ??= this.#read();
    return this.#reading;
  }

  async #read(): Promise<void> {
    if (!this.#storage) return;
    this.#isRead = false;
    try {
      await this.#takeStored();
      this.#isRead = true;
    } catch (error) {
      this.#reading = undefined;
      throw error;
    }
  }

  get isDue(): boolean {
    if (this.refreshToken === undefined) return false;
    return this.token === undefined || Date.now() >= (this.#expiresAt ?? 0) - earlyMs;
  }

  /** Somebody has signed in. */
  keep(issued: Issued): Promise<void> {
    return this.#change(tokensOf(issued));
  }

  /** Somebody has signed out. */
  forget(): Promise<void> {
    return this.#change(noTokens);
  }

  /** What was stored before counts no more. */
  #change(tokens: OwnTokens): Promise<void> {
    this.#changes++;
    this.#reading = Promise.resolve();
    this.#isRead = this.#storage !== undefined;
    this.#set(tokens);
    if (!this.#storage) return Promise.resolve();
    this.#saving++;
    const saving = lockedTokens(() => this.#save(tokens)).finally(() => this.#saving--);
    // Another tab may be renewing, and its network be slow: nobody waits for long.
    return inTime(() => saving).catch(() => undefined);
  }

  /** A storage that does not work is reported; until the page is closed, memory will do. */
  async #save({ token, refreshToken, tokenExpiresAt, userId }: OwnTokens): Promise<void> {
    const text = JSON.stringify({ token, refreshToken, tokenExpiresAt, userId });
    const saving = inTime(async () => this.#storage?.save(text));
    safely(() => saving);
    this.#isUnsaved = await saving.then(
      () => false,
      () => true,
    );
  }

  async #takeStored(): Promise<void> {
    if (this.#isUnsaved) return;
    const before = this.#changes;
    let text: string | null | undefined;
    try {
      text = await inTime(async () => this.#storage?.load());
    } catch (cause) {
      const message = 'The storage of the tokens does not work, so it is not known who is signed in. Try again.';
      throw new PharosError(message, { name: 'StorageFailed', code: 0, status: 0, cause });
    }
    const stored = readTokens(text);
    // Somebody has signed in or out while it was read.
    if (this.#changes !== before) return;
    if (!stored || (stored.token === this.token && stored.refreshToken === this.refreshToken)) return;
    this.#set(isNobody(stored) ? this.#signedOut : stored);
  }

  /** Not by the app in this tab. What that begins next is still meant to be done by whoever was signed in, and not by the next one. */
  get #signedOut(): OwnTokens {
    return { ...noTokens, userId: this.userId };
  }

  #set({ userId, ...tokens }: OwnTokens): void {
    this.token = tokens.token;
    this.refreshToken = tokens.refreshToken;
    this.#isNobody = isNobody(tokens);
    this.userId = userId;
    this.#expiresAt = tokens.tokenExpiresAt;
    safely(() => this.#onTokens?.(tokens));
  }

  renew(refused: string | undefined): Promise<boolean> {
    if (this.token !== refused) return Promise.resolve(this.token !== undefined);
    this.#renewing ??= (this.#storage ? lockedTokens(() => this.#renewForAll(refused), turnMs) : this.#renew()).finally(
      () => {
        this.#renewing = undefined;
      },
    );
    return this.#renewing;
  }

  /** Another client may have renewed it, or have signed out, since it was read. */
  async #renewForAll(refused: string | undefined): Promise<boolean> {
    await this.#takeStored();
    if (this.token !== refused && !this.isDue) return this.token !== undefined;
    const before = this.refreshToken;
    const isSignedIn = await this.#renew();
    const { token, refreshToken, userId } = this;
    // Whoever has signed in or out meanwhile saves that behind this.
    if (refreshToken !== before) await this.#save({ token, refreshToken, userId, tokenExpiresAt: this.#expiresAt });
    return isSignedIn;
  }

  async #renew(): Promise<boolean> {
    const { refreshToken, call } = this;
    if (refreshToken === undefined || !call) return false;
    try {
      const answer = await call(operations.refreshToken, { body: { refreshToken } });
      // Signed out, or in as somebody else, in the meantime.
      if (this.refreshToken === refreshToken) this.#set(tokensOf(answer));
    } catch (error) {
      if (!(error instanceof PharosError) || error.name !== 'InvalidSessionToken') throw error;
      if (this.refreshToken === refreshToken) this.#set(this.#signedOut);
    }
    return this.token !== undefined;
  }
}

const tokensOf = ({ objectId, accessToken, expiresIn, refreshToken }: Issued): OwnTokens => ({
  userId: objectId,
  token: accessToken,
  refreshToken,
  tokenExpiresAt: Date.now() + expiresIn * 1000,
});

const isNobody = ({ token, refreshToken }: Pick<Tokens, 'token' | 'refreshToken'>) =>
  token === undefined && refreshToken === undefined;

/** Undefined: nothing that was stored by a client. */
function readTokens(text: string | null | undefined): OwnTokens | undefined {
  if (!text) return undefined;
  try {
    const stored = JSON.parse(text) as Readonly<Record<string, unknown>> | null;
    if (typeof stored !== 'object' || stored === null) return undefined;
    const textOf = (member: string) => (typeof stored[member] === 'string' ? stored[member] : undefined);
    const { tokenExpiresAt } = stored;
    return {
      token: textOf('token'),
      refreshToken: textOf('refreshToken'),
      userId: textOf('userId'),
      tokenExpiresAt: typeof tokenExpiresAt === 'number' ? tokenExpiresAt : undefined,
    };
  } catch {
    return undefined;
  }
}
