import { endings, type PresenceEvent, type TrackState } from '@pharos/engine';
import { type Corrections, noCorrections, type VisitChange } from './reconcile.ts';
import type { Sensed, Sensing } from './sensed.ts';
import { knownUntil, patienceOf, type TrackRecord } from './track-record.ts';

/** Compares samples in order with what was reported before them. */

interface NewlyFound extends TrackRecord {
  readonly events: readonly PresenceEvent[];
  readonly retracted: ReadonlySet<string>;
}

/** What is new after samples in order: ends that were reported early are confirmed, or revoked if the visit went on. */
export function compareWithTold(
  { installationId, seedOf, now }: Pick<Sensing, 'installationId' | 'seedOf' | 'now'>,
  before: TrackRecord,
  { events, retracted, ...record }: NewlyFound,
): Pick<Sensed, 'record' | 'events' | keyof Corrections> {
  const told = new Map(before.ended.map((event) => [event.visitId, event]));
  const removed: PresenceEvent[] = [];
  const visits: VisitChange[] = [];
  const changed: PresenceEvent[] = [];
  const fresh: PresenceEvent[] = [];
  const takeBack = (exit: PresenceEvent) => {
    removed.push(exit);
    const { visitId: id, beaconId, enteredAt = exit.at } = exit;
    visits.push({ id, beaconId, change: 'reopened', enteredAt, exit: null });
  };
  for (const event of events) {
    const early = event.event === 'EXIT' ? told.get(event.visitId) : undefined;
    if (early === undefined) {
      fresh.push(event);
      continue;
    }
    told.delete(event.visitId);
    if (early.at === event.at && early.leftAt === event.leftAt) continue;
    const exit = { ...event, id: early.id };
    changed.push(exit);
    const { visitId: id, beaconId, enteredAt = exit.at } = exit;
    visits.push({ id, beaconId, change: 'corrected', enteredAt, exit });
  }
  const patience = patienceOf(record);
  const due = endings({ installationId, seedOf, state: record.track, until: knownUntil(record, now), patience: 0 });
  const late = endings({ installationId, seedOf, state: record.track, until: knownUntil(record, now), patience });
  const stillEnded = due.filter(({ visitId }) => told.has(visitId));
  const ended: PresenceEvent[] = stillEnded.map(({ visitId }) => told.get(visitId) as PresenceEvent);
  const isOpen = openVisits(record.track);
  for (const exit of told.values()) if (isOpen.has(exit.visitId) && !ended.includes(exit)) takeBack(exit);
  for (const exit of late) {
    if (told.has(exit.visitId)) continue;
    fresh.push(exit);
    ended.push(exit);
  }
  for (const id of retracted) {
    const visit = isTakenUp(before.track, id);
    if (visit === undefined) continue;
    // The phone's own EXIT was reported; the events of this call may have ended the visit again.
    const exit = fresh.find(({ event, visitId }) => event === 'EXIT' && visitId === visit.visitId);
    if (exit === undefined) takeBack(visit);
    else {
      fresh.splice(fresh.indexOf(exit), 1);
      const again = { ...exit, id: visit.id };
      changed.push(again);
      visits.push({
        id: visit.visitId,
        beaconId: visit.beaconId,
        change: 'corrected',
        enteredAt: visit.enteredAt ?? visit.at,
        exit: again,
      });
      renameExit(record.track, exit.id, visit.id);
    }
  }
  return {
    ...noCorrections,
    record: { ...record, ended },
    events: fresh,
    changedEvents: changed,
    removedEvents: removed,
    visits,
  };
}

function openVisits(track: TrackState): ReadonlySet<string> {
  return new Set(Object.values(track.beacons).flatMap(({ visit }) => visit?.id ?? []));
}

/** The phone's own EXIT event that has been revoked. */
function isTakenUp(before: TrackState, exitId: string): PresenceEvent | undefined {
  for (const [beaconId, { left }] of Object.entries(before.beacons)) {
    if (left === null || left.exitId !== exitId) continue;
    const { id: visitId, enteredAt } = left.visit;
    return {
      id: exitId,
      event: 'EXIT',
      installationId: '',
      beaconId,
      visitId,
      at: left.at,
      enteredAt,
      leftAt: left.at,
      cause: 'device',
    };
  }
  return undefined;
}

/** `track` is this call's own. */
function renameExit(track: TrackState, from: string, to: string): void {
  for (const state of Object.values(track.beacons))
    if (state.left?.exitId === from) state.left = { ...state.left, exitId: to };
}
