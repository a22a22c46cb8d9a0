import type { Key, Values } from '../../../resources/table.ts';
import type { Registration } from './resource.ts';
import type { InstallationRow } from './store.ts';

/**
 * Decides who owns an installation after its installationId was registered again. The id alone proves nothing, because
 * others may have seen it. Proof is its secret, the bearer of its user or the stored push token; the topic of a device, which is
 * no secret either, is none. A registration without proof is
 * accepted, so that a phone whose token was renewed keeps working, but the installation loses its user and is
 * `unproven` until that user registers it again or the earlier token is sent.
 */

export interface Registrant {
  /** The signed-in user; undefined with only the app key. */
  readonly userId: string | undefined;
  readonly isManager: boolean;
  /** They may link an installation to somebody else. */
  readonly namesOthers: boolean;
  /** A manager who may also change the installations of others: a secret key may be for new ones only. */
  readonly changesOthers: boolean;
  readonly showsSecret?: boolean;
}

export interface Linking extends Registrant {
  /** The visitor has agreed, or need not have, that the installation is linked to an account. */
  readonly mayLink: boolean;
}

export interface Ownership {
  readonly userId: string | null;
  readonly columns: Key;
  /** Members of the previous user that the next one must not get. */
  readonly reset: Values;
}

const personal = ['channels', 'metadata', 'consents', 'sensing', 'motion', 'motionAt'] as const;
const ofThePhone = [
  'deviceModel',
  'pushType',
  'timeZone',
  'localeIdentifier',
  'appIdentifier',
  'appName',
  'appVersion',
] as const;

export function userOf(sent: Registration, by: Linking): string | undefined {
  if (!by.mayLink) return undefined;
  return (by.namesOthers ? sent.userId?.objectId : undefined) ?? by.userId;
}

const shows = ({ deviceToken, previousDeviceToken }: Registration, token: string | null) =>
  token !== null && [deviceToken, previousDeviceToken].includes(token);

/** Its token is the topic of a device. */
const isTopic = ({ device_type, push_type }: InstallationRow) =>
  push_type === null ? device_type === 'embedded' : push_type.toLowerCase() === 'mqtt';

/** Nothing but the topic is said to show that the installation of a user is the same: the device, or anybody who knows the topic. */
export const showsTopicOnly = (row: InstallationRow, sent: Registration, by: Registrant) =>
  row.user_id !== null &&
  isTopic(row) &&
  shows(sent, row.device_token) &&
  !by.isManager &&
  !by.showsSecret &&
  by.userId !== row.user_id;

/** A registration of a known installation. */
export function nextOwnership(row: InstallationRow, sent: Registration, by: Linking, now: number): Ownership {
  const isUnproven = row.unproven !== 0;
  const rightful = isUnproven
    ? { userId: row.claim_user_id, token: row.claim_token }
    : { userId: row.user_id, token: row.device_token };
  const showsToken = !isTopic(row) && shows(sent, rightful.token);
  const isProven =
    by.isManager ||
    by.showsSecret ||
    showsToken ||
    (by.userId !== undefined && by.userId === rightful.userId) ||
    // Only its phone knows the id of an installation without a user.
    (!isUnproven && row.user_id === null);
  const userId = userOf(sent, by) ?? (isProven && by.mayLink ? rightful.userId : null);
  const claim = isProven ? noClaim : isUnproven ? {} : claimOf(row);
  const isChanged = userId !== row.user_id;
  if (!isChanged) return { userId, columns: { unproven: isProven ? 0 : 1, ...claim }, reset: {} };
  // The same person, who is no longer to be known by name.
  if (!by.mayLink && isProven) return { userId, columns: { unproven: 0, ...claim, user_id: null }, reset: {} };
  // The rightful user is back, and no other user was signed in between.
  const isBack = isUnproven && row.user_id === null && userId === row.claim_user_id;
  return {
    userId,
    columns: {
      unproven: isProven ? 0 : 1,
      ...claim,
      user_id: userId,
      held_since: isBack ? row.claim_since : now,
      ...(row.user_id === null ? {} : { handed_over_at: now }),
    },
    reset: row.user_id === null && isProven ? {} : nulls(isProven ? personal : [...personal, ...ofThePhone]),
  };
}

/**
 * A manager, or its user, assigns it. Someone who took it over by its id alone can only release it: the previous user
 * remains the one who can prove it.
 */
export function assignedOwnership(
  row: InstallationRow,
  userId: string | null,
  { isManager }: Registrant,
  now: number,
): Key {
  if (userId === row.user_id) return {};
  return {
    user_id: userId,
    held_since: now,
    ...(isManager || row.unproven === 0 ? { unproven: 0, ...noClaim } : {}),
    ...(row.user_id === null ? {} : { handed_over_at: now }),
  };
}

const noClaim = { claim_user_id: null, claim_token: null, claim_since: null };

const claimOf = (row: InstallationRow): Key => ({
  claim_user_id: row.user_id,
  claim_token: isTopic(row) ? null : row.device_token,
  claim_since: row.held_since,
});

const nulls = (members: readonly string[]): Values => Object.fromEntries(members.map((member) => [member, null]));
