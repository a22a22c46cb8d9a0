import type { Retimed } from '../clock.ts';
import { timePrefix } from '../presence/ids.ts';
import type { PresenceEvent, Sample } from '../presence/types.ts';
import { judgeEvents } from '../rules/judging.ts';
import type { Firing, Rules, Trigger, Verdict } from '../rules/rule-types.ts';
import { compareSamples, endings } from '../track.ts';
import type { Decision, DecisionContext, JudgedAt, Reads, Sensed } from './decision.ts';
import { goOn, type KnownSite, nothing, type Sensing } from './in-order.ts';
import { goBack, join, rememberLoneExits } from './late.ts';
import { firedOf } from './messages.ts';
import {
  answerOf,
  earliestShown,
  eventOf,
  newlyShown,
  nothingDecided,
  type Shown,
  shownVerdict,
  stillAwaited,
} from './on-phone.ts';
import { appRules, type DecidingPolicy, historyMs, isForgetful } from './policy.ts';
import type { Reconciled } from './reconcile.ts';
import {
  deadlineOf,
  isTakenIn,
  knownUntil,
  lateMs,
  newRecord,
  patienceOf,
  type TrackRecord,
  withProcessed,
  withSpan,
} from './record.ts';
import type { SiteTrigger } from './triggers.ts';
import { whereaboutsOf } from './whereabouts.ts';

/**
 * From what was sent to what must be reported. Presence is a function of when things were sensed: samples that are newer than all
 * before are applied as they arrive, others are inserted among the kept samples and everything from there on is recalculated.
 * What differs from what was reported is corrected.
 */

async function sense(sensing: Sensing): Promise<Sensed> {
  const samples = [...sensing.samples].sort(compareSamples);
  const done = await place(sensing, samples);
  return sensing.keptSince === undefined ? done : rememberLoneExits(done, samples, sensing.now);
}

/** `samples`: those of `sensing`, in order. */
async function place(sensing: Sensing, samples: readonly Sample[]): Promise<Sensed> {
  const { track, processed } = sensing.record;
  const record = { ...rememberSpan(sensing.record, samples), processed: withProcessed(processed, samples) };
  const horizon = horizonOf(record, sensing.keptSince);
  const isKept = (sample: Sample) => horizon === null || sample.occurredAt >= horizon;
  const isEnd = (sample: Sample) => !isKept(sample) && endsAtOnce(track, sample);
  const kept = samples.filter((sample) => isKept(sample) || isEnd(sample));
  const early = samples.filter((sample) => !isKept(sample) && !isEnd(sample));
  const old = early.filter((sample) => !isTakenIn(processed, sample));
  const repeated = early.length - old.length;
  const joined = old.length === 0 ? undefined : await join({ ...sensing, samples: old });
  if (kept.length === 0 && sensing.retimed === undefined)
    return { ...nothing(record), duplicates: repeated, ...joined, isLate: true };
  const [first] = kept;
  const isAfter = first === undefined || track.at === null || first.occurredAt > track.at || isEnd(first);
  const isNewer = isAfter && (sensing.retimed === undefined || track.at === null);
  const next = { ...sensing, record, samples: kept };
  const done = isNewer ? await goOn(next) : await goBack(next);
  const duplicates = done.duplicates + repeated;
  return joined === undefined ? { ...done, duplicates } : { ...done, ...both(joined, done), duplicates };
}

/** From when on (ms) samples can be inserted among others; null: whenever they were sensed. */
function horizonOf({ horizon, segments, track }: TrackRecord, keptSince: number | undefined): number | null {
  const known = horizon ?? (segments.length === 0 ? track.at : null);
  if (keptSince === undefined || track.at === null) return known;
  const whole = segments.find(([start]) => start >= keptSince)?.[0] ?? track.at + 1;
  return Math.max(whole, known ?? whole);
}

/** Times that turned out to be wrong are moved if all samples that this concerns are kept. */
export function movable(
  record: TrackRecord | undefined,
  { retimed, policy, now }: Pick<DecisionContext, 'retimed' | 'policy' | 'now'>,
): Retimed | undefined {
  if (retimed === undefined || record === undefined) return undefined;
  const horizon = horizonOf(record, keptSinceOf(policy, now));
  return horizon === null || retimed.since + Math.min(0, retimed.by) >= horizon ? retimed : undefined;
}

