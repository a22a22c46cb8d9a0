import type {
  CompiledQueries,
  DryRunCell,
  DryRunMeter,
  DryRunOutcome,
  Requests,
} from '../../../../access/rules/dry-run.ts';
import { type MemberRole, memberRoles, type Verb } from '../../../../access/rules/rule-types.ts';
import { BoundedMap } from '../../../../base/caches/bounded-map.ts';
import { sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import type { Context } from '../../../context.ts';

export interface DryRunCount extends DryRunCell {
  readonly outcome: DryRunOutcome;
  readonly requests: number;
}

export interface DryRunReport {
  /** Days of which something is known, today included. */
  readonly days: number;
  /** Requests that were looked at, by who sent them. */
  readonly checked: Readonly<Record<MemberRole, number>>;
  readonly counts: readonly DryRunCount[];
}

type Deps = Pick<Context, 'db' | 'now' | 'inBackground'>;

interface Count {
  readonly appId: string;
  readonly day: number;
  readonly subject: string;
  readonly verb: string;
  readonly caller: MemberRole;
  readonly outcome: string;
  requests: number;
}

const dayMs = 86_400_000;
/** Today and the seven days before. */
export const keptDays = 8;
/** How long after the first count all of them are written. */
const writeAfterMs = 30_000;
/** Counts in memory from which on they are written at once. */
const manyCounts = 2_000;

/** Counts what dry runs would refuse: in memory, and every half minute in the database, one row a cell and day. */
export class DryRunCounter implements DryRunMeter {
  readonly #deps: Deps;
  #counts = new Map<string, Count>();
  readonly #lists = new BoundedMap<string, CompiledQueries>(manyCounts);
  /** By app, for as long as it is in use: apps are kept in memory as long. */
  readonly #requests = new Map<string, Requests>();
  #isJudging = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  requestsOf(appId: string): Requests {
    const known = this.#requests.get(appId) ?? { app: 0, user: 0, manager: 0 };
    this.#requests.set(appId, known);
    return known;
  }

  writeLater(): void {
    this.#timer ??= this.#writeSoon(writeAfterMs);
  }

  note(appId: string, cell: DryRunCell, outcome: DryRunOutcome): void {
    this.#add(appId, { ...cell, outcome }, 1);
  }

  listsOf(appId: string, { subject, caller }: DryRunCell): CompiledQueries {
    const key = `${appId} ${subject} ${caller}`;
    const lists = this.#lists.get(key) ?? { judgedAt: Number.NEGATIVE_INFINITY, unjudged: 0 };
    this.#lists.set(key, lists);
    return lists;
  }

  judgeList(appId: string, cell: DryRunCell, lists: CompiledQueries, isNarrowed: () => Promise<boolean>): void {
    if (this.#isJudging) return;
    const requests = lists.unjudged;
    Object.assign(lists, { judgedAt: this.#deps.now(), unjudged: 0 });
    this.#isJudging = true;
    this.#deps.inBackground('judging a list by a dry run', async () => {
      try {
        if (await isNarrowed()) this.#add(appId, { ...cell, outcome: 'hidden' }, requests);
      } finally {
        this.#isJudging = false;
      }
    });
  }

  #add(appId: string, what: Pick<Count, 'subject' | 'verb' | 'caller' | 'outcome'>, requests: number): void {
    const { subject, verb, caller, outcome } = what;
    const now = this.#deps.now();
    const day = now - (now % dayMs);
    const key = `${appId} ${day} ${subject} ${verb} ${caller} ${outcome}`;
    const known = this.#counts.get(key);
    if (known) known.requests += requests;
    else this.#counts.set(key, { appId, day, subject, verb, caller, outcome, requests });
    if (this.#counts.size >= manyCounts) this.#writeSoon(0);
    else this.writeLater();
  }

  #writeSoon(afterMs: number): NodeJS.Timeout {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.#deps.inBackground('noting what a dry run would refuse', () => this.write()),
      afterMs,
    );
    this.#timer.unref();
    return this.#timer;
  }

  /** Adds what was counted to the database. Counts that cannot be written are lost: they are no more than a guide. */
  async write(): Promise<void> {
    for (const [appId, requests] of this.#requests)
      for (const caller of memberRoles)
        if (requests[caller] > 0) {
          this.#add(appId, { subject: '', verb: '', caller, outcome: 'checked' }, requests[caller]);
          requests[caller] = 0;
        }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const counts = [...this.#counts.values()];
    this.#counts = new Map();
    if (counts.length === 0) return;
    await this.#deps.db.transaction(async (db) => {
      // Always in the same order, so that nodes do not wait for each other in a circle.
      for (const count of counts.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) await add(db, count);
    });
  }

  /** What was counted of an app, here and in the database. */
  async read(appId: string): Promise<DryRunReport> {
    const { db, now } = this.#deps;
    await this.write();
    const since = now() - (now() % dayMs) - (keptDays - 1) * dayMs;
    const rows = await db.all<Omit<Count, 'appId'>>(sql`select day, subject, verb, caller, outcome, requests
      from dry_run_counts where app_id = ${appId} and day >= ${since}`);
    const checked = Object.fromEntries(memberRoles.map((role) => [role, 0])) as Record<MemberRole, number>;
    const counts = new Map<string, DryRunCount>();
    for (const { subject, verb, caller, outcome, requests } of rows) {
      if (outcome === 'checked') checked[caller] += requests;
      else {
        const key = `${subject} ${verb} ${caller} ${outcome}`;
        const sum = (counts.get(key)?.requests ?? 0) + requests;
        counts.set(key, {
          subject,
          verb: verb as Verb,
          caller,
          outcome: outcome as DryRunOutcome,
          requests: sum,
        });
      }
    }
    const sorted = [...counts.values()].toSorted((a, b) => b.requests - a.requests);
    return { days: new Set(rows.map(({ day }) => day)).size, checked, counts: sorted };
  }

  /** Other rules are tried now. */
  async forget(db: Db, appId: string): Promise<void> {
    Object.assign(this.requestsOf(appId), { app: 0, user: 0, manager: 0 });
    this.#counts = new Map([...this.#counts].filter(([, count]) => count.appId !== appId));
    for (const key of this.#lists.keys()) if (key.startsWith(`${appId} `)) this.#lists.delete(key);
    await db.run(sql`delete from dry_run_counts where app_id = ${appId}`);
  }
}

const keyOf = ({ appId, day, subject, verb, caller, outcome }: Count) =>
  [appId, day, subject, verb, caller, outcome].join(' ');

/** An app that has been deleted since gets no rows. */
async function add(db: Db, { appId, day, subject, verb, caller, outcome, requests }: Count): Promise<void> {
  await db.run(sql`insert into dry_run_counts (app_id, day, subject, verb, caller, outcome, requests)
    select app_id, cast(${day} as bigint), cast(${subject} as text), cast(${verb} as text), cast(${caller} as text),
      cast(${outcome} as text), cast(${requests} as bigint) from apps where app_id = ${appId}
    on conflict (app_id, day, subject, verb, caller, outcome)
      do update set requests = dry_run_counts.requests + excluded.requests`);
}
