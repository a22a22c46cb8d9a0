import type { Firing, Sample } from '@pharos/engine';
import type { TrackRecord } from '@pharos/engine/decide';
import { allDone } from '../../../db/batch-loader.ts';
import type { Db } from '../../../db/db.ts';
import { isoTime } from '../../../http/answers.ts';
import { effectOf, isShown, nothingShown, shownEffect, unprovenEffect } from './answer/answer.ts';
import { decideOne } from './decide/decide.ts';
import { PastReads, readsOf } from './decide/past.ts';
import { freshOf, saveAnswers } from './lock/fresh.ts';
import { lockIntakes, personOf } from './lock/lock.ts';
import { type TrackCache, unknownTrack } from './lock/track-cache.ts';
import { ofMessages } from './read/decided.ts';
import { endPresence, type RecordTools, recordDecisions } from './record/record.ts';
import type { SiteReads } from './site/site.ts';
import type { Decided, Effect, Elsewhere, Fresh, Intake, ItemProblem, Locked, Report } from './stages/stages.ts';

/** Applies what batches say to the installations that they are about, in one transaction for several of them: lock, decide, record, answer. */

export interface TakeTools extends RecordTools {
  readonly trackCache: TrackCache;
}

interface Taking {
  readonly site: SiteReads;
  readonly tools: TakeTools;
}

/**
 * Takes what batches say about installations; `db` is the transaction. Effects in their order: undefined where there is no
 * such installation and, unless it is the only one, where somebody else holds it or an earlier one is about it too.
 */
export async function takeTogether(
  db: Db,
  intakes: readonly Intake[],
  taking: Taking,
): Promise<readonly (Effect | undefined)[]> {
  const effects = new Map<Intake, Effect>();
  const { locked, unproven } = await lockIntakes(db, intakes, taking.tools.trackCache);
  for (const intake of unproven) effects.set(intake, unprovenEffect(intake));
  countUnnamed(db, locked, taking.tools);
  // Nothing is done for those who have agreed neither to messages nor to being recorded.
  const allowed = (await endForbidden(db, locked)).filter(
    ({ permissions: { messages, analytics } }) => messages || analytics,
  );
  for (const { intake } of locked) effects.set(intake, nothingShown);
  const { fresh, answered } = await freshOf(db, allowed);
  noteHeard(db, fresh, taking.tools);
  for (const [one, effect] of answered) effects.set(one.intake, shownEffect(one, effect));
  const past = new PastReads(db);
  const outcomes = await allDone(fresh.map((one) => decideFresh(db, one, { ...taking, past })));
  const decided = outcomes.map((one) => one.decided);
  const answers = fresh.flatMap((one, place) => {
    const { decided, problems, elsewhere } = outcomes[place] as Outcome;
    const effect = effectOf({ ...one, problems: [...one.problems, ...problems] }, decided, elsewhere);
    effects.set(one.intake, shownEffect(one, effect));
    return one.permissions.analytics && effect.events.length + effect.messages.length > 0 ? answerOf(one, effect) : [];
  });
  await recordDecisions(db, decided, taking.tools, [
    ...saveAnswers(db.dialect, answers),
    ...(taking.tools.saveMotions?.(db.dialect, fresh.flatMap(movingOf)) ?? []),
  ]);
  return intakes.map((intake) => effects.get(intake));
}

/** Those whose phones are not named are counted by beacon and hour, when the rest is stored. */
function countUnnamed(db: Db, locked: readonly Locked[], { countSightings }: RecordTools): void {
  const unnamed = locked.filter(({ permissions }) => !permissions.analytics);
  if (unnamed.length === 0 || countSightings === undefined) return;
  db.afterCommit(() => {
    for (const { intake } of unnamed)
      for (const { observation, beacon } of intake.reports)
        countSightings(intake.sender.appId, beacon.objectId, observation.occurredAt);
  });
}

/** What phones hear of beacons says how these are, and nothing of the phones. */
function noteHeard(db: Db, fresh: readonly Fresh[], { noteHeard: note }: RecordTools): void {
  if (note === undefined) return;
  db.afterCommit(() => {
    for (const { intake, reports } of fresh.filter(({ intake }) => intake.isOwn))
      note(
        intake.sender.appId,
        reports.map(({ beacon, observation: { occurredAt: at, rssi, txPower }, telemetry }) => ({
          ...{ beaconId: beacon.objectId, at, rssi, txPower, telemetry },
        })),
      );
  });
}

/**
 * How the phone moves now, if that is another way than before. The time of a change of a phone that others know under daily names would
 * tell which of these are its.
 */
