import { newClock, type Sample, type Seeding } from '@pharos/engine';
import { permissionsOf } from '../../../access/consent.ts';
import { isProven, notProven } from '../../../access/installation-proof.ts';
import { allDone } from '../../../db/batch-loader.ts';
import type { Db } from '../../../db/db.ts';
import type { Placed } from '../batch/placing.ts';
import { correctTimes } from '../batch/times.ts';
import { type Decision, type DecisionContext, decide, type Reads } from '../decide/decide.ts';
import { lockNamed, lockPersons, personOf } from '../decide/installation-locks.ts';
import { nothingKept, PastReads } from '../decide/past-reads.ts';
import { newRecord, type TrackRecord } from '../decide/track-record.ts';
import * as store from '../decide/track-store.ts';
import { type HeldTracks, type Known, nothingUnwritten } from '../held/held-tracks.ts';
import { type Settled, settle, startWith } from '../held/settle.ts';
import type { Decided } from '../record/decided-rows.ts';
import { endPresence } from '../record/end-presence.ts';
import { saveAnswers, saveKeys } from '../record/key-store.ts';
import { type RecordTools, recordDecisions } from '../record/record.ts';
import { type SiteReads, storedSite } from '../site/site-cache.ts';
import type { TrackKey } from '../traces/told-store.ts';
import { answeredEvents, answeredMessages, answeredNearest } from './answer.ts';
import { withoutRepeated } from './repeated.ts';
import type { Effect, Held, Intake, Locked, Timely } from './taking.ts';

/** Applies sightings to the installations that they are about, in one transaction for several of them. */

/** Whom a track belongs to, and how it is read. */
export interface TrackOwner {
  readonly appId: string;
  readonly installationId: string;
  /** The person who is signed in on it. */
  readonly userId: string | null;
  /** The model of the phone. */
  readonly model?: string | null;
  readonly site?: SiteReads;
  /** Shared by concurrent decisions. */
  readonly past?: PastReads;
}

/** The engine's reads in a transaction that holds the installation. */
export function readsOf(
  db: Db,
  { appId, installationId, userId, model = null, site = storedSite, past = new PastReads(db) }: TrackOwner,
): Reads {
  const key = { appId, installationId };
  return {
    record: () => past.record(key),
    ear: () => past.ear({ ...key, model }),
    places: (beaconIds) =>
      beaconIds.length === 0 ? Promise.resolve([]) : site.beaconsById(db, appId, [...new Set(beaconIds)]),
    triggers: (beaconId) => site.triggers(db, appId, beaconId),
    ...past.of(key, userId),
  };
}

export interface TakeTools extends RecordTools {
  readonly held: HeldTracks;
}

/**
 * Takes what batches say about installations; `db` is the transaction. Effects in their order: undefined where there is no
 * such installation and, unless it is the only one, where somebody else holds it or an earlier one is about it too.
 */
export async function takeTogether(
  db: Db,
  intakes: readonly Intake[],
  { site, tools }: { readonly site: SiteReads; readonly tools: TakeTools },
): Promise<readonly (Effect | undefined)[]> {
  const effects = new Map<Intake, Effect>();
  const had = await lock(db, intakes);
  const found = had.filter(({ intake, lock }) => isProven(lock, intake.sender));
  for (const one of had) if (!found.includes(one)) effects.set(one.intake, unprovenEffect(one.intake));
  const tracks = await tools.held.read(db, found.map(trackKeyOf));
  const knownOf = (key: TrackKey) => tracks.get(store.keyText(key)) ?? unknownTrack(key);
  const { locked, trackOf } = await withoutForbidden(db, found, knownOf);
  const timed = locked.map((one) => withTimes(one, trackOf(one)));
  countUnnamed(db, found, tools);
  for (const one of found) if (!locked.includes(one)) effects.set(one.intake, nothingShown);
  const held: Held[] = [];
  for (const one of await withoutRepeated(db, timed)) {
    if (one.kind === 'fresh') held.push(one);
    else effects.set(one.intake, shownEffect(one, one.answer));
  }
  const past = new PastReads(db);
  const decisions = await allDone(
    held.map(async (one) => {
      const { appId } = one.intake.sender;
      const owner = {
        appId,
        installationId: one.lock.objectId,
        userId: personOf(one.lock),
        model: one.lock.model,
        site,
        past,
      };
      const { fresh } = one;
      const seedOf = await tools.seedsFor?.(db, {
        appId,
        installationId: one.lock.objectId,
        times: fresh.map(({ item }) => item.observation.occurredAt),
        now: one.intake.sender.now,
      });
      return decideForOne({ ...one, seedOf }, readsOf(db, owner), tools.held);
    }),
  );
  const answers: AnswerToKeep[] = [];
  for (const { held, effect } of decisions) {
    effects.set(held.intake, shownEffect(held, effect));
    if (held.permissions.analytics && effect.events.length + effect.messages.length > 0)
      answers.push({ ...held, effect });
  }
  const keys = decisions.flatMap(({ held, keys }) => {
    const { appId, now } = held.intake.sender;
    return keys.map((key) => ({ appId, installationId: held.lock.objectId, key, now }));
  });
  const more = [...saveAnswers(db.dialect, answers.flatMap(answerOf)), ...saveKeys(db.dialect, keys)];
  const decided = decisions.map((one) => one.decided);
  await recordDecisions(db, decided, tools, more);
  db.afterCommit(() => {
    for (const { afterCommit } of decisions) afterCommit();
  });
  return intakes.map((intake) => effects.get(intake));
}

