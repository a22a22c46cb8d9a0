import { hash } from 'node:crypto';
import {
  type Ear,
  type Firing,
  judgeEvents,
  type PresenceEvent,
  type PresenceSettings,
  type Rules,
  type Sample,
  type Seeding,
  timePrefix,
  type VenueHours,
  type Verdict,
} from '@pharos/engine';
import { isObject } from '@pharos/query';
import type { Permissions } from '../../../access/consent.ts';
import { type AppPolicy, isForgetful } from '../../../access/policy.ts';
import { timeOfId } from '../../../base/id.ts';
import { inLanguage, languageFor } from '../../../delivery/push/translations.ts';
import { appRules, historyMs } from '../site/trigger-policy.ts';
import type { SiteTrigger } from '../site/trigger-store.ts';
import type { Whereabouts } from '../traces/positions.ts';
import type { HistoryReads, Sensed } from './sensed.ts';
import { passTime, sense } from './sensing.ts';
import { deadlineOf, knownUntil, lateMs, newRecord, type TrackRecord } from './track-record.ts';
import { whereaboutsOf } from './whereabouts.ts';

/** The input of one call of the engine and what follows from its result; the same for a report, a deadline and a rehearsal. */

/** Where the track, triggers and history come from: the transaction, or the memory of a simulation. */
export interface Reads {
  record(): Promise<TrackRecord | undefined>;
  /** How the installation is known to hear; asked once, when its record begins. */
  ear?(): Promise<Ear | null>;
  /** Beacons that were deleted are left out. */
  places(beaconIds: readonly string[]): Promise<readonly ReportedPlace[]>;
  triggers(beaconId: string): Promise<readonly SiteTrigger[]>;
  firings(since: number): Promise<readonly Firing[]>;
  /** Visits at a beacon that are over. */
  visitCount(beaconId: string): Promise<number>;
  readonly kept: HistoryReads;
}

export interface DecisionContext extends Seeding {
  readonly installationId: string;
  readonly policy: AppPolicy;
  /** The service's clock. */
  readonly now: number;
  /** Whether the installation can be shown anything: it reads the answer, or has a live push token. */
  readonly hasTarget: boolean;
  /** Since when (ms) the same person carries it; without it, always. */
  readonly heldSince?: number | undefined;
  /** Whether a push can reach it, so that a message may go out although nothing is delivered. */
  readonly hasPushTarget: boolean;
  /** What the visitor has agreed to; without it, to everything. */
  readonly permissions?: Permissions;
  /** The language and region of the phone, which choose the language of messages. */
  readonly locale?: string | null;
  /** The model of the phone. */
  readonly model?: string | null;
}

/** Where it happens; a beacon that was deleted has only its id. */
export interface ReportedPlace {
  readonly objectId: string;
  readonly timeZone?: string | undefined;
  readonly hours?: VenueHours | undefined;
  readonly settings?: PresenceSettings;
}

/** What happened to one installation. */
export interface Decision {
  readonly installationId: string;
  readonly sensed: Sensed;
  /** Reported now, in order of time. */
  readonly events: readonly PresenceEvent[];
  readonly verdicts: readonly JudgedAt[];
  readonly fired: readonly Fired[];
  /** By beacon; empty where nothing was judged. */
  readonly triggers: ReadonlyMap<string, readonly SiteTrigger[]>;
  readonly record: TrackRecord;
  /** Where the installation is now, if it was heard lately. */
  readonly whereabouts: Whereabouts | undefined;
  /** Whether a push of what fired is being sent. */
  readonly isPushed: boolean;
  /** When time alone brings something about, by the service's clock (ms). */
  readonly deadline: number | null;
  /** False when nothing has changed that must be stored. */
  readonly hasChanged: boolean;
}

export interface JudgedAt {
  readonly beaconId: string;
  readonly verdict: Verdict;
}

/** A verdict that releases a message, under the id by which its delivery is known everywhere. */
export interface Fired extends JudgedAt {
  readonly deliveryId: string;
  /** With its content in the visitor's language. */
  readonly shown: SiteTrigger;
  /** The language of the content, where the message says it. */
  readonly language: string | null;
}

