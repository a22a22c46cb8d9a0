import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceCondition } from '../../condition.ts';
import type { Feature } from '../../feature.ts';
import { backupConsoleEndpoints } from './console-routes.ts';
import { tryBackup } from './drill.ts';
import { planEndpoints } from './plan-routes.ts';
import { BackupRestores } from './restores.ts';
import { BackupSchedule, type ScheduleDeps } from './schedule.ts';

interface BackupFeatureDeps extends Omit<ScheduleDeps, 'tryBackup' | 'findAwaited'> {
  readonly dataFolder: string;
  /** Of the backups. */
  readonly folder: string;
  readonly isEmbedded: boolean;
  readonly restart: (() => void) | undefined;
  /** Whether this process does background work. */
  readonly isWorker: boolean;
}

export interface BackupFeature extends Feature {
  /** What needs a person. */
  readonly conditions: () => Promise<readonly ServiceCondition[]>;
  readonly schedule: BackupSchedule;
}

/** Backups by hand and by a plan, their trial, and going back to one. */
export function createBackupFeature(deps: BackupFeatureDeps): BackupFeature {
  const { backups, folder, isWorker, isEmbedded, inBackground } = deps;
  const drills = join(deps.dataFolder, 'drills');
  const stopping = new AbortController();
  const restores = new BackupRestores(deps);
  const schedule = new BackupSchedule({
    ...deps,
    findAwaited: async () => (await restores.read()).prepared?.backupId,
    tryBackup: async (backupId) => tryBackup(await backups.folderOf(backupId), drills, stopping.signal),
  });
  return {
    consoleEndpoints: [
      ...backupConsoleEndpoints(backups, (backupId) => restores.assertFree(backupId)),
      ...planEndpoints({ schedule, restores, folder }),
    ],
    sweeps: { 'deleting old backups': () => backups.sweep() },
    start() {
      // What a killed process has left; with a database server another node may be trying one right now.
      if (isEmbedded)
        inBackground('removing old trials of backups', () => rm(drills, { recursive: true, force: true }));
      inBackground('removing unfinished backups', () => backups.tidy());
      if (isWorker) schedule.start();
    },
    stop() {
      schedule.stop();
      stopping.abort();
      backups.stop();
    },
    conditions: () => schedule.conditions(),
    schedule,
  };
}
