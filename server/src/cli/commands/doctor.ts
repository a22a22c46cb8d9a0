import { existsSync } from 'node:fs';
import { createServices } from '../../app/services.ts';
import { tables } from '../../app/tables.ts';
import { Failure } from '../../base/errors.ts';
import { type Config, ConfigError, databaseFile } from '../../config/config.ts';
import type { Database } from '../../db/db.ts';
import { distributionOf } from '../../db/distribute.ts';
import { isInUse } from '../../db/migrate.ts';
import { storedFiles } from '../../features/data/files/walk.ts';
import type { Command, CommandCall } from '../support/command.ts';
import {
  checkAdmins,
  checkClock,
  checkDatabase,
  checkFileStorage,
  checkFiles,
  checkIntegrity,
  checkMigrations,
  checkPolicies,
} from './doctor/data.ts';
import { checkDistributed } from './doctor/distributed.ts';
import { type Finding, finder } from './doctor/finding.ts';
import { checkBackupFolder, checkFolder, checkMail, checkNode, checkSettings } from './doctor/machine.ts';
import { explain } from './explain.ts';
import { openDatabase, withBlobs } from './storage.ts';

export const doctorCommand: Command = {
  name: 'doctor',
  summary: 'check the installation, and say what to do about problems',
  details: 'It changes nothing and may run beside the service. The exit code is 1 if a check fails.',
  async run(call) {
    const checks = await examine(call);
    const isFailure = checks.some(({ state }) => state === 'fail');
    const lines = checks.map(({ check, state, message }) => `${state.padEnd(5)} ${check}: ${message}`);
    return { text: lines.join('\n'), json: { ok: !isFailure, checks }, isFailure };
  },
};

async function examine(call: CommandCall): Promise<Finding[]> {
  const findings = [checkNode(process.version)];
  let config: Config;
  try {
    config = call.config();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [...findings, ...error.problems.map((problem) => finder('settings').fail(problem))];
  }
  findings.push(
    ...checkSettings(config),
    ...checkFolder(config),
    ...checkBackupFolder(config),
    ...(await checkMail(config)),
  );
  if (!config.databaseUrl && !existsSync(databaseFile(config)))
    return [...findings, finder('database').warn('There is none yet. pharos serve creates it.')];
  return [...findings, ...(await examineDatabase(config))];
}

async function examineDatabase(config: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  let db: Database | undefined;
  let isBehind = false;
  try {
    db = await openDatabase(config);
    findings.push(...(await checkDatabase(db)));
    findings.push(...(await checkClock(db)));
    if (!(await isInUse(db)))
      return [...findings, finder('migrations').warn('The database is empty. pharos serve creates its tables.')];
    const migrations = await checkMigrations(db);
    isBehind = migrations.state === 'warn';
    findings.push(migrations, ...(await checkIntegrity(db)), ...(await checkDistributed(db, distributionOf(tables))));
    findings.push(...(await examineFiles(config, db)));
    const { admins, apps } = createServices({ db, now: Date.now });
    findings.push(await checkAdmins(admins), ...(await checkPolicies(apps)));
  } catch (error) {
    const { warn, fail } = finder('database');
    // After an update, before the first start.
    const isExpected = isBehind && isOlderSchema(error);
    findings.push(isExpected ? warn('The rest can be checked once it is migrated.') : fail(explain(error, config)));
  } finally {
    await db?.close();
  }
  return findings;
}

/** A table or column that this version knows and the database does not have yet. */
function isOlderSchema(error: unknown): boolean {
  const { code, message } = (error instanceof Failure ? error.cause : error) as { code?: string; message?: string };
  return code === '42P01' || code === '42703' || /^no such (table|column)/.test(message ?? '');
}

function examineFiles(config: Config, db: Database): Promise<Finding[]> {
  return withBlobs(config, async (blobs) => {
    const storage = await checkFileStorage(blobs, db);
    // What cannot be asked has not lost anything.
    if (storage.some(({ state }) => state === 'fail')) return storage;
    return [...storage, await checkFiles(blobs, storedFiles(db))];
  });
}
