import { existsSync, statfsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readManifest } from '../../../backup/manifest.ts';
import { raw, sql } from '../../../base/sql.ts';
import { backupsFolder, type Config, databaseFile } from '../../../config/config.ts';
import { version } from '../../../config/version.ts';
import type { Database } from '../../../db/db.ts';
import { firstUnpacked, isInUse, knownMigrations, type Migration, readApplied } from '../../../db/migrate.ts';
import { countPacked, countRunning } from '../../../db/unpack-rows.ts';
import { type Command, UsageError } from '../../support/command.ts';
import { type Finding, finder } from '../doctor/finding.ts';
import { assertDatabaseExists, withDatabase } from '../storage.ts';

const day = 86_400_000;

export const upgradeCommand: Command = {
  name: 'upgrade',
  summary: 'say before an update what it will change in this database, and whether there is a way back',
  details:
    'Run it with the new version before you start that: it changes nothing, and the service may run. The exit code is 1 if the\nupdate would be refused.',
  options: { check: { help: 'this is all that it does; serve and migrate do the update' } },
  async run(call) {
    if (!call.has('check'))
      throw new UsageError('pharos upgrade needs --check. The update itself is made by pharos serve.');
    const config = call.config();
    assertDatabaseExists(config);
    const { findings, pending } = await withDatabase(config, (db) => check(config, db));
    const isFailure = findings.some(({ state }) => state === 'fail');
    const lines = findings.map(({ check, state, message }) => `${state.padEnd(5)} ${check}: ${message}`);
    const migrations = pending.map(({ name }) => name);
    return { text: lines.join('\n'), json: { ok: !isFailure, version, migrations, findings }, isFailure };
  },
};

interface Checked {
  readonly findings: readonly Finding[];
  readonly pending: readonly Migration[];
}

async function check(config: Config, db: Database): Promise<Checked> {
  const { ok, warn, fail } = finder('migrations');
  if (!(await isInUse(db)))
    return { findings: [ok('The database is empty. pharos serve creates its tables.')], pending: [] };
  const applied = await readApplied(db);
  const known = knownMigrations();
  const present = Math.max(...applied);
  const newest = known.at(-1)?.id ?? 0;
  if (present > newest) {
    const message = `The database is at ${present}, and version ${version} knows ${newest}: it is refused. Run a newer version.`;
    return { findings: [fail(message)], pending: [] };
  }
  const pending = known.filter(({ id, only }) => !applied.has(id) && (only === undefined || only === db.dialect.name));
  if (pending.length === 0)
    return { findings: [ok(`Version ${version} changes nothing in this database: the way back is open.`)], pending };
  const packed = applied.has(firstUnpacked) ? [] : [await checkPacked(db)];
  return {
    findings: [
      warn(`Version ${version} makes ${pending.length} changes:`),
      ...(await changesOf(db, pending)),
      ...packed,
      ...(await checkNodes(db)),
      ...checkRoom(config),
      await checkWayBack(config, present),
    ],
    pending,
  };
}

/** In words, with the rows that a change has to go through. */
async function changesOf(db: Database, pending: readonly Migration[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, statements } of pending) {
    const said: string[] = [];
    for (const statement of statements) said.push(await inWords(db, statement));
    findings.push(finder(name.replace(/\.sql$/, '')).ok(`${[...new Set(said)].join('; ')}.`));
  }
  return findings;
}

async function inWords(db: Database, statement: string): Promise<string> {
  const [, verb = '', object = '', rest = ''] = /^(\w+)\s+((?:unique )?\w+)\s+([\s\S]*)$/i.exec(statement) ?? [];
  const words = `${verb} ${object}`.toLowerCase();
  const table = words.endsWith('index')
    ? /\bon (\w+)/i.exec(rest)?.[1]
    : /^(?:if (?:not )?exists )?(\w+)/i.exec(rest)?.[1];
  if (words === 'create table') return `a new table ${table}`;
  if (words === 'alter table') return `${/\bdrop\b/i.test(rest) ? 'a column less' : 'a new column'} in ${table}`;
  if (words.startsWith('create') && table) return `an index on ${table}, ${await rowsOf(db, table)}`;
  if (words.startsWith('drop')) return `a ${object.toLowerCase()} less`;
  const changed = /^(?:update|delete from|insert into)\s+(\w+)/i.exec(statement)?.[1];
  return changed ? `rows of ${changed} change, ${await rowsOf(db, changed)}` : 'a change of its own';
}

/** Counted up to a million: more take minutes anyway. */
async function rowsOf(db: Database, table: string): Promise<string> {
  if (!(await db.one(db.dialect.findTable(table)))) return 'which is new';
  const limit = 1_000_000;
  const row = await db.one<{ n: number }>(
    sql`select count(*) as n from (select 1 from ${raw(table)} limit ${limit}) as counted`,
  );
  const n = Number(row?.n ?? 0);
  return n >= limit ? 'a million rows or more: plan for minutes' : `${n} rows`;
}

async function checkPacked(db: Database): Promise<Finding> {
  const { ok, warn } = finder('packed records');
  const { rows: n } = await countPacked(db);
  if (n === 0) return ok('There are none.');
  return warn(`${n} are stored as rows again before anything is answered, at 1 kB of disk each.`);
}

/** Nodes of the version before may go on; packed rows are the exception, which the migration itself refuses. */
async function checkNodes(db: Database): Promise<Finding[]> {
  const n = await countRunning(db);
  if (n === 0) return [];
  const said = `${n} running. Those of the version before go on until you replace them, and cannot start again afterwards.`;
  return [finder('nodes').warn(said)];
}

/** SQLite may write as much again to its log. */
function checkRoom(config: Config): Finding[] {
  if (config.databaseUrl) return [];
  const { ok, warn } = finder('disk');
  const { size } = statSync(databaseFile(config));
  const { bavail, bsize } = statfsSync(config.dataFolder);
  const mebibytes = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MiB`;
  const said = `${mebibytes(bavail * bsize)} are free, the database has ${mebibytes(size)}.`;
  return [bavail * bsize > size ? ok(said) : warn(`${said} Make room for as much again.`)];
}

/** An older version refuses the changed database, so only a backup leads back. */
async function checkWayBack(config: Config, present: number): Promise<Finding> {
  const { ok, warn } = finder('way back');
  const folder = backupsFolder(config);
  const names = existsSync(folder) ? await readdir(folder) : [];
  const found = await Promise.all(names.map((name) => readManifest(join(folder, name)).catch(() => undefined)));
  const newest = found
    .flatMap((manifest) => (manifest && manifest.migration === present ? [Date.parse(manifest.createdAt)] : []))
    .sort((a, b) => b - a)[0];
  const after = 'Afterwards an older version refuses this database.';
  if (newest === undefined)
    return warn(`${after} There is no backup in ${folder} that leads back: make one with pharos backup.`);
  const made = new Date(newest).toISOString();
  if (Date.now() - newest > day) return warn(`${after} The newest backup is of ${made}: make another one first.`);
  return ok(`${after} The backup of ${made} leads back, without what is written after it.`);
}
