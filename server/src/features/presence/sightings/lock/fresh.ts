import { hash } from 'node:crypto';
import { latestTime, learnClock, newClock, sightingKey } from '@pharos/engine';
import { type Sql, sql } from '../../../../base/sql.ts';
import { bulkDelete, bulkInsert, bulkUpdate, Lookup } from '../../../../db/bulk.ts';
import type { Database, Db } from '../../../../db/db.ts';
import type { Dialect } from '../../../../db/dialect.ts';
import type { RowOf } from '../../../../db/table.ts';
import { corrected } from '../read/decided.ts';
import type { Batch, Reading } from '../read/reports.ts';
import type { Effect, Fresh, Intake, ItemProblem, Locked, Report } from '../stages/stages.ts';
import { sightingKeys } from '../traces/tables.ts';

/** What has not been counted before of what was sent, on the service's clock. */

/** A clock further ahead is reported to its sender. */
const noticedAheadMs = 5 * 60_000;

type Timed = Pick<Fresh, 'reports' | 'problems' | 'clock' | 'clockError' | 'decided' | 'retimed'>;

/**
 * Corrects the sender's clock for the reports about one installation. All of them are moved alike, which keeps the seconds
 * between them, on which the gates depend, unless the clock was set between them; a report whose own time cannot be right is left
 * out.
 */
function correctTimes({ intake, track }: Locked): Timed {
  const { reports, sentAt, isOwn } = intake;
  const { now } = intake.sender;
  // A gateway's clock is not that of the tags that it hears.
  const clock = isOwn ? (track.record?.clock ?? newClock) : newClock;
  const times = reports.flatMap(({ sentTime }) => sentTime ?? []);
  if (times.length === 0 && sentAt === undefined)
    return { reports, ...correctDecisions(intake, () => clock.error), clock, clockError: clock.error };
  const learned = learnClock(clock, { sentAt, times, now });
  const { error, errorAt } = learned;
  const { decided, problems: unshown } = correctDecisions(intake, errorAt);
  const problems: ItemProblem[] = [...unshown];
  const left = reports.flatMap((report): Report[] => {
    const { index, sentTime } = report;
    if (sentTime === undefined) return [report];
    const own = errorAt(sentTime);
    const occurredAt = sentTime - own;
    const latest = learned.latest + own - error;
    const problem = timeProblem(sentTime, { occurredAt, latest, error: own });
    if (problem !== undefined) {
      problems.push({ index, code: 'bad_time', field: 'occurredAt', message: problem });
      return [];
    }
    if (own === 0) return [report];
    if (error > noticedAheadMs && sentAt === undefined && sentTime > now) problems.push(aheadNote(index, error));
    return [{ ...report, observation: { ...report.observation, occurredAt } }];
  });
  const retimed = isOwn ? learned.retimed : undefined;
  return { reports: left, problems, decided, clock: learned.clock, clockError: error, retimed };
}

function correctDecisions(
  { decided, sender }: Intake,
  errorAt: (time: number) => number,
): Pick<Fresh, 'decided' | 'problems'> {
  if (decided === undefined) return { decided, problems: [] };
  return corrected(decided, { errorAt, now: sender.now });
}

const secondsOf = (ms: number) => Math.round(ms / 1000);

function timeProblem(
  sentTime: number,
  { occurredAt, latest, error }: { readonly occurredAt: number; readonly latest: number; readonly error: number },
): string | undefined {
  if (sentTime > latest) {
    const ahead = secondsOf(sentTime - latest);
    return `occurredAt lies ${ahead} s in the future of what the sender's clock can say; this sighting was left out.`;
  }
  if (occurredAt >= 0 && occurredAt <= latestTime) return undefined;
  return `The sender's clock is off by ${secondsOf(error)} s. Corrected by this, occurredAt is not between 1970 and 9999.`;
}

const aheadNote = (index: number, error: number): ItemProblem => ({
  index,
  code: 'clock_ahead',
  field: 'occurredAt',
  message: `occurredAt lies in the future; all times of the batch were moved back by ${secondsOf(error)} s and counted. Send sentAt, the time of the phone at sending, to have its clock corrected exactly.`,
});

/**
 * What identifies a report that the engine alone could not recognise when repeated: it has the sender's own id, it is a decision,
 * or its time was corrected by its arrival. The engine recognises plain samples by their time.
 */
