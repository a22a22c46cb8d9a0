import { type Call, type Connection, createCall } from './call.ts';
import type { PharosError } from './error.ts';
import { createInstallationSecret } from './installation-secret.ts';
import type { RetryOptions } from './retry.ts';
import { activityService } from './services/activity.ts';
import { analyticsService } from './services/analytics.ts';
import { type AnyBuckets, bucketService } from './services/buckets.ts';
import { factorService } from './services/factors.ts';
import { fileService } from './services/files.ts';
import { identityService } from './services/identities.ts';
import { installationService } from './services/installations.ts';
import { logService } from './services/logs.ts';
import { pushService } from './services/push.ts';
import { type RecordService, recordService } from './services/records.ts';
import { sightingService } from './services/sightings.ts';
import { storylineService } from './services/storylines.ts';
import { userService } from './services/users.ts';
import { Session, type Tokens } from './session.ts';
import type { TextStorage } from './storage-lock.ts';

interface Transport {
  /** A fetch other than the platform's. */
  readonly fetch?: typeof globalThis.fetch;
  /** How repeatable calls are tried again; false: never. */
  readonly retry?: RetryOptions | false;
  /**
   * Milliseconds for each try of a call, from the connection to the last byte; ten times as long for uploads. 30 000 by
   * default, 0 waits without a limit.
   */
  readonly timeout?: number;
  /** Puts the error of a call into other words, such as those of another language, before it is thrown. */
  readonly reword?: (error: PharosError) => PharosError;
}

/** An app, with its own credentials and the tokens of its users. */
export interface AppOptions extends Transport {
  /** The address of the service, such as `https://pharos.example.org`. */
  readonly baseUrl: string;
  readonly appId: string;
  readonly appKey: string;
  /** An access token from an earlier sign-in. */
  readonly token?: string;
  /**
   * Where the secret of this installation is kept, such as the keychain. The client generates it before the first registration
   * and sends it with registrations, sightings, logs and receipts, so that nobody else can act for this phone.
   */
  readonly secretStorage?: TextStorage;
  /** The refresh token that came with it, if it was asked for. */
  readonly refreshToken?: string;
  /** When the access token expires, epoch milliseconds; without it, it is renewed before it is first used. */
  readonly tokenExpiresAt?: number;
  /**
   * Called when the tokens have changed, because somebody has signed in or out, or they were renewed. Keep them to
   * stay signed in after a restart. A refresh token must be used by one client only, or by clients with one `tokenStorage`:
   * one that is used twice ends the session. Exceptions reach the platform's `reportError` or its error log, and the call goes on.
   */
  readonly onTokens?: (tokens: Tokens) => void;
  /**
   * Where the client itself keeps the tokens, such as `localStorage` or a keychain. What is stored counts before `token` and
   * `refreshToken`. The tabs of a page that have one storage stay signed in together: with Web Locks one of them renews the
   * tokens for all. A storage that fails to load ends calls with `StorageFailed`; exceptions of `save` are reported.
   */
  readonly tokenStorage?: TextStorage;
}

/** A server, gateway or script, which acts for the app itself as far as the scopes of its secret key reach. */
export interface ServerOptions extends Transport {
  readonly baseUrl: string;
  readonly appId: string;
  /** A secret key of the app (`phs_…`). It is refused in browsers and React Native, where everybody could read it. */
  readonly secretKey: string;
}

/** A page that is authenticated by the browser's session, such as the management console. */
export interface SessionOptions extends Transport {
  /** The start of the interface's addresses, such as `/console/api/apps/<appId>/v2`. */
  readonly apiUrl: string;
  /** `same-origin` by default: the browser sends its cookies. */
  readonly credentials?: 'omit' | 'same-origin' | 'include';
  /** More headers for each request, as they are when it is sent. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /**
   * People make a call again whose answer was lost, by pressing a button once more: with the same input it then has the same
   * `Idempotency-Key` as before, so that it is done once; and a deletion has succeeded if the record is gone by then.
   */
  readonly repeatedByPeople?: boolean;
}

export type PharosOptions = AppOptions | ServerOptions | SessionOptions;

/**
 * One app's connection to a Pharos service. Every method throws {@link PharosError}, or the signal's reason when it is
 * aborted. Lists return `{ results, count? }`; single records are returned directly. `Buckets` are the types that `pharos types`
 * writes for an app.
 */
