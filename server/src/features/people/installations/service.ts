import { setTimeout as delay } from 'node:timers/promises';
import { advertisedKey } from '@pharos/engine';
import { secretHash } from '../../../access/access.ts';
import { permissionsOf } from '../../../access/consent.ts';
import { isProven, notProven as lacksSecret, readNewSecret } from '../../../access/installation-proof.ts';
import { fail } from '../../../base/errors.ts';
import { newObjectId } from '../../../base/id.ts';
import { type Db, UniqueViolation } from '../../../db/db.ts';
import type { Changes } from '../../../http/shape.ts';
import { type AssertUnchanged, newTag } from '../../../resources/entity-tag.ts';
import { mergePatch } from '../../../resources/merge-patch.ts';
import type { Key } from '../../../resources/table.ts';
import type { Context } from '../../context.ts';
import { assertMetadata } from '../../own-metadata.ts';
import { type ConsentChange, changesAnalytics, decideConsents, noteDecisions } from './consents.ts';
import { deciderOf, handOver, type RegistrationCaller, sentConsents } from './hand-over.ts';
import { assignedOwnership, type Linking, type Registrant, showsTopicOnly, userOf } from './ownership.ts';
import {
  alreadyRegistered,
  invalid,
  notAgreed,
  notProven,
  notSignedIn,
  secretRequired,
  topicProvesNothing,
  topicTaken,
  unchangeable,
} from './refusals.ts';
import { isRepeated } from './repeated.ts';
import { type Installation, installations, type Registration } from './resource.ts';
import { sensingColumns } from './sensing/report.ts';
import * as store from './store.ts';

export interface InstallationDeps extends Pick<Context, 'now' | 'userExists'> {
  readonly db: Db;
  /** Why nothing can ever be sent to a token, as the end of a sentence about it. */
  readonly tokenFault: (registered: {
    readonly deviceType: Installation['deviceType'];
    readonly pushType: string | null;
    readonly deviceToken: string;
  }) => string | undefined;
  /** Ends open visits, in the transaction that changes what may be recorded about an installation. */
  readonly endPresence: (db: Db, appId: string, objectId: string) => Promise<void>;
  /** Erases its traces so far; called in the transaction that takes the permission away. */
  readonly forget: (db: Db, appId: string, objectId: string) => Promise<void>;
}

export interface RegisteredInstallation {
  readonly objectId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly isNew: boolean;
}

/** Two clients can race for one id or token; the one that loses finds the other's row on its next try. */
const maxTries = 10;

interface Changing {
  /** Metadata is merged (RFC 7396) instead of replaced. */
  readonly merge: boolean;
  readonly by: RegistrationCaller;
  readonly assertUnchanged?: AssertUnchanged | undefined;
}

/** Installations of an app: one row for each `installationId` and for each `deviceToken`. */
export class InstallationService {
  readonly #deps: InstallationDeps;

  constructor(deps: InstallationDeps) {
    this.#deps = deps;
  }

