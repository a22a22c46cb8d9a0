import { permissionsOf } from '../../../../access/consent.ts';
import { isProven } from '../../../../access/installation-proof.ts';
import { raw, sql } from '../../../../base/sql.ts';
import { Lookup } from '../../../../db/bulk.ts';
import type { Db, Row } from '../../../../db/db.ts';
import type { InstallationLock, Intake, Locked, NamedLock } from '../stages/stages.ts';
import { type TrackCache, unknownTrack } from './track-cache.ts';
import { keyText } from './track-store.ts';

/** Everything about one installation happens one after the other, on all nodes: any code that acts for it locks it. */

interface LockRow extends Row {
  readonly object_id: string;
  readonly device_token: string | null;
  readonly token_dead_at: number | null;
  readonly unproven: number;
  readonly held_since: number | null;
  readonly user_id: string | null;
  readonly consents: string | null;
  readonly locale_identifier: string | null;
  readonly device_model: string | null;
  readonly motion: string | null;
  readonly motion_at: number | null;
}

export interface NamedInstallation {
  readonly appId: string;
  /** Our id, or else where `isClients` the client's own, which comes first. */
  readonly id: string;
  readonly isClients: boolean;
}

/** The engine's results are about the person who carries the phone, to whom an unproven token may not belong. */
const isReachable = ({ device_token, token_dead_at, unproven }: LockRow) =>
  device_token !== null && token_dead_at === null && unproven === 0;

const carriedBy = (row: LockRow) => ({
  hasPushTarget: isReachable(row),
  heldSince: row.held_since ?? undefined,
  consents: row.consents,
  locale: row.locale_identifier,
  model: row.device_model,
  moving: row.motion === null ? undefined : { motion: row.motion, at: row.motion_at ?? 0 },
});

interface LockedRow extends LockRow {
  readonly installation_id: string | null;
  readonly secret_hash: string | null;
}

const lockColumns = raw(
  'object_id, installation_id, device_token, token_dead_at, unproven, held_since, user_id, consents, secret_hash, locale_identifier, device_model, motion, motion_at',
);
/** Statements by the column that is looked up and how rows are locked. */
const locks = new Map<string, Lookup<'installation_id' | 'object_id'>>();

function lockBy(column: 'installation_id' | 'object_id', lock: string): Lookup<'installation_id' | 'object_id'> {
  const key = column + lock;
  const known = locks.get(key);
  if (known) return known;
  const made = new Lookup(
    [column],
    (isWanted) => sql`select ${lockColumns} from installations where app_id = ${null} and ${isWanted}${raw(lock)}`,
  );
  locks.set(key, made);
  return made;
}

const clientIds = new Lookup(
  ['installation_id'],
  (isWanted) => sql`select installation_id from installations where app_id = ${null} and ${isWanted}`,
);

/**
 * Locks several installations, in the order of `named`; undefined where there is none and, unless it is the only one,
 * where somebody else holds it. Nobody waits for one lock while holding another, so no two transactions ever wait for
 * each other.
 */
export async function lockNamed(
  db: Db,
  named: readonly NamedInstallation[],
): Promise<readonly (NamedLock | undefined)[]> {
  const found = new Map<NamedInstallation, NamedLock>();
  for (const [appId, ofApp] of Map.groupBy(named, (one) => one.appId)) {
    const locked = await lockOfApp(db, appId, { named: ofApp, waits: named.length === 1 });
    for (const [one, lock] of locked) found.set(one, lock);
  }
  return named.map((one) => found.get(one));
}

async function lockOfApp(
  db: Db,
  appId: string,
  { named, waits }: { readonly named: readonly NamedInstallation[]; readonly waits: boolean },
): Promise<Map<NamedInstallation, NamedLock>> {
  const lock = waits ? db.dialect.lockRow : db.dialect.skipLocked;
  const found = new Map<NamedInstallation, NamedLock>();
  const take = async (column: 'installation_id' | 'object_id', wanted: readonly NamedInstallation[]) => {
    const ids = [...new Set(wanted.map(({ id }) => id))].map((id) => ({ installation_id: id, object_id: id }));
    const rows = await lockBy(column, lock).read<LockedRow>(db, [appId], ids);
    const byId = new Map(rows.map((row) => [row[column], row]));
    for (const one of wanted) {
      const row = byId.get(one.id);
      if (!row) continue;
      const { object_id: objectId, user_id: userId, unproven, secret_hash: secretHash } = row;
      const isByOwnId = column === 'installation_id' || row.installation_id === null;
      found.set(one, { objectId, userId, secretHash, isByOwnId, isUnproven: unproven !== 0, ...carriedBy(row) });
    }
  };
  await take(
    'installation_id',
    named.filter(({ isClients }) => isClients),
  );
  const left = named.filter((one) => !found.has(one));
  // A client's own id that somebody else has locked must not be taken for one of ours.
  const taken = left.length === 0 || waits ? new Set<string>() : await existing(db, appId, left);
  await take(
    'object_id',
    left.filter(({ id, isClients }) => !isClients || !taken.has(id)),
  );
  return found;
}

/** The person whose messages are counted together; null where it is uncertain. */
export const personOf = ({ userId, isUnproven }: NamedLock): string | null => (isUnproven ? null : userId);

/** The person whose messages are about to be counted. */
export interface LockedPerson {
  readonly appId: string;
  readonly userId: string;
}