function reportKey(
  { eventId, observation, sentTime, beacon }: Report,
  installationId: string,
  corrected: boolean,
): string | undefined {
  const needsKey = eventId !== undefined || (sentTime !== undefined && (corrected || observation.event !== undefined));
  if (!needsKey) return undefined;
  const sample = `${observation.rssi ?? observation.distance ?? ''} ${observation.receiver ?? ''}`;
  return sightingKey({
    ...(eventId === undefined ? {} : { eventId }),
    installation: installationId,
    beacon: beacon.objectId,
    event: observation.event ?? sample,
    occurredAt: sentTime ?? 0,
  });
}

/**
 * What identifies a whole batch, so that a sender that lost the answer gets it again. Undefined if a report has neither a time
 * nor its own id: then the same text may well be another observation.
 */
export function batchKey(batch: Batch, items: readonly Reading[]): string | undefined {
  if (items.some(({ eventId, sentTime }) => eventId === undefined && sentTime === undefined)) return undefined;
  return `batch:${hash('sha256', JSON.stringify(batch), 'base64url')}`;
}

interface Keyed extends Locked {
  readonly timed: Timed;
  readonly keyed: readonly { readonly report: Report; readonly key: string | undefined }[];
  readonly keys: readonly string[];
}

function keyedOf(locked: Locked): Keyed {
  const timed = correctTimes(locked);
  const { lock, permissions } = locked;
  // Keys of sightings would say when somebody was heard who is not to be named.
  const keyOf = (report: Report) =>
    permissions.analytics ? reportKey(report, lock.objectId, timed.clockError !== 0) : undefined;
  const keyed = timed.reports.map((report) => ({ report, key: keyOf(report) }));
  return { ...locked, timed, keyed, keys: [...new Set(keyed.flatMap(({ key }) => key ?? []))] };
}

const scopeOf = ({ intake, lock }: Locked) => ({ appId: intake.sender.appId, installationId: lock.objectId });

/** What has not been counted yet, and the earlier answers to batches that are sent again. */
export async function freshOf(
  db: Db,
  locked: readonly Locked[],
): Promise<{ readonly fresh: readonly Fresh[]; readonly answered: ReadonlyMap<Locked, Effect> }> {
  const all = locked.map((one) => ({ locked: one, ...keyedOf(one) }));
  const stored = await findKnownKeys(
    db,
    all.flatMap((one) => one.keys.map((key) => ({ ...scopeOf(one), key }))),
  );
  const newKeysOf = (one: Keyed) => new Set(one.keys.filter((key) => !stored.has(keyText({ ...scopeOf(one), key }))));
  const answers = await findAnswers(
    db,
    all.flatMap((one) => {
      const { batchKey, reports, sender } = one.intake;
      if (!one.permissions.analytics || batchKey === undefined || reports.length === 0) return [];
      // A batch with keys of which none is known has not been here before.
      if (one.keys.length > 0 && newKeysOf(one).size === one.keys.length) return [];
      return [{ ...scopeOf(one), key: batchKey, since: sender.now - sender.policy.pushTimeToLive * 1000 }];
    }),
  );
  const fresh: Fresh[] = [];
  const answered = new Map<Locked, Effect>();
  for (const one of all) {
    const { batchKey: key } = one.locked.intake;
    const answer = key === undefined ? undefined : answers.get(keyText({ ...scopeOf(one), key }));
    if (answer !== undefined) {
      answered.set(one.locked, JSON.parse(answer) as Effect);
      continue;
    }
    const { locked: own, timed, keyed } = one;
    const keys = newKeysOf(one);
    const reports = withKeysIn(keyed, keys);
    fresh.push({ ...own, ...timed, reports, keys: [...keys], repeated: timed.reports.length - reports.length });
  }
  return { fresh, answered };
}

/** Those with a fresh key, or with none. One key twice in a batch counts once. */
function withKeysIn(keyed: Keyed['keyed'], fresh: ReadonlySet<string>): Report[] {
  const counted = new Set<string>();
  return keyed.flatMap(({ report, key }) => {
    if (key === undefined) return [report];
    if (!fresh.has(key) || counted.has(key)) return [];
    counted.add(key);
    return [report];
  });
}

/** Sightings and batches that have been counted. */

export interface SightingKey {
  readonly appId: string;
  readonly installationId: string;
  readonly key: string;
}

/** Keys by `keyText`. */
const keyText = ({ appId, installationId, key }: SightingKey) => `${appId} ${installationId} ${key}`;

const cellsOf = ({ appId, installationId, key }: SightingKey) => ({
  app_id: appId,
  installation_id: installationId,
  sighting_key: key,
});

type KeyRow = Pick<RowOf<typeof sightingKeys>, 'app_id' | 'installation_id' | 'sighting_key'>;