  /**
   * Creates an installation, or changes the existing one. A token moves here from any other installation, and a dead
   * token is alive again.
   *
   * @throws Failure OperationForbidden for a userId that is not the caller's, ObjectNotFound for one that does not
   * exist, ValidationError for another deviceType, Timeout
   */
  async register(appId: string, sent: Registration, by: RegistrationCaller): Promise<RegisteredInstallation> {
    return retryRaces(() => this.#registerOnce(appId, sent, by));
  }

  /**
   * Changes what is sent; `merge` merges metadata (RFC 7396).
   *
   * @throws Failure ObjectNotFound, OperationForbidden for somebody else's userId, ValidationError for another installationId or deviceType
   */
  async change(
    key: { readonly appId: string; readonly objectId: string },
    changes: Changes<Installation>,
    { merge, by, assertUnchanged }: Changing,
  ): Promise<{ readonly updatedAt: number; readonly tag: string }> {
    const { db, now } = this.#deps;
    const { appId, objectId } = key;
    return retryRaces(() =>
      db.transaction(async (db) => {
        const row = await store.lockInstallation(db, appId, objectId);
        // It may have passed to another user since the path was checked.
        if (!row || !(by.isManager || (by.userId !== undefined && row.user_id === by.userId)))
          throw fail('ObjectNotFound', 'There is no installation with this objectId.');
        const rowKey = { app_id: appId, object_id: objectId };
        assertUnchanged?.(await newTag(db, installations.records, rowKey));
        assertSame(row, changes);
        this.#assertReachable(changes, row);
        const { userId } = changes.set;
        if (userId && userId.objectId !== by.userId && !by.namesOthers) throw notSignedIn();
        await this.#assertUser(db, appId, userId?.objectId);
        const isUnproven = row.unproven !== 0 && !by.isManager;
        const sent = sentConsents(changes);
        const consents = decideConsents(row.consents, { sent, now: now(), by: deciderOf(by), isUnproven });
        if (changes.set.consents?.analytics?.erase && isUnproven) throw notProven();
        const mayLink = permissionsOf(consents.stored, by.policy).identity;
        if (userId && !mayLink) throw notAgreed();
        const next = changes.cleared.includes('userId') || !mayLink ? null : (userId?.objectId ?? row.user_id);
        const { metadata } = changes.set;
        const merged = metadata && merge ? mergePatch(JSON.parse(row.metadata), metadata) : metadata;
        assertMetadata(merged);
        const set = { ...changes.set, ...(merged === undefined ? {} : { metadata: merged as object }) };
        const ownership = assignedOwnership(row, next, by, now());
        const updatedAt = await this.#write(db, appId, row, { ...changes, set, by, ownership, consents });
        return { updatedAt, tag: await newTag(db, installations.records, rowKey) };
      }),
    );
  }

  /** In a transaction the user cannot be erased before its end. */
  async #assertUser(db: Db, appId: string, userId: string | null | undefined): Promise<void> {
    const { userExists } = this.#deps;
    if (!userId || (await userExists(db, appId, userId))) return;
    throw fail('ObjectNotFound', `userId: there is no user ${userId}.`);
  }

