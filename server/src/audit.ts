import type { Db } from './db/db.ts';
import { newObjectId } from './id.ts';
import { raw, sql } from './sql.ts';

/** Who makes a change in the management console or on the command line. */
export interface Actor {
  /** An administrator's e-mail, `command line`, or `service`. */
  readonly name: string;
  /** The client's address, where there is one. */
  readonly address: string | null;
}

export const service: Actor = Object.freeze({ name: 'service', address: null });
export const commandLine: Actor = Object.freeze({ name: 'command line', address: null });

/** One change. `before` and `after` are small JSON values and never hold a secret. */
export interface Change {
  readonly by: Actor;
  /** `app.create`, `administrator.disable` … */
  readonly action: string;
  /** What was changed: an id or a name. */
  readonly subject: string;
  readonly appId?: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly now: number;
}

const jsonOrNull = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));

/** Call it in the transaction of the change, so that neither is there without the other. */
export async function recordChange(db: Db, change: Change): Promise<void> {
  const { by, action, subject, appId = null, now } = change;
  await db.run(sql`insert into audit (audit_id, app_id, actor, action, subject, before_state, after_state, address, created_at)
    values (${newObjectId(now)}, ${appId}, ${by.name}, ${action}, ${subject}, ${jsonOrNull(change.before)},
      ${jsonOrNull(change.after)}, ${by.address}, ${now})`);
}

export interface AuditRow {
  readonly audit_id: string;
  readonly app_id: string | null;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly before_state: string | null;
  readonly after_state: string | null;
  readonly address: string | null;
  readonly created_at: number;
}

/** Newest first; `before` is the id at which the last page ended. */
export function listChanges(
  db: Db,
  page: { readonly appId: string | undefined; readonly before: string | undefined; readonly limit: number },
): Promise<AuditRow[]> {
  const ofApp = page.appId === undefined ? raw('1 = 1') : sql`app_id = ${page.appId}`;
  const older = page.before === undefined ? raw('1 = 1') : sql`audit_id < ${page.before}`;
  return db.all<AuditRow>(
    sql`select * from audit where ${ofApp} and ${older} order by audit_id desc limit ${page.limit}`,
  );
}
