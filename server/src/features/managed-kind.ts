import type { Reach } from '../access/reach.ts';
import type { Permission } from '../access/roles.ts';

interface ManagedChange {
  /** The members that were changed, as they were before. */
  readonly was: object;
  /** ISO 8601; undefined where the record is gone. */
  readonly updatedAt: string | undefined;
  /** It was so before, and nothing was done. */
  readonly isAlready?: true;
}

export interface ManagedKey {
  readonly appId: string;
  readonly objectId: string;
  /** The administrator who changes it, and where the role holds. */
  readonly who: { readonly email: string; readonly reach: Reach };
}

/**
 * Records of an app that are no data of the interface, such as users and webhooks: how the console changes many of them at once. The audit
 * gets one entry for all, so that none is written here.
 */
export interface ManagedKind {
  readonly permission: Permission;
  /** As the audit calls them: `3 of Users`. */
  readonly name: string;
  /** The change deletes them. */
  readonly deletes?: true;
  /** They are people: the audit names each of them and what was before, so that it stays findable what was done to whom. */
  readonly isPeople?: true;
  /** Whether such a change takes a confirmation, as of one record. */
  readonly needsConfirmation?: (change: object) => boolean;
  /** The body of a change, as it is taken for one record. @throws Failure ValidationError */
  readonly read: (change: unknown) => object;
  /**
   * Changes one record, or deletes it.
   *
   * @param seen members as the caller has seen them; undefined: whatever they are now
   * @throws Failure PreconditionFailed if they are no longer so, and not as the change wants them either; ObjectNotFound; as the change of one record does
   */
  readonly change: (key: ManagedKey, change: object, seen: object | undefined) => Promise<ManagedChange>;
}
