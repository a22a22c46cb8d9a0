import type { Evidence, Pass } from '@pharos/engine';
import { raw, type Sql, sql } from '../../../../base/sql.ts';
import type { Db } from '../../../../db/db.ts';
import type { Context } from '../../../context.ts';
import type { LogStore } from '../../../event-log.ts';
import { addVisitCounts } from '../decide/past.ts';
import { saveKeys } from '../lock/fresh.ts';
import { addBatches, addSamples, deleteTrack, dropBatches, saveTracks } from '../lock/track-store.ts';
import type { HearingPhone } from '../site/receiver-offsets.ts';
import type { Decided } from '../stages/stages.ts';
import type { TrackKey } from '../traces/reported.ts';
import { noteVisitChanges } from '../traces/visits.ts';
import {
  batchOf,
  closed,
  correctionsOf,
  countsOf,
  domainEventsOf,
  eventsOf,
  firingsOf,
  isEventful,
  isNamed,
  keysOf,
  logsOf,
  lookedBackOn,
  mergedOf,
  opened,
  positionEventOf,
  positionOf,
  pushesOf,
  samplesOf,
  showingsOf,
  trackOf,
  verdictsOf,
  visitChangesOf,
  whereaboutsOf,
} from './rows.ts';
import * as store from './trace-store.ts';
import { savePositions } from './trace-store.ts';

/**
 * Ends what is known of an installation's presence, because it may no longer be recorded, or may be from now on: open visits end
 * here, and nothing later continues them. `db` is the transaction that holds the installation.
 */
export async function endPresence(
  db: Db,
  { appId, installationId, now }: TrackKey & { readonly now: number },
): Promise<void> {
  await deleteTrack(db, { appId, installationId });
  const open = await db.all<{ beacon_id: string; entered_at: number }>(sql`select beacon_id, entered_at from visits
    where app_id = ${appId} and installation_id = ${installationId} and is_open = 1`);
  if (open.length === 0) return;
  const ended = open.map((row) => ({ appId, installationId, beaconId: row.beacon_id, enteredAt: row.entered_at }));
  for (const statement of noteVisitChanges(db.dialect, ended, now)) await db.run(statement);
  const leftAt = sql`case when entered_at > ${now} then entered_at else ${now} end`;
  await db.run(sql`update visits
    set left_at = ${leftAt}, dwell = (${leftAt} - entered_at) / ${raw('1000.0')}, is_open = 0, ended_by = 'silence', inferred = 1,
      updated_at = ${now}
    where app_id = ${appId} and installation_id = ${installationId} and is_open = 1`);
}

/** Writes what was decided, all of it in the transaction that `db` is. */

export interface RecordTools
  extends Pick<Context, 'announce' | 'requestPushes'>,
    Partial<Pick<Context, 'noteShowings' | 'saveMotions' | 'seedsFor'>> {
  readonly logs: LogStore;
  /** Called after the commit with when a presence must be checked again (ms). */
  readonly expect: (deadline: number) => void;
  /** Asks in the transaction that `db` is for a look back on visits that are over. */
  readonly requestLookBacks?: (db: Db, keys: readonly TrackKey[]) => Promise<void>;
  /** Told after the commit of a sighting at a time (ms) whose phone is not to be named. */
  readonly countSightings?: (appId: string, beaconId: string, at: number) => void;
  /** Told after the commit which beacons a phone has heard; times are the service's (ms). */
  readonly noteHeard?: Context['hearingLog']['notePhone'];
  /** Told after the commit that visits of an app were written, changed or removed. */
  readonly countVisits?: (appId: string) => void;
  /** Told after the commit what was heard about the radio of beacons. */
  readonly noteEvidence?: (appId: string, evidence: Readonly<Record<string, Evidence>>, at: number) => void;
  /** Told after the commit (ms) which beacons a phone has passed. */
  readonly notePasses?: (listener: HearingPhone, passes: readonly Pass[], at: number) => void;
}

/** Writes what was decided for several installations, each of them once, with few statements. `more` is written along. */
export async function recordDecisions(
  db: Db,
  decided: readonly Decided[],
  {
    requestPushes,
    expect,
    announce,
    logs,
    noteShowings,
    noteEvidence,
    notePasses,
    countVisits,
    requestLookBacks,
  }: RecordTools,
  more: readonly Sql[] = [],
): Promise<void> {
  const changed = decided.filter(({ decision }) => decision.hasChanged);
  const kept = changed.filter(({ batch }) => batch === undefined);
  const deadline = Math.min(...kept.map(({ decision }) => decision.deadline ?? Number.POSITIVE_INFINITY));
  if (deadline < Number.POSITIVE_INFINITY) db.afterCommit(() => expect(deadline));
  if (noteEvidence !== undefined)
    db.afterCommit(() => {
      for (const { appId, context, decision } of changed) noteEvidence(appId, decision.sensed.evidence, context.now);
    });
  if (notePasses !== undefined)
    db.afterCommit(() => {
      for (const { appId, context, decision } of changed.filter(isNamed)) {
        const { installationId, model = null, now } = context;
        notePasses({ appId, installationId, model }, decision.sensed.passes, now);
      }
    });
  const pushes = changed.flatMap(pushesOf);
  if (pushes.length > 0) await requestPushes(db, pushes);
  const named = changed.filter(isNamed);
  const keptNamed = kept.filter(isNamed);
  const eventful = named.filter(isEventful);
  await requestLookBacks?.(db, eventful.flatMap(lookedBackOn));
  for (const one of named) {
    const [whereabouts] = whereaboutsOf(one);
    if (whereabouts === undefined && !isEventful(one)) continue;
    await announce(db, one.appId, () => [
      ...(isEventful(one) ? domainEventsOf(one.decision) : []),
      ...(whereabouts ? [positionEventOf(whereabouts)] : []),
    ]);
  }
  const { dialect } = db;
  const changes = eventful.flatMap(visitChangesOf);
  const showings = eventful.flatMap(showingsOf);
  const counted = [...changes, ...showings];
  if (counted.length > 0 && countVisits !== undefined)
    db.afterCommit(() => {
      for (const appId of new Set(counted.map(({ appId }) => appId))) countVisits(appId);
    });
  await db.runTogether([
    ...correctionsOf(dialect, keptNamed, logs),
    ...saveTracks(dialect, kept.map(trackOf)),
    ...dropBatches(dialect, kept.flatMap(mergedOf)),
    ...addBatches(dialect, changed.flatMap(batchOf)),
    ...addSamples(dialect, keptNamed.flatMap(samplesOf)),
    ...savePositions(dialect, named.flatMap(positionOf)),
    ...addVisitCounts(dialect, eventful.flatMap(countsOf)),
    ...store.insertEvents(dialect, eventful.flatMap(eventsOf)),
    ...store.openVisits(dialect, eventful.flatMap(opened)),
    ...store.closeVisits(dialect, eventful.flatMap(closed)),
    ...logs.insert(dialect, eventful.flatMap(logsOf)),
    ...store.saveVerdicts(dialect, eventful.flatMap(verdictsOf)),
    ...noteVisitChanges(dialect, changes, decided[0]?.context.now ?? 0),
    ...store.insertFirings(dialect, changed.flatMap(firingsOf)),
    ...(noteShowings?.(dialect, showings) ?? []),
    ...saveKeys(dialect, decided.flatMap(keysOf)),
    ...more,
  ]);
  db.afterCommit(() => {
    for (const { afterCommit } of decided) afterCommit();
  });
}
