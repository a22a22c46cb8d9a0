import type { AppContext } from '../../../access/context.ts';
import type { Permission } from '../../../access/roles.ts';
import type { Db } from '../../../db/db.ts';
import type { ConsoleCall } from '../../../http/console/console-endpoint.ts';
import type { PastRecord } from '../../../resources/past.ts';
import type { Child } from './past.ts';

export interface HistoryCall {
  readonly call: ConsoleCall<unknown>;
  readonly app: AppContext;
}

/** A deleted record with what went with it. */
export interface Deleted extends PastRecord {
  readonly children: readonly Child[];
}

/** A kind of record of which earlier states are kept. `kept-kinds.ts` lists them. */
export interface KeptKind {
  readonly name: string;
  readonly read: Permission;
  readonly write: Permission;
  /**
   * Makes an earlier state the present one, and answers the tag that the record has then; without it, none are kept.
   *
   * @throws Failure what a change with that body would
   */
  readonly bringBack?: (call: HistoryCall, version: PastRecord) => Promise<string | undefined>;
  /**
   * Restores a deleted record. `take` takes it out of the trash, in the transaction that restores it. Without it, records of this
   * kind are not deleted.
   *
   * @throws Failure
   */
  readonly putBack?: (call: HistoryCall, deleted: Deleted, take: (db: Db) => Promise<void>) => Promise<void>;
  /**
   * The venue of a deleted record. Administrators who are limited to venues restore only what was in one of theirs, and nothing of a
   * kind without it.
   */
  readonly venueOf?: (deleted: PastRecord) => Promise<string | undefined>;
  /** The records among these that are still there; without it, all that have versions are, or are in the trash. */
  readonly findExisting?: (appId: string, withinId: string, ids: readonly string[]) => Promise<readonly string[]>;
}