const textOfRow = ({ app_id, installation_id, sighting_key }: KeyRow) =>
  keyText({ appId: app_id, installationId: installation_id, key: sighting_key });

const newKeys = bulkInsert(sightingKeys, { columns: ['app_id', 'installation_id', 'sighting_key', 'created_at'] });

export interface NewKey extends SightingKey {
  readonly now: number;
}

export function saveKeys(dialect: Dialect, keys: readonly NewKey[]): Sql[] {
  return newKeys.each(
    dialect,
    keys.map((one) => ({ ...cellsOf(one), created_at: one.now })),
  );
}

const knownKeys = new Lookup(
  ['installation_id', 'sighting_key'],
  (isWanted) =>
    sql`select app_id, installation_id, sighting_key from sighting_keys where app_id = ${null} and ${isWanted}`,
);

/** Which of the keys are stored, by `keyText`. */
export async function findKnownKeys(db: Db, keys: readonly SightingKey[]): Promise<ReadonlySet<string>> {
  const known = new Set<string>();
  for (const [appId, ofApp] of Map.groupBy(keys, (one) => one.appId))
    for (const row of await knownKeys.read<KeyRow>(db, [appId], ofApp.map(cellsOf))) known.add(textOfRow(row));
  return known;
}

const answers = new Lookup(
  ['installation_id', 'sighting_key'],
  (isWanted) => sql`select app_id, installation_id, sighting_key, answer, created_at from sighting_keys
    where app_id = ${null} and ${isWanted} and answer is not null`,
);

export interface AskedAnswer extends SightingKey {
  /** Older answers are dropped. */
  readonly since: number;
}

/** The answers that were given to batches, as JSON text, by `keyText`. */
export async function findAnswers(db: Db, asked: readonly AskedAnswer[]): Promise<ReadonlyMap<string, string>> {
  const since = new Map(asked.map((one) => [keyText(one), one.since]));
  const found = new Map<string, string>();
  for (const [appId, ofApp] of Map.groupBy(asked, (one) => one.appId)) {
    for (const row of await answers.read<AnsweredRow & { readonly answer: string }>(db, [appId], ofApp.map(cellsOf))) {
      const text = textOfRow(row);
      if (row.created_at >= (since.get(text) ?? Number.POSITIVE_INFINITY)) found.set(text, row.answer);
    }
  }
  return found;
}

const savedAnswers = bulkInsert(sightingKeys);

export interface NewAnswer extends NewKey {
  readonly answer: string;
}

export function saveAnswers(dialect: Dialect, rows: readonly NewAnswer[]): Sql[] {
  const cells = rows.map((row) => ({ ...cellsOf(row), answer: row.answer, created_at: row.now }));
  return savedAnswers.each(dialect, cells);
}

const key = ['app_id', 'installation_id', 'sighting_key'] as const;
const shortenedKeys = bulkUpdate(sightingKeys, { by: key, set: ['answer'] });
const removedKeys = bulkDelete(sightingKeys, key);

const forgottenAtOnce = 200;

interface AnsweredRow extends KeyRow {
  readonly created_at: number;
}

/** Drops the answers of a period (ms), some at a time; that the batches have been counted stays known. */
export async function forgetAnswers(
  db: Database,
  { appId, from, until }: { readonly appId: string; readonly from: number; readonly until: number },
): Promise<void> {
  for (let since = from; ; ) {
    const answered = sql`select app_id, installation_id, sighting_key, created_at from sighting_keys where app_id = ${appId}
      and created_at >= ${since} and created_at < ${until} and answer is not null order by created_at limit ${forgottenAtOnce}`;
    const rows = db.dialect.keepsRoomOfRows
      ? await db.transaction((db) => writeAnew(db, answered))
      : await shorten(db, answered);
    const last = rows.at(-1);
    if (last === undefined || rows.length < forgottenAtOnce) return;
    since = last.created_at;
    await db.caughtUp();
  }
}

async function shorten(db: Db, answered: Sql): Promise<readonly AnsweredRow[]> {
  const rows = await db.all<AnsweredRow>(answered);
  const cells = rows.map((row) => ({ ...row, answer: null }));
  await shortenedKeys.run(db, cells);
  return rows;
}

/** Whoever reads in the same transaction brings back no key that is deleted meanwhile. */
async function writeAnew(db: Db, answered: Sql): Promise<readonly AnsweredRow[]> {
  const rows = await db.all<AnsweredRow>(answered);
  for (const statement of [...removedKeys.each(db.dialect, rows), ...newKeys.each(db.dialect, rows)])
    await db.run(statement);
  return rows;
}