const trackKeyOf = ({ intake, lock }: Locked) => ({
  appId: intake.sender.appId,
  installationId: lock.objectId,
});

function withTimes(locked: Locked, known: Known): Timely {
  const { placed, sentAt, isOwn, sender } = locked.intake;
  // A gateway's clock is not that of the tags that it hears.
  const clock = isOwn ? (known.record?.clock ?? newClock) : newClock;
  return { ...locked, known, timed: correctTimes(placed, { clock, sentAt, now: sender.now }) };
}

/** The sender is the phone, as far as can be known of one that belongs to nobody, or its user. A tag is heard by everybody. */
function isTheirs({ intake: { sender, isOwn }, lock }: Locked): boolean {
  if (lock.isUnproven) return false;
  if (lock.userId !== null) return lock.userId === sender.userId;
  return isOwn && isKnownEnough(sender, lock) && isProven(lock, { ...sender, seesAll: false });
}

/**
 * Whoever may read visits sees the objectId. Where an app requires secrets, a phone from before that has none shows its own id at least;
 * elsewhere phones may be used to naming themselves either way.
 */
const isKnownEnough = ({ policy }: Intake['sender'], { secretHash, isByOwnId }: Locked['lock']) =>
  secretHash !== null || isByOwnId || policy.installationProof !== 'required';

/**
 * Only the visitor, a phone that belongs to nobody, and whoever may read all events learn what follows. Somebody who only reports would
 * learn from an EXIT that was made up, or from an ENTER that is missing, where somebody is.
 */
function isShown(locked: Locked): boolean {
  const { sender, isOwn } = locked.intake;
  // Somebody who reports other people's phones would learn which visits are whose.
  return sender.policy.pseudonyms === 'daily' ? isOwn && isTheirs(locked) : sender.seesWhereabouts || isTheirs(locked);
}

const nothingShown: Effect = { events: [], messages: [], nearest: [], duplicates: 0, problems: [], clockError: 0 };

function unprovenEffect({ placed }: Intake): Effect {
  const { message } = notProven();
  const problems = placed.map(({ item }) => ({ index: item.index, code: 'not_proven', message }));
  return { ...nothingShown, problems, isUnproven: true };
}

const shownEffect = (locked: Locked, effect: Effect): Effect => (isShown(locked) ? effect : nothingShown);

/** Those whose installation could be locked, each installation and each person once. */
async function lock(db: Db, intakes: readonly Intake[]): Promise<Locked[]> {
  const named = intakes.map(({ sender: { appId }, id, isOwn }) => ({ appId, id, isClients: isOwn }));
  const locks = await lockNamed(db, named);
  const seen = new Set<string>();
  const own = intakes.flatMap((intake, index) => {
    const found = locks[index];
    if (!found) return [];
    const { appId } = intake.sender;
    const person = personOf(found);
    const keys = [`${appId} ${found.objectId}`, ...(person === null ? [] : [`${appId} ${person}`])];
    if (keys.some((key) => seen.has(key))) return [];
    for (const key of keys) seen.add(key);
    const permissions = permissionsOf(found.consents, intake.sender.policy);
    return [{ intake, lock: found, permissions, person }];
  });
  const persons = own.flatMap(({ intake, person }) =>
    person === null ? [] : [{ appId: intake.sender.appId, userId: person }],
  );
  const had = new Set(
    (await lockPersons(db, persons, intakes.length === 1)).map(({ appId, userId }) => `${appId} ${userId}`),
  );
  return own.filter(({ intake, person }) => person === null || had.has(`${intake.sender.appId} ${person}`));
}

type KnownOf = (key: TrackKey) => Known;

const unknownTrack = (key: TrackKey): Known => ({
  key,
  record: undefined,
  stored: undefined,
  unwritten: nothingUnwritten,
  apart: [],
  seen: undefined,
});

/**
 * Leaves out those who have agreed neither to messages nor to being recorded: for them the engine does nothing. Presence recorded
 * before the app asked for consent ends here, and so does that of a day that is still to come.
 */
