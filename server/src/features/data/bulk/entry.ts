import { type AuditRow, beginRecord, type Change, extendRecord, lockRecord } from '../../../access/audit.ts';
import type { Database } from '../../../db/db.ts';
import type { ConsoleCall } from '../../../http/console/console-endpoint.ts';
import type { Bulk } from './schemas.ts';
import type { Done, Target } from './target.ts';

/** Ids that the audit names of records. Users are all named. */
const maxNamed = 100;
/** At most this many users in one entry; a change of more gets a second one. */
const maxPeople = 5_000;
/** At most this many changes are not in the entry yet: if the process ends now, these are missing. */
const atOnce = 25;
/** A change of many goes on within this time. */
const goesOnMs = 3_600_000;

/** What the entry says, without the earlier states. */
interface About {
  readonly count: number;
  readonly ids: readonly string[];
  readonly bucketName?: string;
  readonly change?: unknown;
  readonly changes?: readonly unknown[];
  readonly was?: readonly unknown[];
}

/** The audit's entry for one change of many records. It grows with the change, and over the requests that the change takes. */
export class Entry {
  readonly #db: Database;
  readonly #call: ConsoleCall<Bulk>;
  readonly #target: Target;
  readonly #waiting: Done[] = [];
  #id: string | undefined;

  constructor(db: Database, call: ConsoleCall<Bulk>, target: Target) {
    this.#db = db;
    this.#call = call;
    this.#target = target;
  }

  /** The `auditId`; undefined: nothing has been written. */
  get id(): string | undefined {
    return this.#id;
  }

  async add(one: Done): Promise<void> {
    this.#waiting.push(one);
    if (this.#waiting.length >= atOnce) await this.write();
  }

  /** Writes what has been noted since the last time. */
  async write(): Promise<void> {
    const done = [...this.#waiting];
    if (done.length === 0) return;
    const { by, params, now, query } = this.#call;
    const before = this.#id ?? query['continues'];
    this.#id = await this.#db.transaction(async (db) => {
      const row = before === undefined ? undefined : await lockRecord(db, before);
      const earlier = row && this.#earlier(row, done.length);
      if (row && earlier) {
        await extendRecord(db, row.audit_id, this.#said(together(earlier, this.#aboutOf(done), this.#most)));
        return row.audit_id;
      }
      const appId = params['appId'] ?? '';
      return beginRecord(db, { by, action: this.#action, appId, now, ...this.#said(this.#aboutOf(done)) });
    });
    this.#waiting.splice(0, done.length);
  }

  get #action(): string {
    return `many.${this.#target.does}`;
  }

  get #most(): number {
    return this.#target.isPeople ? maxPeople : maxNamed;
  }

  /** What an entry says so far; undefined: it is not of this change, or has no room for so many `more`. */
  #earlier(row: AuditRow, more: number): About | undefined {
    const { by, params, now, body } = this.#call;
    const { name, does, isPersonal, isPeople } = this.#target;
    // The address too: what somebody else does with a stolen session is not said to have come from where the entry was begun.
    const isBySame = row.actor === by.name && row.address === by.address;
    if (!isBySame || row.app_id !== params['appId'] || row.action !== this.#action) return undefined;
    if (!row.subject.endsWith(` of ${name}`) || row.created_at < now - goesOnMs) return undefined;
    const main = JSON.parse((does === 'delete' ? row.before_state : row.after_state) ?? '{}') as About;
    const change = isPersonal ? undefined : body.change;
    if (main.bucketName !== body.bucketName || JSON.stringify(main.change) !== JSON.stringify(change)) return undefined;
    if (isPeople && main.count + more > maxPeople) return undefined;
    const { was } = JSON.parse(row.before_state ?? '{}') as Pick<About, 'was'>;
    return { ...main, ...(was ? { was } : {}) };
  }

  /** Leaves out what was changed in records that may be personal. */
  #aboutOf(done: readonly Done[]): About {
    const { change, bucketName, records = [] } = this.#call.body;
    const { isPersonal } = this.#target;
    const some = done.slice(0, this.#most);
    const ids = some.map(({ objectId }) => objectId);
    const changes = records.flatMap(({ objectId, change }) =>
      change && ids.includes(objectId) ? [{ objectId, change }] : [],
    );
    const was = some.flatMap(({ objectId, was }) => (was ? [{ objectId, ...was }] : []));
    return {
      count: done.length,
      ids,
      ...(bucketName === undefined ? {} : { bucketName }),
      ...(change && !isPersonal ? { change } : {}),
      ...(changes.length > 0 && !isPersonal ? { changes } : {}),
      ...(was.length > 0 ? { was } : {}),
    };
  }

  #said({ was, ...about }: About): Pick<Change, 'subject' | 'before' | 'after'> {
    const subject = `${about.count} of ${this.#target.name}`;
    const before = was ? { was } : {};
    if (this.#target.does === 'delete') return { subject, before: { ...about, ...before } };
    return { subject, ...(was ? { before } : {}), after: about };
  }
}

/** Joins two parts of one change. Of records beyond `most` only the number is added. */
function together(earlier: About, later: About, most: number): About {
  const room = Math.max(0, most - earlier.ids.length);
  const named = new Set(later.ids.slice(0, room));
  const ofNamed = (one: unknown) => named.has((one as { readonly objectId: string }).objectId);
  const joined = (name: 'changes' | 'was') => {
    const all = [...(earlier[name] ?? []), ...(later[name] ?? []).filter(ofNamed)];
    return all.length > 0 ? { [name]: all } : {};
  };
  return {
    ...earlier,
    count: earlier.count + later.count,
    ids: [...earlier.ids, ...named],
    ...joined('changes'),
    ...joined('was'),
  };
}