/** From when on (ms) what was reported is there, if the app's retention is zero. */
const keptSinceOf = (policy: DecidingPolicy, now: number) => (isForgetful(policy) ? now - lateMs : undefined);

/** A phone's EXIT at the instant of the newest sample, from the beacon where the phone is: it may come in a separate request. */
const endsAtOnce = ({ at, beacons }: TrackRecord['track'], { event, occurredAt, beaconId }: Sample) =>
  event === 'EXIT' && occurredAt === at && (beacons[beaconId]?.visit ?? null) !== null;

const both = (a: Reconciled, b: Sensed) => ({
  events: [...a.events, ...b.events],
  changedEvents: [...a.changedEvents, ...b.changedEvents],
  removedEvents: [...a.removedEvents, ...b.removedEvents],
  visits: [...a.visits, ...b.visits],
  parted: [...a.parted, ...b.parted],
  isLate: true,
});

function rememberSpan(record: TrackRecord, samples: readonly Sample[]): TrackRecord {
  const heard = samples.filter(({ event }) => event === undefined);
  if (heard.length === 0) return record;
  const span = (heard.at(-1) as Sample).occurredAt - (heard[0] as Sample).occurredAt;
  return { ...record, spans: withSpan(record.spans, span) };
}

/** What happens merely because time passes: visits whose silence has lasted long enough. */
function passTime(
  { installationId, seedOf }: Pick<Sensing, 'installationId' | 'seedOf'>,
  record: TrackRecord,
  now: number,
): Sensed {
  const until = knownUntil(record, now);
  const endedIds = new Set(record.ended.map(({ visitId }) => visitId));
  const events = endings({ installationId, seedOf, state: record.track, until, patience: patienceOf(record) }).filter(
    ({ visitId }) => !endedIds.has(visitId),
  );
  return { ...nothing({ ...record, ended: [...record.ended, ...events] }), events };
}

/** The input of one call of the engine and what follows from its result; the same for a report, a deadline and a rehearsal. */

/** Weighs samples with corrected times, in any order; null: only time has passed. */
export async function decide(
  reads: Reads,
  context: DecisionContext,
  samples: readonly Sample[] | null,
): Promise<Decision> {
  const { installationId, seedOf, now, heldSince, retimed } = context;
  const stored = await reads.record();
  const record = stored ?? newRecord(now, context.policy.oneZone ? await reads.receiverOffset?.() : null);
  const sensed =
    samples === null
      ? passTime({ installationId, seedOf }, record, now)
      : await sense({
          installationId,
          seedOf,
          record,
          samples,
          now,
          siteOf: siteFrom(reads, context.policy),
          kept: reads.kept,
          heldSince,
          retimed,
          keptSince: keptSinceOf(context.policy, now),
        });
  const hasChanged =
    samples === null || sensed.duplicates < samples.length || sensed.events.length > 0 || sensed.visits.length > 0;
  const onPhone = await reportedBy(reads, context, record);
  const answers = new Answers(onPhone);
  const judged = await judgeAll(reads, context, { sensed, isTick: samples === null, answers });
  const earlier = await shownEarlier(reads, answers.left(onPhone.fresh));
  const verdicts = [...judged.verdicts, ...earlier.verdicts];
  const { whereabouts, reported } = whereaboutsOf(sensed.record);
  const decided = { until: onPhone.until, shown: [...answers.left(onPhone.awaited), ...earlier.awaited] };
  const next = { ...sensed.record, waits: judged.waits, reported, decided };
  return {
    installationId,
    sensed,
    events: sensed.events,
    verdicts,
    fired: firedOf(
      judged.verdicts.filter(({ verdict }) => !answers.has(verdict)),
      judged.triggers,
      context,
    ),
    shown: [...judged.verdicts.filter(({ verdict }) => answers.has(verdict, onPhone.fresh)), ...earlier.verdicts],
    awaited: earlier.awaited,
    triggers: judged.triggers,
    record: next,
    whereabouts,
    isPushed: context.hasPushTarget,
    deadline: deadlineOf(next, context.hasPushTarget),
    hasChanged: onPhone.fresh.length > 0 || (hasChanged && (samples === null || samples.length > 0)),
  };
}

