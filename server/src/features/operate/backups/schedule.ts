import { type Actor, service as bySelf, recordChange } from '../../../access/audit.ts';
import { serviceTimeZone } from '../../../base/clock.ts';
import { fail } from '../../../base/errors.ts';
import { isoTime } from '../../../http/answers.ts';
import type { ServiceCondition } from '../../condition.ts';
import type { Context } from '../../context.ts';
import { dayIn } from '../../zone-day.ts';
import {
  type BackupOutcome,
  type BackupPlan,
  findPlan,
  findState,
  noteState,
  type PlanState,
  replacePlan,
  replaceState,
} from './plan.ts';

export interface ScheduleDeps extends Pick<Context, 'db' | 'now' | 'backups' | 'inBackground'> {
  /** Restores a backup as a trial. @throws Error that says what is wrong with it */
  readonly tryBackup: (backupId: string) => Promise<void>;
  /** The backup to which the next start goes back, if one is prepared. */
  readonly findAwaited: () => Promise<string | undefined>;
}

export interface ChangingPlan {
  readonly by: Actor;
  readonly assertUnchanged?: (plan: BackupPlan) => void;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A backup that failed, or whose process died, is tried again after this time, twice. */
const retryMs = hourMs;
const maxTries = 3;

/** Makes backups by a plan, deletes those beyond the number to keep, and restores each new one for trial. */
export class BackupSchedule {
  readonly #deps: ScheduleDeps;
  #isTrying = false;

  constructor(deps: ScheduleDeps) {
    this.#deps = deps;
  }

  async read(): Promise<{ readonly plan: BackupPlan; readonly state: PlanState; readonly isTrying: boolean }> {
    const { db } = this.#deps;
    return { plan: await findPlan(db), state: await findState(db), isTrying: this.#isTrying };
  }

  /** Changes the members that are given. `assertUnchanged` gets the former plan, and throws to refuse the change. */
  async change(members: Partial<BackupPlan>, how: ChangingPlan): Promise<BackupPlan> {
    for (;;) {
      const plan = await this.#change(members, how);
      if (plan) return plan;
    }
  }

  #change(members: Partial<BackupPlan>, { by, assertUnchanged }: ChangingPlan): Promise<BackupPlan | undefined> {
    const { db, now } = this.#deps;
    return db.transaction(async (db) => {
      const replaced = await replacePlan(db, (before) => {
        assertUnchanged?.(before);
        return { ...before, ...members };
      });
      if (!replaced) return undefined;
      const { before, plan } = replaced;
      if (plan.isOn && !before.isOn) await noteState(db, { goodAt: now() });
      await recordChange(db, { by, action: 'backup.plan', subject: 'plan', before, after: plan, now: now() });
      return plan;
    });
  }

  /** Makes a backup if one is due and no other node has begun it. */
  async run(): Promise<void> {
    const { db, now, backups, findAwaited } = this.#deps;
    const plan = await findPlan(db);
    if (!plan.isOn || backups.running()) return;
    const state = await findState(db);
    const day = dueDay(plan, state, now());
    if (day === undefined) return;
    const next = { ...state, day, begunAt: now(), tries: day === state.day ? (state.tries ?? 0) + 1 : 1 };
    if (!(await db.transaction((db) => replaceState(db, state, next)))) return;
    const last = await this.#make();
    await noteState(db, { last, ...(last.ok ? { goodAt: now() } : {}) });
    if (!last.ok) return;
    const awaited = await findAwaited();
    for (const { backupId } of (await backups.list()).slice(plan.kept))
      if (backupId !== awaited) await backups.remove(backupId, bySelf);
    if (plan.drill) await this.#drill(last.backupId);
  }

  /** Resolves when the trial has begun. @throws Failure ObjectNotFound, DuplicateValue while another trial runs */
  async startDrill(backupId: string, by: Actor): Promise<void> {
    const { db, now, backups, inBackground } = this.#deps;
    await backups.folderOf(backupId);
    if (this.#isTrying)
      throw fail('DuplicateValue', 'A backup is already being restored for trial. Wait until it is done.');
    this.#isTrying = true;
    await recordChange(db, { by, action: 'backup.drill', subject: backupId, now: now() });
    inBackground('restoring a backup for trial', () => this.#drill(backupId));
  }

  /** Restores a backup as a trial and stores the result. */
  async #drill(backupId: string): Promise<void> {
    const { db, now, tryBackup } = this.#deps;
    this.#isTrying = true;
    try {
      const outcome = await tryBackup(backupId).then(
        () => ({ ok: true, message: 'It was restored into an empty database, and everything was there.' }),
        (error: Error) => ({ ok: false, message: error.message }),
      );
      await noteState(db, { drill: { backupId, at: isoTime(now()), ...outcome } });
    } finally {
      this.#isTrying = false;
    }
  }

  async conditions(): Promise<readonly ServiceCondition[]> {
    const { db, now, backups } = this.#deps;
    const [plan, { last, goodAt, drill }] = [await findPlan(db), await findState(db)];
    const kind = 'backup' as const;
    const byHand = 'Make one by hand on the page System once that is mended.';
    const isMended = last !== undefined && (goodAt ?? 0) > Date.parse(last.at);
    const failure = last?.ok === false && !isMended ? last : backups.lastFailure();
    const oldMs = (plan.everyDays + 1) * dayMs;
    return [
      ...(failure
        ? [
            {
              kind,
              key: 'backup failed',
              isGrave: true,
              title: 'The last backup failed',
              text: `${failure.message} ${byHand}`,
            },
          ]
        : []),
      ...(plan.isOn && goodAt !== undefined && now() - goodAt > oldMs
        ? [
            {
              kind,
              key: 'backup old',
              isGrave: true,
              title: `There is no backup since ${dayIn(serviceTimeZone(), goodAt).day}`,
              text: `One is planned ${plan.everyDays === 1 ? 'every day' : `every ${plan.everyDays} days`} at ${plan.time}. The log of the service says why there is none.`,
            },
          ]
        : []),
      ...(drill?.ok === false
        ? [
            {
              kind,
              key: 'backup drill',
              isGrave: true,
              title: 'A backup did not pass its trial',
              text: drill.message,
            },
          ]
        : []),
    ];
  }

  async #make(): Promise<BackupOutcome> {
    const { backups, now } = this.#deps;
    try {
      const backupId = await backups.make(bySelf);
      return { backupId, at: isoTime(now()), ok: true, message: '' };
    } catch (error) {
      const message = backups.lastFailure()?.message ?? (error as Error).message;
      return { backupId: '', at: isoTime(now()), ok: false, message };
    }
  }
}

/** The date for which a backup is due now; undefined: none is. */
function dueDay(plan: BackupPlan, { day, begunAt = 0, tries = 0, last }: PlanState, now: number): string | undefined {
  const today = dayIn(plan.timeZone, now);
  const time = `${String(today.hour).padStart(2, '0')}:${String(today.minute).padStart(2, '0')}`;
  const isDone = last?.ok === true && Date.parse(last.at) >= begunAt;
  if (day !== undefined && !isDone && tries < maxTries && now - begunAt >= retryMs) return day;
  if (time < plan.time) return undefined;
  const passed = day === undefined ? plan.everyDays : Math.round((Date.parse(today.day) - Date.parse(day)) / dayMs);
  return passed >= plan.everyDays || passed < 0 ? today.day : undefined;
}