export class PharosClient<Buckets extends object = AnyBuckets> {
  /** Undefined with the session of a browser. */
  readonly appId: string | undefined;
  /** Calls any operation of the interface, such as `call(operations.listPositions)`. */
  readonly call: Call;
  readonly beacons: RecordService<'Beacon', 'Beacons'>;
  /** Messages that are bound to a beacon and an event. */
  readonly notifications: RecordService<'Notification', 'Notifications'>;
  readonly storylines: ReturnType<typeof storylineService>;
  /** Buildings with their time zone and opening hours. */
  readonly venues: RecordService<'Venue', 'Venues'>;
  /** The floors of venues, with their plans. */
  readonly floors: RecordService<'Floor', 'Floors'>;
  /** Parts of a floor: rooms, queues, shops. */
  readonly zones: RecordService<'Zone', 'Zones'>;
  readonly users: ReturnType<typeof userService>;
  /** `client.bucket('guestbook').list()` */
  readonly bucket: ReturnType<typeof bucketService<Buckets>>;
  /** Devices that listen to a topic. */
  readonly devices: RecordService<'Device', 'Devices'>;
  /** One's own second factor and passkeys. */
  readonly factors: ReturnType<typeof factorService>;
  readonly identities: ReturnType<typeof identityService>;
  readonly installations: ReturnType<typeof installationService>;
  readonly files: ReturnType<typeof fileService>;
  readonly logs: ReturnType<typeof logService>;
  readonly sightings: ReturnType<typeof sightingService>;
  readonly push: ReturnType<typeof pushService>;
  readonly activity: ReturnType<typeof activityService>;
  readonly analytics: ReturnType<typeof analyticsService>;
  readonly #connection: Connection;
  readonly #session: Session;

  constructor(options: PharosOptions) {
    const { onTokens, tokenStorage, ...tokens }: Partial<AppOptions> = 'appKey' in options ? options : {};
    this.appId = 'appId' in options ? options.appId : undefined;
    this.#session = new Session(tokens, onTokens, tokenStorage);
    this.#connection = connectionOf(options, this.#session);
    this.call = createCall(this.#connection);
    this.#session.call = this.call;
    this.beacons = recordService(this.call, '/beacons');
    this.notifications = recordService(this.call, '/notifications');
    this.storylines = storylineService(this.call);
    this.venues = recordService(this.call, '/venues');
    this.floors = recordService(this.call, '/floors');
    this.zones = recordService(this.call, '/zones');
    this.users = userService(this.call, this.#session);
    this.bucket = bucketService<Buckets>(this.call);
    this.devices = recordService(this.call, '/device', 'array');
    this.factors = factorService(this.call);
    this.identities = identityService(this.call);
    this.installations = installationService(this.call);
    this.files = fileService(this.call);
    this.logs = logService(this.call);
    this.sightings = sightingService(this.call);
    this.push = pushService(this.call);
    this.activity = activityService(this.call);
    this.analytics = analyticsService(this.call);
  }

  /** Where and how it calls: for `openLiveStream` and `subscribe`. */
  get connection(): Connection {
    return this.#connection;
  }

  /**
   * Whether somebody is signed in, as far as is known without asking the service: reads `tokenStorage` unless somebody is.
   *
   * @throws PharosError `StorageFailed`
   */
  async isSignedIn(): Promise<boolean> {
    await this.#session.ready();
    return this.#session.token !== undefined || this.#session.refreshToken !== undefined;
  }

  /** The access token that is sent; set by signing in. */
  get token(): string | undefined {
    return this.#session.token;
  }

  set token(token: string | undefined) {
    this.#session.token = token;
  }

  /** Renews the access token when it has expired; set by signing in with `refresh: true`. */
  get refreshToken(): string | undefined {
    return this.#session.refreshToken;
  }

  set refreshToken(refreshToken: string | undefined) {
    this.#session.refreshToken = refreshToken;
  }
}

const secretKeyPrefix = 'phs_';

/** Wherever people run the code, they can read what is in it. */
function assertServer(): void {
  const { document, navigator } = globalThis as { document?: unknown; navigator?: { readonly product?: string } };
  if (document === undefined && navigator?.product !== 'ReactNative') return;
  throw new Error(
    'A secret key (phs_…) belongs on a server: everybody who opens this app or page can read it. Use the key of the app ' +
      'here, and revoke the secret key if it has been published.',
  );
}

function connectionOf(options: PharosOptions, session: Session): Connection {
  const { fetch, retry, timeout, reword } = options;
  const transport = {
    ...(fetch ? { fetch } : {}),
    ...(retry === undefined ? {} : { retry }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(reword ? { reword } : {}),
  };
  if ('apiUrl' in options) {
    const { apiUrl: url, credentials = 'same-origin', headers, repeatedByPeople = false } = options;
    return { ...transport, url, credentials, repeatedByPeople, ...(headers ? { headers } : {}) };
  }
  const { baseUrl, appId } = options;
  const appKey = 'secretKey' in options ? options.secretKey : options.appKey;
  if (appKey.startsWith(secretKeyPrefix)) assertServer();
  const secretStorage = 'secretStorage' in options ? options.secretStorage : undefined;
  const credentials = { 'X-Service-AppId': appId, 'X-Service-AppKey': appKey };
  return {
    ...transport,
    ...(secretStorage ? { installationSecret: createInstallationSecret(secretStorage) } : {}),
    session,
    url: `${baseUrl.replace(/\/+$/, '')}/api/v2`,
    headers: () =>
      session.token === undefined ? credentials : { ...credentials, Authorization: `Bearer ${session.token}` },
  };
}