/** What the phone has decided by itself, as far as it is not known. */
interface ReportedDecisions {
  readonly until: number;
  readonly fresh: readonly Shown[];
  /** Messages that the phone reported as shown, and for which no event has been found yet. */
  readonly awaited: readonly Shown[];
}

async function reportedBy(
  reads: Reads,
  { decided, now }: DecisionContext,
  record: TrackRecord,
): Promise<ReportedDecisions> {
  const awaited = stillAwaited(record.decided.shown, now);
  const until = Math.max(record.decided.until, decided?.until ?? nothingDecided.until);
  if (decided === undefined || decided.shown.length === 0) return { until, fresh: [], awaited };
  const fired = await reads.firings(earliestShown(decided.shown));
  return { until, fresh: newlyShown(decided, { awaited, fired }), awaited };
}

/** What the phone has answered, each once. */
class Answers {
  readonly until: number;
  readonly #left: Set<Shown>;
  readonly #given = new Map<Verdict, Shown>();

  constructor({ until, fresh, awaited }: ReportedDecisions) {
    this.until = until;
    this.#left = new Set([...awaited, ...fresh]);
  }

  answerOf(trigger: Trigger, event: PresenceEvent, at: number): Verdict | undefined {
    const { beaconId, event: kind } = event;
    const one = answerOf([...this.#left], { triggerId: trigger.id, beaconId, event: kind, at });
    if (one === undefined) return undefined;
    this.#left.delete(one);
    const verdict = shownVerdict(trigger, event, one);
    this.#given.set(verdict, one);
    return verdict;
  }

  has(verdict: Verdict, among?: readonly Shown[]): boolean {
    const one = this.#given.get(verdict);
    return one !== undefined && (among?.includes(one) ?? true);
  }

  left = (of: readonly Shown[]): readonly Shown[] => of.filter((one) => this.#left.has(one));
}

/** Messages that the phone reports for events already judged. */
async function shownEarlier(reads: Reads, left: readonly Shown[]) {
  const verdicts: JudgedAt[] = [];
  const awaited: Shown[] = [];
  const events = left.length === 0 ? [] : await reads.kept.events({ after: earliestShown(left), visitIds: [] });
  for (const one of left) {
    const event = eventOf(one, events);
    const found = (await reads.triggers(one.beaconId)).find(({ trigger }) => trigger.id === one.triggerId);
    if (event === undefined || found === undefined) awaited.push(one);
    else verdicts.push({ beaconId: one.beaconId, verdict: shownVerdict(found.trigger, event, one) });
  }
  return { verdicts, awaited };
}

/** What counts for a beacon: its own settings before those of the app. */
export const siteFrom =
  (reads: Pick<Reads, 'places'>, policy: DecidingPolicy) =>
  async (beaconIds: readonly string[]): Promise<KnownSite> => {
    const together = policy.oneZone ? { oneZone: true as const } : {};
    const common = policy.sensitivity === 'stable' ? together : { ...together, sensitivity: policy.sensitivity };
    const places = await reads.places(beaconIds);
    const settings = new Map(
      places.map(({ objectId, settings = {} }) => {
        const { location, learned, ...alone } = settings;
        return [objectId, { ...common, ...(policy.oneZone ? settings : alone) }];
      }),
    );
    const maps = new Map(policy.oneZone ? places.flatMap(({ objectId, map }) => (map ? [[objectId, map]] : [])) : []);
    return { settingsOf: (id) => settings.get(id) ?? common, mapOf: (id) => maps.get(id) };
  };

interface Found {
  readonly sensed: Sensed;
  /** There was no batch, so nobody reads the answer. */
  readonly isTick: boolean;
  readonly answers: Answers;
}

async function judgeAll(reads: Reads, context: DecisionContext, { sensed, isTick, answers }: Found) {
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
    answerOf: (trigger, event, at) => answers.answerOf(trigger, event, at),
    decidedUntil: answers.until,
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