async function withoutForbidden(db: Db, found: readonly Locked[], knownOf: KnownOf) {
  const ended = new Set<Locked>();
  for (const one of found) {
    const { record } = knownOf(trackKeyOf(one));
    const isForbidden = !one.permissions.analytics && isRecorded(record);
    if (!isForbidden && !isAhead(record, one.intake.sender.now)) continue;
    await endPresence(db, { ...trackKeyOf(one), now: one.intake.sender.now });
    ended.add(one);
  }
  return {
    locked: found.filter(({ permissions: { messages, analytics } }) => messages || analytics),
    trackOf: (one: Locked) => {
      const known = knownOf(trackKeyOf(one));
      return ended.has(one) ? { ...unknownTrack(known.key), seen: known.seen } : known;
    },
  };
}

/** Reported times are never ahead of the service's: by so much, its own clock was wrong. */
const aheadMs = 3_600_000;

/** All that such a phone reports now would be late, and without messages, until that day is over. */
const isAhead = (record: TrackRecord | undefined, now: number) => (record?.track.at ?? 0) > now + aheadMs;

/** Samples are kept only of those who have agreed. */
export const isRecorded = (record: TrackRecord | undefined): boolean => (record?.segments.length ?? 0) > 0;

/** Those whose phones are not named are counted by beacon and hour, when the rest is stored. */
function countUnnamed(db: Db, found: readonly Locked[], { countSightings }: RecordTools): void {
  const unnamed = found.filter(({ permissions }) => !permissions.analytics);
  if (unnamed.length === 0 || countSightings === undefined) return;
  db.afterCommit(() => {
    for (const { intake } of unnamed)
      for (const { item, beacon } of intake.placed)
        countSightings(intake.sender.appId, beacon.objectId, item.observation.occurredAt);
  });
}

const sampleOf = ({ item, beacon }: Placed): Sample => ({ ...item.observation, beaconId: beacon.objectId });

interface DecidedForOne extends Pick<Settled, 'keys' | 'afterCommit'> {
  readonly held: Held;
  readonly decided: Decided;
  readonly effect: Effect;
}

async function decideForOne(held: Held & Seeding, stored: Reads, tracks: HeldTracks): Promise<DecidedForOne> {
  const { intake, lock, permissions, timed, fresh, known, keys, seedOf } = held;
  const { appId, policy, now } = intake.sender;
  const { objectId: installationId, hasPushTarget, heldSince, locale, model } = lock;
  const { clock, error } = timed;
  const start = await startWith(known, fresh.map(sampleOf), stored.record);
  const ear = start.record === undefined && permissions.analytics && policy.oneZone ? await stored.ear?.() : null;
  const record = { ...(start.record ?? newRecord(now, ear)), ...(intake.isOwn ? { clock } : {}) };
  const reads: Reads = { ...stored, record: async () => record };
  const hasTarget = (intake.isOwn && isShown(held)) || hasPushTarget;
  const context: DecisionContext = {
    installationId,
    seedOf,
    policy,
    now,
    hasTarget,
    hasPushTarget,
    heldSince,
    permissions,
    locale,
    model,
  };
  const { analytics } = permissions;
  const decision = await decide(analytics ? reads : { ...reads, kept: nothingKept }, context, start.samples);
  const settled = settle(tracks, {
    start,
    decision: analytics ? decision : withoutTrail(decision),
    now,
    keys,
    isDue: intake.isFlush === true && (known.unwritten.since !== undefined || known.apart.length > 0),
  });
  const found = start.duplicates + decision.sensed.duplicates;
  const duplicates = timed.placed.length - fresh.length + Math.min(fresh.length, found);
  return {
    held,
    keys: settled.keys,
    afterCommit: settled.afterCommit,
    decided: { ...settled, recording: { appId, context } },
    effect: effectOf(decision, { duplicates, problems: timed.problems, clockError: error }),
  };
}

/** Of those who are not named no samples are kept. */
export const withoutTrail = (decision: Decision): Decision => ({
  ...decision,
  record: { ...decision.record, segments: [], told: null },
  sensed: { ...decision.sensed, written: [], dropped: [] },
});

function effectOf(decision: Decision, rest: Pick<Effect, 'duplicates' | 'problems' | 'clockError'>): Effect {
  const events = answeredEvents([decision]);
  return { events, messages: answeredMessages([decision]), nearest: answeredNearest(decision), ...rest };
}

interface AnswerToKeep extends Locked {
  readonly effect: Effect;
}

function answerOf({ intake, lock, effect }: AnswerToKeep) {
  const { batchKey: key, sender } = intake;
  if (key === undefined) return [];
  const { appId, now } = sender;
  return [{ appId, installationId: lock.objectId, key, answer: JSON.stringify(effect), now }];
}

/** Groups in the order of their keys, so that the same batch is always dealt with alike. */
export function groupBy<T>(values: readonly T[], key: (value: T) => string): T[][] {
  return [...Map.groupBy(values, key)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}