function movingOf({ intake, lock, permissions, reports }: Fresh) {
  const { appId, policy, now } = intake.sender;
  if (!intake.isOwn || !permissions.analytics || policy.pseudonyms === 'daily') return [];
  const motions = reports.flatMap(({ motion, observation: { occurredAt } }) =>
    motion === undefined ? [] : [{ motion, at: Math.min(occurredAt, now) }],
  );
  const newest = motions.reduce<(typeof motions)[number] | undefined>(
    (last, one) => (last !== undefined && last.at > one.at ? last : one),
    undefined,
  );
  const { moving } = lock;
  if (newest === undefined || newest.motion === moving?.motion || newest.at <= (moving?.at ?? 0)) return [];
  return [{ appId, installationId: lock.objectId, ...newest }];
}

/** Reported times are never ahead of the service's: by so much, its own clock was wrong. */
const aheadMs = 3_600_000;

/** All that such a phone reports now would be late, and without messages, until that day is over. */
const isAhead = (record: TrackRecord | undefined, now: number) => (record?.track.at ?? 0) > now + aheadMs;

/** Samples are kept only of those who have agreed. */
export const isRecorded = (record: TrackRecord | undefined): boolean => (record?.segments.length ?? 0) > 0;

/** Ends presence that was recorded before the app asked for consent, and that of a day that is still to come. */
async function endForbidden(db: Db, locked: readonly Locked[]): Promise<Locked[]> {
  const left: Locked[] = [];
  for (const one of locked) {
    const { permissions, track } = one;
    const { now } = one.intake.sender;
    const isForbidden = !permissions.analytics && isRecorded(track.record);
    if (!isForbidden && !isAhead(track.record, now)) left.push(one);
    else {
      await endPresence(db, { ...track.key, now });
      left.push({ ...one, track: unknownTrack(track.key) });
    }
  }
  return left;
}

const sampleOf = ({ observation, beacon }: Report): Sample => ({ ...observation, beaconId: beacon.objectId });

interface Outcome {
  readonly decided: Decided;
  /** With what the phone says that it has decided. */
  readonly problems: readonly ItemProblem[];
  readonly elsewhere: readonly Elsewhere[] | undefined;
}

/** What the phone itself has decided, which nobody else may say of it. */
async function onPhone(db: Db, fresh: Fresh, site: SiteReads) {
  const { decided: reported, intake } = fresh;
  if (reported === undefined) return { reported, problems: [] };
  // Whoever is not shown what follows does not learn either that this was left out.
  if (!intake.isOwn || !isShown(fresh)) return { reported: undefined, problems: [] };
  const { decided, problems } = await ofMessages({ db, site, appId: intake.sender.appId }, reported);
  return { reported: decided, problems };
}

/** How long messages of the person's other phones are kept: the longest that a limit per day can reach back. */
const elsewhereMs = 50 * 3_600_000;
const maxElsewhere = 200;

const elsewhereOf = (fired: readonly Firing[]): Elsewhere[] =>
  fired
    .filter(({ isElsewhere }) => isElsewhere === true)
    .slice(-maxElsewhere)
    .map(({ triggerId, at }) => ({ triggerId, shownAt: isoTime(at) }));

async function decideFresh(
  db: Db,
  fresh: Fresh,
  { site, tools, past }: Taking & { readonly past: PastReads },
): Promise<Outcome> {
  const { intake, lock, permissions, track, reports, keys, clock, retimed } = fresh;
  const { appId, policy, now } = intake.sender;
  const { objectId: installationId, hasPushTarget, heldSince, locale, model } = lock;
  const times = reports.map(({ observation }) => observation.occurredAt);
  const seedOf = await tools.seedsFor?.(db, { appId, installationId, times, now });
  const hasTarget = (intake.isOwn && isShown(fresh)) || hasPushTarget;
  const { reported, problems } = await onPhone(db, fresh, site);
  const reads = readsOf(db, { appId, installationId, userId: personOf(lock), model, site, past });
  const whose = { installationId, seedOf, heldSince, permissions, locale, model };
  const decided = await decideOne(tools.trackCache, {
    appId,
    context: { ...whose, policy, now, hasTarget, hasPushTarget, decided: reported, retimed },
    track,
    samples: reports.map(sampleOf),
    reads,
    keys,
    clock: intake.isOwn ? clock : undefined,
    why: 'batch',
  });
  return { decided, problems, elsewhere: reported && elsewhereOf(await reads.firings(now - elsewhereMs)) };
}

function answerOf({ intake, lock }: Locked, effect: Effect) {
  const { batchKey: key, sender } = intake;
  if (key === undefined) return [];
  const { appId, now } = sender;
  return [{ appId, installationId: lock.objectId, key, answer: JSON.stringify(effect), now }];
}
