import type { Db } from '../../db/db.ts';
import { deleteSetting, findSetting, insertSetting, saveSetting } from '../../db/settings.ts';

/** When the service makes backups by itself, and how many it keeps. */
export interface BackupPlan {
  readonly isOn: boolean;
  /** Every so many days, 1 for every day. */
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
export interface Outcome {
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
  readonly last?: Outcome;
  /** Epoch ms of the last one that succeeded; at first, of when the plan was switched on. */
  readonly goodAt?: number;
  readonly drill?: Outcome;
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

export async function findPlan(db: Db): Promise<BackupPlan> {
  const text = await findSetting(db, planName);
  return text === undefined ? noPlan : { ...noPlan, ...(JSON.parse(text) as Partial<BackupPlan>) };
}

export const savePlan = (db: Db, plan: BackupPlan) => saveSetting(db, planName, JSON.stringify(plan));

export async function findState(db: Db): Promise<PlanState> {
  return JSON.parse((await findSetting(db, stateName)) ?? '{}') as PlanState;
}

/** Changes what is known; what else happened in the meantime stays. */
export async function noteState(db: Db, change: PlanState): Promise<void> {
  await saveSetting(db, stateName, JSON.stringify({ ...(await findState(db)), ...change }));
}

/** In a transaction: replaces the state only if it is still this one. */
export async function replaceState(db: Db, known: PlanState, next: PlanState): Promise<boolean> {
  const text = JSON.stringify(known);
  if (text !== '{}' && !(await deleteSetting(db, stateName, text))) return false;
  return insertSetting(db, stateName, JSON.stringify(next));
}