  /** Checks the token if it or the way it is reached changes; an earlier registration may stay. */
  #assertReachable(changes: Changes<Installation>, row?: store.InstallationRow): void {
    const { tokenFault } = this.#deps;
    const { set, cleared } = changes;
    if (set.deviceToken === undefined && set.pushType === undefined && !cleared.includes('pushType')) return;
    const deviceToken = cleared.includes('deviceToken') ? null : (set.deviceToken ?? row?.device_token ?? null);
    const deviceType = (row?.device_type ?? set.deviceType) as Installation['deviceType'];
    const pushType = cleared.includes('pushType') ? null : (set.pushType ?? row?.push_type ?? null);
    const problem = deviceToken === null ? undefined : tokenFault({ deviceType, pushType, deviceToken });
    if (problem === undefined) return;
    const field = set.deviceToken === undefined ? 'pushType' : 'deviceToken';
    throw invalid([
      { field, problem: field === 'deviceToken' ? problem : `does not fit the device token, which ${problem}` },
    ]);
  }

  async #insert(
    db: Db,
    appId: string,
    sent: Registration,
    by: RegistrationCaller & Linking,
  ): Promise<RegisteredInstallation> {
    const { now } = this.#deps;
    const createdAt = now();
    const objectId = newObjectId(createdAt);
    const { installationId, deviceToken } = sent;
    // Without an id of its own, the installation that got the token in the meantime is this very one: the unique index
    // makes the next try find it.
    if (installationId && deviceToken) await takeToken(db, appId, deviceToken, { objectId, by });
    const columns = {
      app_id: appId,
      object_id: objectId,
      device_token: deviceToken ?? null,
      token_at: deviceToken ? createdAt : null,
      advertised_key: await tagOf(db, appId, sent.metadata, { objectId, by }),
      user_id: userOf(sent, by) ?? null,
      secret_hash: hashOfNew(sent, by),
      ...sensingColumns(sent.deviceType, sent.sensing, createdAt),
    };
    const { userId: _user, deviceToken: _too, previousDeviceToken: _proof, consents, ...members } = unrepeated(sent);
    const values = { channels: null, metadata: null, ...members, createdAt, updatedAt: createdAt };
    const decided = decideConsents(null, { sent: consents, now: createdAt, by: deciderOf(by) });
    await installations.records.insert(db, { ...columns, consents: decided.stored }, values);
    await noteDecisions(db, { appId, installationId: objectId, now: createdAt }, decided.changed);
    return { objectId, createdAt, updatedAt: createdAt, isNew: true };
  }

  /** Writes what was sent to a locked row. Returns the time of the update. */
  async #write(
    db: Db,
    appId: string,
    row: store.InstallationRow,
    { set, cleared: names, ownership, by, consents }: Writing,
  ) {
    const { now } = this.#deps;
    const { deviceToken, userId: _owner, consents: _decided, ...members } = unrepeated(set);
    const {
      userId: _too,
      deviceToken: _inToken,
      consents: _decidedToo,
      ...cleared
    }: Record<string, null> = Object.fromEntries(names.map((member) => [member, null]));
    const updatedAt = Math.max(now(), row.updated_at);
    if (deviceToken) await takeToken(db, appId, deviceToken, { objectId: row.object_id, by });
    const token: Key =
      deviceToken || names.includes('deviceToken')
        ? {
            device_token: deviceToken ?? null,
            token_at: deviceToken ? now() : null,
            token_dead_at: null,
            token_dead_reason: null,
          }
        : {};
    const tag: Key =
      members.metadata || 'metadata' in cleared
        ? { advertised_key: await tagOf(db, appId, members.metadata, { objectId: row.object_id, by }) }
        : {};
    const key = { app_id: appId, object_id: row.object_id };
    const sensing =
      members.sensing || 'sensing' in cleared
        ? sensingColumns(row.device_type as Installation['deviceType'], members.sensing, now())
        : {};
    const moving = changesAnalytics(row.consents, consents.stored, by.policy) ? { motion: null, motion_at: null } : {};
    const columns = { ...token, ...tag, ...sensing, ...moving, ...ownership, consents: consents.stored };
    await installations.records.update(db, key, { ...cleared, ...members, updatedAt }, columns);
    await this.#follow(db, appId, row, { set, by, consents });
    return updatedAt;
  }

  /** What decisions lead to takes effect with them. */
  async #follow(db: Db, appId: string, row: store.InstallationRow, { set, by, consents }: Decision): Promise<void> {
    const { now, endPresence, forget } = this.#deps;
    const { object_id: installationId } = row;
    if (changesAnalytics(row.consents, consents.stored, by.policy)) await endPresence(db, appId, installationId);
    if (set.consents?.analytics?.erase) await forget(db, appId, installationId);
    await noteDecisions(db, { appId, installationId, now: now() }, consents.changed);
  }

  #registerOnce(appId: string, sent: Registration, by: RegistrationCaller): Promise<RegisteredInstallation> {
    const { db, now } = this.#deps;
    return db.transaction(async (db) => {
      // Before the installation, as an erasure locks them.
      await this.#assertUser(db, appId, userOf(sent, { ...by, mayLink: true }));
      const row = await lockMeant(db, appId, sent);
      if (row && by.isManager && !by.changesOthers) {
        if (isRepeated(row, sent, { by, now: now() })) return known(row, row.updated_at);
        by = asItsPhone(row, by);
      }
      if (row) by = provenBy(row, by);
      if (row && showsTopicOnly(row, sent, by)) throw topicProvesNothing();
      if (!row && by.policy.installationProof === 'required' && !by.isManager && hashOfNew(sent, by) === null)
        throw secretRequired();
      const { linking, ownership, consents } = handOver(row, sent, by, now());
      const named = userOf(sent, linking);
      if (ownership && ownership.userId !== named && ownership.userId !== row?.user_id)
        await this.#assertUser(db, appId, ownership.userId);
      if (sent.userId && !linking.mayLink) throw notAgreed();
      if (sent.userId && sent.userId.objectId !== (ownership?.userId ?? by.userId) && !by.namesOthers)
        throw notSignedIn();
      if (row && row.device_type !== sent.deviceType) throw unchangeable(['deviceType']);
      this.#assertReachable({ set: sent, cleared: [] }, row);
      if (!row || !ownership) return this.#insert(db, appId, sent, linking);
      const { previousDeviceToken: _shown, ...members } = sent;
      if (sent.consents?.analytics?.erase && ownership.columns['unproven'] !== 0) throw notProven();
      const reset = Object.keys(ownership.reset).filter((member) => !(member in members)) as (keyof Installation)[];
      const secret = ownership.columns['unproven'] === 0 ? hashOfNew(sent, by) : null;
      const columns = secret === null ? ownership.columns : { ...ownership.columns, secret_hash: secret };
      const changes = { set: members, cleared: reset, ownership: columns, by, consents };
      const updatedAt = await this.#write(db, appId, row, changes);
      return known(row, updatedAt);
    });
  }
}

const known = ({ object_id: objectId, created_at: createdAt }: store.InstallationRow, updatedAt: number) => ({
  objectId,
  createdAt,
  updatedAt,
  isNew: false,
});