/** One id for each trigger, installation, visit and event: what makes a delivery that delivery. */
export function triggerDeliveryId(
  verdict: Verdict,
  { installationId, seedOf }: Pick<DecisionContext, 'installationId' | 'seedOf'>,
): string {
  const { triggerId, visitId, eventId } = verdict;
  const whose = seedOf?.(timeOfId(visitId)) ?? installationId;
  const digest = hash('sha256', JSON.stringify([triggerId, whose, visitId, eventId]), 'base64url');
  // The event's time in front: new jobs then land at the end of the index.
  return eventId.slice(0, 8) + digest.slice(0, 24);
}

/** Weighs samples with corrected times, in any order; null: only time has passed. */
export async function decide(
  reads: Reads,
  context: DecisionContext,
  samples: readonly Sample[] | null,
): Promise<Decision> {
  const { installationId, seedOf, now, heldSince } = context;
  const stored = await reads.record();
  const record = stored ?? newRecord(now, context.policy.oneZone ? await reads.ear?.() : null);
  const sensed =
    samples === null
      ? passTime({ installationId, seedOf }, record, now)
      : await sense({
          installationId,
          seedOf,
          record,
          samples,
          now,
          settingsOf: settingsFrom(reads, context.policy),
          kept: reads.kept,
          heldSince,
          keptSince: isForgetful(context.policy) ? now - lateMs : undefined,
        });
  const hasChanged =
    samples === null || sensed.duplicates < samples.length || sensed.events.length > 0 || sensed.visits.length > 0;
  const judged = await judgeAll(reads, context, { sensed, isTick: samples === null });
  const { whereabouts, told } = whereaboutsOf(sensed.record);
  const next = { ...sensed.record, waits: judged.waits, told };
  return {
    installationId,
    sensed,
    events: sensed.events,
    verdicts: judged.verdicts,
    fired: firedOf(judged.verdicts, judged.triggers, context),
    triggers: judged.triggers,
    record: next,
    whereabouts,
    isPushed: context.hasPushTarget,
    deadline: deadlineOf(next, context.hasPushTarget),
    hasChanged: hasChanged && (samples === null || samples.length > 0),
  };
}

/** What counts for a beacon: its own settings before those of the app. */
const settingsFrom = (reads: Reads, policy: AppPolicy) => async (beaconIds: readonly string[]) => {
  const together = policy.oneZone ? { oneZone: true as const } : {};
  const common = policy.sensitivity === 'stable' ? together : { ...together, sensitivity: policy.sensitivity };
  const places = new Map(
    (await reads.places(beaconIds)).map(({ objectId, settings = {} }) => {
      const { location, learned, ...alone } = settings;
      return [objectId, { ...common, ...(policy.oneZone ? settings : alone) }];
    }),
  );
  return (beaconId: string) => places.get(beaconId) ?? common;
};

interface Found {
  readonly sensed: Sensed;
  /** There was no batch, so nobody reads the answer. */
  readonly isTick: boolean;
}

