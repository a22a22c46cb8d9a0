import type { Sql } from '../base/sql.ts';
import type { Dialect } from '../db/dialect.ts';

/** An ENTER or EXIT of which there is a log record, or the record itself. */
export interface EventLog {
  readonly appId: string;
  readonly moduleType: 'PRESENCE' | 'STORYLINE';
  readonly event: string;
  readonly beaconId: string;
  readonly installationId: string;
  /** Epoch milliseconds. */
  readonly occurredAt: number;
  readonly eventId: string;
  readonly now: number;
}

/** Log records belong to one feature, events to another: this is what passes between them. */
export interface LogStore {
  /** Leaves an existing record as it is. */
  insert(dialect: Dialect, logs: readonly EventLog[]): Sql[];
  /** Moves records to another time. */
  change(dialect: Dialect, logs: readonly EventLog[]): Sql[];
  remove(dialect: Dialect, logs: readonly EventLog[]): Sql[];
}
