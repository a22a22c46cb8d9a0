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

export interface BackupOutcome {
  readonly backupId: string;
  /** ISO 8601. */
  readonly at: string;
  readonly ok: boolean;
  readonly message: string;
}

/** How the plan has been carried out so far. */
export interface PlanState {
  /** The date for which the last backup was begun. */
  readonly day?: string;
  /** Epoch ms. */
  readonly begunAt?: number;
  readonly tries?: number;
  readonly last?: BackupOutcome;
  /** When the last backup succeeded, or else when the plan was switched on; epoch ms. */
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

/** Replaces the plan in a transaction; undefined if somebody else changed it meanwhile. */
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

/** Sets these members of the state and keeps the others, also those that another node sets at the same moment. */
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

/** Replaces the state in a transaction, unless it has changed meanwhile. */
export async function replaceState(db: Db, known: PlanState, next: PlanState): Promise<boolean> {
  const text = JSON.stringify(known);
  return replaceText(db, text === '{}' ? undefined : text, JSON.stringify(next));
}
