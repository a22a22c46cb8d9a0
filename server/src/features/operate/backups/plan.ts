import type { Db } from '../../../db/db.ts';
import { deleteSetting, findSetting, insertSetting } from '../../../db/settings.ts';

/** When the service makes backups by itself, and how many it keeps. */
export interface BackupPlan {
  readonly isOn: boolean;
  /** The interval in days, 1 for every day. */
  readonly everyDays: number;
  /** `03:30`, in the time zone. */
  readonly time: string;
  readonly timeZone: string;
  /** The newest ones; the rest are deleted once another one is complete. */
  readonly kept: number;
  /** Whether each new one is restored for trial. */
  readonly drill: boolean;
}

/** How one of them went. */
export interface BackupOutcome {
  readonly backupId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly ok: boolean;
  readonly message: string;
}

/** What has become of the plan. */
export interface PlanState {
  /** The day of the calendar for which the last one was begun. */
  readonly day?: string;
  /** Epoch ms. */
  readonly begunAt?: number;
  readonly tries?: number;
  readonly last?: BackupOutcome;
  /** Epoch ms of the last one that succeeded; at first, of when the plan was switched on. */
  readonly goodAt?: number;
  readonly drill?: BackupOutcome;
}

export const noPlan: BackupPlan = {
  isOn: false,
  everyDays: 1,
  time: '03:00',
  timeZone: 'UTC',
  kept: 5,
  drill: true,
};

const planName = 'backup_plan';
const stateName = 'backup_state';

export const findPlan = async (db: Db): Promise<BackupPlan> => readPlan(await findSetting(db, planName));

const readPlan = (text: string | undefined): BackupPlan =>
  text === undefined ? noPlan : { ...noPlan, ...(JSON.parse(text) as Partial<BackupPlan>) };

interface ReplacedPlan {
  readonly before: BackupPlan;
  readonly plan: BackupPlan;
}

/** In a transaction: the plan as `next` changes it; undefined if somebody else changed it at the same moment. */
export async function replacePlan(db: Db, next: (before: BackupPlan) => BackupPlan): Promise<ReplacedPlan | undefined> {
  const text = await findSetting(db, planName);
  const before = readPlan(text);
  const plan = next(before);
  if (text !== undefined && !(await deleteSetting(db, planName, text))) return undefined;
  return (await insertSetting(db, planName, JSON.stringify(plan))) ? { before, plan } : undefined;
}

export async function findState(db: Db): Promise<PlanState> {
  return JSON.parse((await findSetting(db, stateName)) ?? '{}') as PlanState;
}

/** Changes what is known; what else happened in the meantime stays, also what another node notes at the same moment. */
export async function noteState(db: Db, change: PlanState): Promise<void> {
  for (;;) {
    const text = await findSetting(db, stateName);
    const next = JSON.stringify({ ...(JSON.parse(text ?? '{}') as PlanState), ...change });
    if (await db.transaction((db) => replaceText(db, text, next))) return;
  }
}

async function replaceText(db: Db, known: string | undefined, next: string): Promise<boolean> {
  if (known !== undefined && !(await deleteSetting(db, stateName, known))) return false;
  return insertSetting(db, stateName, next);
}

/** In a transaction: replaces the state only if it is still this one. */
export async function replaceState(db: Db, known: PlanState, next: PlanState): Promise<boolean> {
  const text = JSON.stringify(known);
  return replaceText(db, text === '{}' ? undefined : text, JSON.stringify(next));
}
