import { type Call, createCall } from './call.ts';
import { beaconService } from './services/beacons.ts';
import { bucketService } from './services/buckets.ts';
import { deviceService } from './services/devices.ts';
import { fileService } from './services/files.ts';
import { installationService } from './services/installations.ts';
import { logService } from './services/logs.ts';
import { notificationService } from './services/notifications.ts';
import { storylineService } from './services/storylines.ts';
import { userService } from './services/users.ts';

export interface PharosOptions {
  /** Where the service is, such as `https://pharos.example.org`. */
  readonly baseUrl: string;
  readonly appId: string;
  readonly appKey: string;
  /** An access token from an earlier sign-in. */
  readonly token?: string;
  /** Another fetch than the platform's. */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * One app's connection to a Pharos service. Every method throws {@link PharosError} and nothing else.
 * Lists answer `{ results, count? }`; single records come as they are.
 */
export class PharosClient {
  /** The access token that is sent; set by signing in. */
  token: string | undefined;
  /** Calls any operation of the interface by its id in the OpenAPI document. */
  readonly call: Call;
  readonly beacons: ReturnType<typeof beaconService>;
  readonly notifications: ReturnType<typeof notificationService>;
  readonly storylines: ReturnType<typeof storylineService>;
  readonly users: ReturnType<typeof userService>;
  /** `client.bucket('guestbook').list()` */
  readonly bucket: ReturnType<typeof bucketService>;
  readonly devices: ReturnType<typeof deviceService>;
  readonly installations: ReturnType<typeof installationService>;
  readonly files: ReturnType<typeof fileService>;
  readonly logs: ReturnType<typeof logService>;

  constructor({ baseUrl, appId, appKey, token, fetch = globalThis.fetch }: PharosOptions) {
    this.token = token;
    this.call = createCall({ baseUrl, appId, appKey, fetch, token: () => this.token });
    this.beacons = beaconService(this.call);
    this.notifications = notificationService(this.call);
    this.storylines = storylineService(this.call);
    this.users = userService(this.call, this);
    this.bucket = bucketService(this.call);
    this.devices = deviceService(this.call);
    this.installations = installationService(this.call);
    this.files = fileService(this.call);
    this.logs = logService(this.call);
  }
}
