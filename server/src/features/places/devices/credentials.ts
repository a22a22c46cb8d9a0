import { timingSafeEqual } from 'node:crypto';
import { secretHash } from '../../../access/access.ts';
import { type Actor, recordChange } from '../../../access/audit.ts';
import { fail } from '../../../base/errors.ts';
import { randomText } from '../../../base/id.ts';
import { restorableMs } from '../../../base/restorable.ts';
import type { CacheVersion } from '../../../db/nodes/cache-version.ts';
import type { Credentials, DeviceLogin } from '../../../delivery/mqtt/mqtt-connection.ts';
import { isoTime } from '../../../http/answers.ts';
import type { Context } from '../../context.ts';
import type { AppsWith } from '../../feature.ts';
import * as store from './credential-store.ts';
import { deviceCredentials, devices } from './resource.ts';

export interface CredentialDeps extends Pick<Context, 'db' | 'now'> {
  readonly cacheVersion: Pick<CacheVersion, 'change'>;
}

interface Restoring {
  readonly issuedAt: string | null;
  readonly by: Actor;
}

export type DeviceCredentials = ReturnType<typeof createDeviceCredentials>;

/** Passwords have 43 characters. Longer ones are not worth a hash. */
const maxPassword = 128;

const usernameOf = (appId: string, deviceId: string) => `${appId}/${deviceId}`;

const noDevice = (deviceId: string) => fail('ObjectNotFound', `There is no device ${deviceId}.`);

function loginOf(row: store.CredentialRow): DeviceLogin {
  return { appId: row.app_id, deviceId: row.device_id, topic: row.topic, version: row.password_hash };
}

function equal(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** The credentials with which devices connect by MQTT: a name made of app and device, and a random password. */
export function createDeviceCredentials({ db, cacheVersion, now }: CredentialDeps) {
  return {
    /** @throws Failure ObjectNotFound */
    async get(appId: string, deviceId: string) {
      const device = await devices.records.find(db, { app_id: appId, object_id: deviceId });
      if (!device) throw noDevice(deviceId);
      const row = await store.findCredential(db, appId, deviceId);
      return {
        username: usernameOf(appId, deviceId),
        topic: String(device['topic']),
        issuedAt: row ? isoTime(row.issued_at) : null,
      };
    },

    /** Creates a new password; an earlier one is refused from now on, and its connection is closed. */
    async issue(appId: string, deviceId: string, by: Actor) {
      const { username, topic } = await this.get(appId, deviceId);
      const password = randomText(43);
      const at = now();
      await cacheVersion.change(appId, async (db) => {
        if (!(await store.holdDevice(db, appId, deviceId))) throw noDevice(deviceId);
        await store.saveCredential(db, { appId, deviceId, passwordHash: secretHash(password), topic, now: at });
        await recordChange(db, { by, action: 'device.issueCredentials', subject: deviceId, appId, now: at });
      });
      return { username, password, topic, issuedAt: isoTime(at) };
    },

    async revoke(appId: string, deviceId: string, by: Actor): Promise<void> {
      await cacheVersion.change(appId, async (db) => {
        const isGone = !(await store.revokeCredential(db, { appId, deviceId, now: now() }));
        if (isGone) throw fail('ObjectNotFound', `The device ${deviceId} has no credentials.`);
        await recordChange(db, { by, action: 'device.revokeCredentials', subject: deviceId, appId, now: now() });
      });
    },

    /**
     * Brings back what was revoked or replaced within the last hour. `issuedAt` is of what the caller knows to be there
     * now, null when that is nothing.
     *
     * @throws Failure ObjectNotFound when there is nothing to bring back, PreconditionFailed if others were issued since
     */
    async restore(appId: string, deviceId: string, { issuedAt, by }: Restoring) {
      await cacheVersion.change(appId, async (db) => {
        const row = await store.findFormer(db, appId, deviceId);
        if (!row || row.former_at <= now() - restorableMs)
          throw fail('ObjectNotFound', `The device ${deviceId} has no credentials to bring back.`);
        if ((row.password_hash === '' ? null : isoTime(row.issued_at)) !== issuedAt) throw fail('PreconditionFailed');
        await store.restoreCredential(db, appId, deviceId);
        await store.followTopic(db, appId, deviceId);
        await recordChange(db, { by, action: 'device.restoreCredentials', subject: deviceId, appId, now: now() });
      });
      return this.get(appId, deviceId);
    },

    /** Deletes what can no longer be restored. */
    async sweep(appsWith: AppsWith): Promise<void> {
      const before = now() - restorableMs;
      for (const appId of await appsWith(deviceCredentials)) await store.forgetFormer(db, appId, before);
    },

    async login({ username, password }: Pick<Credentials, 'username' | 'password'>): Promise<DeviceLogin | undefined> {
      const [appId = '', deviceId = '', ...more] = username.split('/');
      // PostgreSQL cannot even compare with U+0000.
      if (password.length > maxPassword || more.length > 0 || !/^\w{1,64}$/.test(appId) || !/^\w{1,64}$/.test(deviceId))
        return undefined;
      const row = await store.findCredential(db, appId, deviceId);
      return row && equal(row.password_hash, secretHash(password)) ? loginOf(row) : undefined;
    },

    /** The logins whose credentials and topic are unchanged. */
    async stillValid(logins: readonly DeviceLogin[]): Promise<ReadonlySet<DeviceLogin>> {
      const valid = new Set<DeviceLogin>();
      for (const [appId, ofApp] of Map.groupBy(logins, (login) => login.appId)) {
        const ids = ofApp.map(({ deviceId }) => deviceId);
        const rows = new Map(
          (await store.findCredentials(db, appId, ids)).map((row) => [row.device_id, loginOf(row)] as const),
        );
        for (const login of ofApp) {
          const now = rows.get(login.deviceId);
          if (now?.version === login.version && now.topic === login.topic) valid.add(login);
        }
      }
      return valid;
    },
  };
}