async function judgeAll(reads: Reads, context: DecisionContext, { sensed, isTick }: Found) {
  const { record } = sensed;
  const events = sensed.events.filter(({ logged }) => logged !== true);
  const { waits } = record;
  const beaconIds = [...new Set([...events, ...waits.map(({ event }) => event)].map(({ beaconId }) => beaconId))];
  const triggers = new Map<string, readonly SiteTrigger[]>();
  // Most reports confirm nothing: rules and history are read only when there is something to judge.
  if (beaconIds.length === 0) return { verdicts: [], waits, triggers };
  for (const id of beaconIds) triggers.set(id, await reads.triggers(id));
  const withMessages = beaconIds.filter((id) => (triggers.get(id)?.length ?? 0) > 0);
  if (withMessages.length === 0 && waits.length === 0) return { verdicts: [], waits, triggers };
  const places = new Map((await reads.places(withMessages)).map((place) => [place.objectId, place]));
  const common = appRules(context.policy);
  const policies = [
    common.policy,
    ...[...triggers.values()].flatMap((all) => all.map(({ trigger }) => trigger.policy)),
  ];
  const asked: Asked = { events, sensed, context, triggers, policies };
  const past = needsPast(asked) ? await reads.firings(earliestOf(asked) - historyMs(policies)) : [];
  const joined = new Map(
    sensed.visits.flatMap(({ id, mergedInto }) => (mergedInto ? [[id, mergedInto] as const] : [])),
  );
  // What was shown in a part of a visit belongs to that part.
  const nowOf = ({ visitId, at }: Firing) =>
    sensed.parted.find(({ from, since }) => from === visitId && since <= at)?.id ?? joined.get(visitId) ?? visitId;
  const fired = past.map((one) => ({ ...one, visitId: nowOf(one) }));
  const counts = new Map<string, number>();
  if (policies.some((policy) => Boolean(policy?.nthVisit)))
    for (const id of withMessages) counts.set(id, await reads.visitCount(id));
  const exits = new Map(record.ended.map((event) => [event.visitId, event]));
  for (const event of [...sensed.changedEvents, ...events]) if (event.event === 'EXIT') exits.set(event.visitId, event);
  const provisional = new Set(record.ended.map(({ visitId }) => visitId));
  const judged = judgeEvents({
    events,
    waits,
    state: record.track,
    exitOf: (id) => exits.get(id),
    isProvisional: (id) => provisional.has(id),
    // A visitor who cannot be reached by a push may get it in the answer to a later batch.
    knownUntil: isTick && !context.hasPushTarget ? Number.NEGATIVE_INFINITY : knownUntil(record, context.now),
    now: context.now,
    rulesOf: (beaconId): Rules => {
      const { timeZone, hours } = places.get(beaconId) ?? {};
      return {
        ...common,
        triggers: (triggers.get(beaconId) ?? []).map(({ trigger }) => trigger),
        ...(timeZone === undefined ? {} : { beaconTimeZone: timeZone }),
        ...(hours === undefined ? {} : { hours }),
        hasTarget: context.hasTarget,
        hasConsent: context.permissions?.messages ?? true,
      };
    },
    fired,
    earlierVisits: (beaconId) => counts.get(beaconId) ?? 0,
  });
  return { ...judged, triggers };
}

interface Asked {
  readonly events: readonly PresenceEvent[];
  readonly sensed: Sensed;
  readonly context: DecisionContext;
  readonly triggers: ReadonlyMap<string, readonly SiteTrigger[]>;
  readonly policies: readonly Rules['policy'][];
}

/** Whether the visit, or the pass that it came from, begins with this event: its id starts with the time of its first one. */
const isFirst = ({ visitId, at }: PresenceEvent) => visitId.startsWith(timePrefix(at));

/**
 * The past is read only if a gate can need it: some trigger waits for what happened, and there are cool-downs or caps, or the
 * visit may have been reported before.
 */
function needsPast({ events, sensed, context, triggers, policies }: Asked): boolean {
  const { waits } = sensed.record;
  const begun = new Set(sensed.isLate ? [] : events.filter(isFirst).map(({ visitId }) => visitId));
  const isAsked = (event: PresenceEvent) =>
    (triggers.get(event.beaconId) ?? []).some(({ trigger }) => trigger.enabled && trigger.event === event.event);
  const asked = [...events, ...waits.map(({ event }) => event)].filter(isAsked);
  if (asked.length === 0) return false;
  if (context.policy.polite || asked.some(({ visitId }) => !begun.has(visitId))) return true;
  return policies.some((policy) => Boolean(policy?.coolDown) || (policy?.caps?.length ?? 0) > 0);
}

const earliestOf = ({ events, context }: Asked) => events.reduce((least, { at }) => Math.min(least, at), context.now);

function firedOf(
  verdicts: readonly JudgedAt[],
  triggers: ReadonlyMap<string, readonly SiteTrigger[]>,
  context: DecisionContext,
): Fired[] {
  return verdicts.flatMap(({ beaconId, verdict }) => {
    const shown = triggers.get(beaconId)?.find(({ trigger }) => trigger.id === verdict.triggerId);
    if (verdict.outcome !== 'fired' || !shown) return [];
    const content = shown.variants?.get(verdict.group ?? '') ?? shown.content;
    const worded = inWords({ ...shown, content }, context.locale);
    return [{ beaconId, verdict, ...worded, deliveryId: triggerDeliveryId(verdict, context) }];
  });
}

/** What is shown, in the language that the visitor reads. */
function inWords(shown: SiteTrigger, locale: string | null | undefined): Pick<Fired, 'shown' | 'language'> {
  const { words, content } = shown;
  const language = languageFor(words, locale);
  if (!words.translations) return { shown, language };
  const { message } = content;
  const translated = isObject(message)
    ? { ...content, message: inLanguage(message, words, language) }
    : inLanguage(content, words, language);
  return { shown: { ...shown, content: translated }, language };
}
