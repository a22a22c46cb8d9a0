import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { backupsFolder } from '../../../config/config.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { backupConsoleEndpoints } from './console-routes.ts';
import { tryBackup } from './drill.ts';
import { planEndpoints } from './plan-routes.ts';
import { BackupRestores } from './restores.ts';
import { BackupSchedule } from './schedule.ts';
import { BackupService } from './service.ts';

declare module '../../context.ts' {
  interface Context {
    readonly backups: BackupService;
    readonly backupRestores: BackupRestores;
    readonly backupSchedule: BackupSchedule;
    /** Aborted when the service stops. */
    readonly drilling: AbortController;
  }
}

const isEmbedded = ({ config }: Context) => config.databaseUrl === undefined;
const drillsOf = ({ config }: Context) => join(config.dataFolder, 'drills');

export const makers: Makers<Context, 'backups' | 'backupRestores' | 'backupSchedule' | 'drilling'> = {
  backups: (context) => {
    const { db, blobs, now, inBackground, config, assertRoom } = context;
    return new BackupService({
      ...{ db, blobs, now, inBackground },
      folder: backupsFolder(config),
      keptDays: config.backupDays,
      assertRoom: () => assertRoom('create'),
    });
  },
  backupRestores: (context) => {
    const { db, now, backups, config, restart } = context;
    return new BackupRestores({
      ...{ db, now, backups, restart },
      dataFolder: config.dataFolder,
      isEmbedded: isEmbedded(context),
    });
  },
  backupSchedule: (context) => {
    const { db, now, backups, inBackground, backupRestores, drilling } = context;
    return new BackupSchedule({
      ...{ db, now, backups, inBackground },
      findAwaited: async () => (await backupRestores.read()).prepared?.backupId,
      tryBackup: async (backupId) => tryBackup(await backups.folderOf(backupId), drillsOf(context), drilling.signal),
    });
  },
  drilling: () => new AbortController(),
};

/** Backups by hand and by a plan, their trial, and going back to one. */
export function backupFeature(context: Context): Feature {
  const { backups, backupRestores: restores, backupSchedule: schedule, config, inBackground } = context;
  return {
    consoleEndpoints: [
      ...backupConsoleEndpoints(backups, (backupId) => restores.assertFree(backupId)),
      ...planEndpoints({ schedule, restores, folder: backupsFolder(config) }),
    ],
    sweeps: { 'deleting old backups': () => backups.sweep() },
    start() {
      // What a killed process has left; with a database server another node may be trying one right now.
      if (isEmbedded(context))
        inBackground('removing old trials of backups', () => rm(drillsOf(context), { recursive: true, force: true }));
      inBackground('removing unfinished backups', () => backups.tidy());
    },
    repeats: config.worker ? { 'making a scheduled backup': { everyMs: 60_000, work: () => schedule.run() } } : {},
    stop() {
      context.drilling.abort();
      backups.stop();
    },
  };
}
