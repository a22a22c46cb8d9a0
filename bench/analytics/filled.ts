/** A database with the visits and what was counted of them; it can be kept for a second run. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServices } from '../../server/src/app/services.ts';
import { openPostgres } from '../../server/src/db/postgres/postgres.ts';
import { openSqlite } from '../../server/src/db/sqlite/sqlite.ts';
import { listGoals } from '../../server/src/features/messages/notifications/store.ts';
import { fillMessageState, fillMessages, fillVisits } from './fill.ts';
import { command, createApp, type Opened, type Place, serve } from './service.ts';
import { copyRows, openSink, type Sink } from './sink.ts';
import { build, type Site } from './site.ts';

export interface Filled extends Opened {
  readonly site: Site;
  readonly visits: number;
}

const say = (text: string) => process.stderr.write(`${text}\n`);

/**
 * What a run before has left in the folder, or a new one: as in another database, where one is filled already, or else made from the
 * beginning.
 */
export async function filledAt(place: Place, total: number, from?: Place): Promise<Filled> {
  mkdirSync(place.folder, { recursive: true });
  const known = noteIn(place);
  const filled = known ?? (from && noteIn(from) ? await copied(place, from) : await fillNew(place, total));
  if (!known) writeFileSync(noteFile(place), JSON.stringify(filled));
  await timed('adding months and years up', () => addUp(place, filled.appId));
  return filled;
}

/** As the service does in the background. */
async function addUp(place: Place, appId: string): Promise<void> {
  command(place, 'migrate');
  const db = openDb(place);
  try {
    await createServices({ db, now: Date.now }).rollups.settle(appId);
  } finally {
    await db.close();
  }
}

const openDb = ({ folder, databaseUrl }: Place) =>
  databaseUrl
    ? openPostgres({ url: databaseUrl, poolSize: 1, queryDeadlineMs: 60_000 })
    : openSqlite({ file: join(folder, 'pharos.db'), queryDeadlineMs: 60_000 });

const noteFile = ({ folder }: Place) => join(folder, 'filled.json');
const noteIn = (place: Place) =>
  existsSync(noteFile(place)) ? (JSON.parse(readFileSync(noteFile(place), 'utf8')) as Filled) : undefined;

function openApp(place: Place): Opened {
  const opened = createApp(place);
  // Nothing is to be cleared away meanwhile.
  const kept = 'retentionDays={"logs":365,"visits":3650,"events":30}';
  command(place, 'app', 'policy', opened.appId, '--set', kept);
  return opened;
}

async function copied(place: Place, from: Place): Promise<Filled> {
  const source = noteIn(from) as Filled;
  const opened = openApp(place);
  await timed('copying', () => withSink(place, (sink) => copyRows(join(from.folder, 'pharos.db'), sink, opened.appId)));
  return { ...source, ...opened };
}

async function fillNew(place: Place, total: number): Promise<Filled> {
  const opened = openApp(place);
  const { appId } = opened;
  const service = await serve(place, appId);
  const site = await build(service).finally(() => service.stop());
  const goals = await goalsOf(place, appId);
  const filling = { appId, site, total, now: Date.now() };
  const visits = await timed('visits', () => withSink(place, (sink) => fillVisits(sink, filling)));
  await timed('counting them', async () => command(place, 'analytics', 'rebuild', '--app', appId, '--current-places'));
  await timed('messages', () =>
    withSink(place, async (sink) => {
      await sink.clear(['message_states']);
      await fillMessageState(sink, filling, goals);
      await fillMessages(sink, filling);
    }),
  );
  return { ...opened, site, visits };
}

async function withSink<T>(place: Place, work: (sink: Sink) => Promise<T>): Promise<T> {
  const sink = await openSink(place);
  try {
    return await work(sink);
  } finally {
    await sink.close();
  }
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  say(`${what}: ${Math.round((performance.now() - began) / 1000)} s`);
  return result;
}

/** As the state of counting notes them. */
async function goalsOf(place: Place, appId: string): Promise<string> {
  const db = openDb(place);
  try {
    return JSON.stringify(await listGoals(db, appId));
  } finally {
    await db.close();
  }
}
