import type { Caller } from '../access/caller.ts';
import type { Db } from '../db/db.ts';

/** What is kept of earlier records, so that a change or a deletion can be undone. */

/** A record at a point in time. */
export interface PastRecord {
  readonly appId: string;
  /** What it is: `notifications`, `records` … */
  readonly kind: string;
  /** The objectId of what it belongs to: a storyline, a bucket; empty without one. */
  readonly withinId: string;
  readonly objectId: string;
  /** What people call it. */
  readonly title: string;
  /** The body of a request that would recreate it. */
  readonly state: object;
  /** The user who owns it. */
  readonly createdBy: string | null;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The bytes that are kept for it outside of the database, under this name. */
  readonly stored?: { readonly name: string; readonly bytes: number };
}

/** Who makes a change. Without both: an app that needs no user for it. */
export interface Maker {
  /** An administrator's e-mail, or the name of a secret key. */
  readonly name: string | null;
  readonly userId: string | null;
}

/** Keeps what is about to be replaced or deleted. Each is called in the transaction of the change. */
export interface Past {
  noteChange(db: Db, before: PastRecord, change: { readonly by: Maker; readonly now: number }): Promise<void>;
  /** `children` are the records that go with it. */
  noteRemoval(
    db: Db,
    removed: PastRecord,
    change: { readonly by: Maker; readonly now: number; readonly children?: readonly PastRecord[] },
  ): Promise<void>;
}

/** The caller of a request as the one who made a change. */
export function makerOf({
  user,
  secretKey,
  administrator,
}: Pick<Caller, 'secretKey'> & {
  readonly user: { readonly userId: string } | undefined;
  readonly administrator?: string | undefined;
}): Maker {
  const name = administrator ?? (secretKey ? `secret key ${secretKey.name}` : null);
  return { name, userId: user?.userId ?? null };
}

const maxTitle = 100;

/** What people call a record, from the members that names are usually kept in. */
export function titleOf(state: Readonly<Record<string, unknown>>, objectId: string): string {
  const found = ['name', 'title', 'deviceName', 'description', 'label', 'alertTitle']
    .map((member) => state[member])
    .find((value): value is string => typeof value === 'string' && value.trim() !== '');
  return (found ?? objectId).slice(0, maxTitle);
}