/**
 * The hash of the secret that an installation gets. One that is known by its token alone gets none: a phone that has lost its
 * secret could not register again.
 */
function hashOfNew({ installationId }: Registration, { proof }: RegistrationCaller): string | null {
  const secret = readNewSecret(proof.secret);
  return secret === undefined || installationId === undefined ? null : secretHash(secret);
}

/** @throws Failure OperationForbidden for one that has a secret, without it and without its user */
function provenBy(row: store.InstallationRow, by: RegistrationCaller): RegistrationCaller {
  if (row.secret_hash === null) return by;
  if (!isProven({ secretHash: row.secret_hash, userId: row.user_id }, by.proof)) throw lacksSecret();
  return { ...by, showsSecret: true };
}

/** Whoever may only register new ones acts for a known one as its phone would, with the same secret. @throws Failure OperationForbidden */
function asItsPhone(row: store.InstallationRow, by: RegistrationCaller): RegistrationCaller {
  const proof = { ...by.proof, seesAll: false };
  if (row.secret_hash === null || !isProven({ secretHash: row.secret_hash, userId: null }, proof))
    throw alreadyRegistered();
  return { ...by, isManager: false, namesOthers: false, proof };
}

interface Decision {
  readonly set: Partial<Installation>;
  readonly by: RegistrationCaller;
  readonly consents: ConsentChange;
}

interface Writing extends Changes<Installation>, Decision {
  readonly set: Partial<Installation>;
  readonly ownership: Key;
}

/** The installation in question: by the client's own id, else by the token. */
async function lockMeant(db: Db, appId: string, sent: Installation): Promise<store.InstallationRow | undefined> {
  const { installationId, deviceToken } = sent;
  const byId = installationId ? await store.lockByInstallationId(db, appId, installationId) : undefined;
  if (byId || !deviceToken) return byId;
  const byToken = await store.lockByToken(db, appId, deviceToken);
  if (!byToken || !installationId) return byToken;
  // So far registered by its token alone; now it names its installationId.
  return byToken.installation_id === null && byToken.device_type === sent.deviceType ? byToken : undefined;
}

/** Whoever has the token of a push service has the phone. A topic is guessed. @throws Failure OperationForbidden */
async function takeToken(
  db: Db,
  appId: string,
  deviceToken: string,
  { objectId, by }: { readonly objectId: string; readonly by: Registrant },
): Promise<void> {
  const holder = by.changesOthers ? undefined : await store.findTopicHolder(db, appId, deviceToken, objectId);
  if (holder && (by.userId === undefined || holder.user_id !== by.userId)) throw topicTaken();
  await store.takeToken(db, appId, deviceToken, objectId);
}

/**
 * Everybody can hear a tag: one that stands for an installation cannot be taken over by writing it down, whether that has a user or not.
 * Whoever may change the others reassigns it.
 */
async function tagOf(
  db: Db,
  appId: string,
  metadata: unknown,
  { objectId, by }: { readonly objectId: string; readonly by: Registrant },
): Promise<string | null> {
  const key = advertisedKey(metadata);
  if (key === null) return null;
  if (by.changesOthers) {
    await store.takeTag(db, appId, key, objectId);
    return key;
  }
  return (await store.isTagOfAnother(db, appId, key, { objectId, userId: by.userId })) ? null : key;
}

/** The identifiers of an installation stay as they are; sending them unchanged is allowed. */
function assertSame(row: store.InstallationRow, { set, cleared }: Changes<Installation>): void {
  const changed: string[] = [];
  const { installationId, deviceType } = set;
  if (installationId !== undefined && installationId !== row.installation_id) changed.push('installationId');
  if (cleared.includes('installationId') && row.installation_id !== null) changed.push('installationId');
  if (deviceType !== undefined && deviceType !== row.device_type) changed.push('deviceType');
  if (changed.length > 0) throw unchangeable(changed);
  if (!cleared.includes('deviceToken') || row.installation_id !== null) return;
  throw invalid([{ field: 'deviceToken', problem: 'cannot be cleared: the installation has no installationId' }]);
}

function unrepeated<T extends Partial<Installation>>(sent: T): T {
  return sent.channels ? { ...sent, channels: [...new Set(sent.channels)] } : sent;
}

async function retryRaces<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UniqueViolation)) throw error;
      if (tries >= maxTries) throw fail('Timeout', { retryAfter: 1, cause: error });
    }
    await delay(Math.random() * 10 * tries);
  }
}