/**
 * Locks persons until the end of the transaction, after their installations: what one phone of a person is shown counts for
 * the others. With `waits` the transaction locks one person only, so that none waits for another in a circle; otherwise persons that
 * another transaction has locked are left out.
 */
export async function lockPersons(
  db: Db,
  persons: readonly LockedPerson[],
  waits: boolean,
): Promise<readonly LockedPerson[]> {
  const { lockNames } = db.dialect;
  if (lockNames === null || persons.length === 0) return persons;
  const nameOf = ({ appId, userId }: LockedPerson) => `person ${appId} ${userId}`;
  const names = persons.map(nameOf);
  const rows = await db.all<{ name: string }>(waits ? lockNames.all(names) : lockNames.free(names));
  const got = new Set(rows.map(({ name }) => name));
  return persons.filter((person) => got.has(nameOf(person)));
}

async function existing(db: Db, appId: string, named: readonly NamedInstallation[]): Promise<Set<string>> {
  const ids = named.filter(({ isClients }) => isClients).map(({ id }) => ({ installation_id: id }));
  const rows = await clientIds.read<{ readonly installation_id: string }>(db, [appId], ids);
  return new Set(rows.map((row) => row.installation_id));
}

const ownIds = new Lookup(
  ['object_id'],
  (isWanted) => sql`select object_id, consents from installations where app_id = ${null} and ${isWanted}`,
);

/** Those of the installations that have not been erased, and whose visitors have not refused analytics. */
export async function findLearnable(db: Db, appId: string, objectIds: readonly string[]): Promise<Set<string>> {
  const rows = await ownIds.read<Pick<LockRow, 'object_id' | 'consents'>>(
    db,
    [appId],
    objectIds.map((object_id) => ({ object_id })),
  );
  const learnable = rows.filter(({ consents }) => permissionsOf(consents, { consent: 'assumed' }).analytics);
  return new Set(learnable.map((row) => row.object_id));
}

/**
 * Locks the installation until the end of the transaction: everything about one installation happens one after the other,
 * on all nodes. Undefined when there is none.
 */
export async function lockForDecision(
  db: Db,
  appId: string,
  installationId: string,
): Promise<InstallationLock | undefined> {
  return readLock(db, appId, installationId, db.dialect.lockRow);
}

/** Locks without waiting; undefined also when somebody else holds the lock. */
export async function tryLockInstallation(
  db: Db,
  appId: string,
  installationId: string,
): Promise<InstallationLock | undefined> {
  return readLock(db, appId, installationId, db.dialect.skipLocked);
}

async function readLock(db: Db, appId: string, objectId: string, lock: string): Promise<InstallationLock | undefined> {
  const row = await db.one<LockRow>(
    sql`select ${lockColumns} from installations
      where app_id = ${appId} and object_id = ${objectId}${raw(lock)}`,
  );
  return row && { userId: row.unproven === 0 ? row.user_id : null, ...carriedBy(row) };
}

export async function installationExists(db: Db, appId: string, objectId: string): Promise<boolean> {
  const row = await db.one(
    sql`select 1 as found from installations where app_id = ${appId} and object_id = ${objectId}`,
  );
  return row !== undefined;
}

/**
 * Locks the installations of what batches say, each installation and each person once, and reads their tracks. `unproven` are those
 * whose sender lacks the installation's secret.
 */
export async function lockIntakes(
  db: Db,
  intakes: readonly Intake[],
  cache: TrackCache,
): Promise<{ readonly locked: readonly Locked[]; readonly unproven: readonly Intake[] }> {
  const locks = await lockNamed(
    db,
    intakes.map(({ sender: { appId }, id, isOwn }) => ({ appId, id, isClients: isOwn })),
  );
  const seen = new Set<string>();
  const own = intakes.flatMap((intake, index) => {
    const lock = locks[index];
    if (!lock) return [];
    const { appId } = intake.sender;
    const person = personOf(lock);
    const keys = [`${appId} ${lock.objectId}`, ...(person === null ? [] : [`${appId} ${person}`])];
    if (keys.some((key) => seen.has(key))) return [];
    for (const key of keys) seen.add(key);
    return [{ intake, lock, person }];
  });
  const persons = own.flatMap(({ intake, person }) =>
    person === null ? [] : [{ appId: intake.sender.appId, userId: person }],
  );
  const had = new Set(
    (await lockPersons(db, persons, intakes.length === 1)).map(({ appId, userId }) => `${appId} ${userId}`),
  );
  const alone = own.filter(({ intake, person }) => person === null || had.has(`${intake.sender.appId} ${person}`));
  const proven = alone.filter(({ intake, lock }) => isProven(lock, intake.sender));
  const keyOf = ({ intake, lock }: (typeof own)[number]) => ({
    appId: intake.sender.appId,
    installationId: lock.objectId,
  });
  const tracks = await cache.read(db, proven.map(keyOf));
  return {
    locked: proven.map((one) => {
      const { intake, lock } = one;
      const permissions = permissionsOf(lock.consents, intake.sender.policy);
      return { intake, lock, permissions, track: tracks.get(keyText(keyOf(one))) ?? unknownTrack(keyOf(one)) };
    }),
    unproven: alone.filter((one) => !proven.includes(one)).map(({ intake }) => intake),
  };
}
