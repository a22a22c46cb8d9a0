import type { AppPolicy } from '../../../access/policy.ts';
import type { Db } from '../../../db/db.ts';
import type { Observation } from '../../../proximity/index.ts';
import { decide, Past, type Reads, type Turn } from '../decide/decide.ts';
import { lockNamed, type NamedLock } from '../decide/installation-locks.ts';
import * as store from '../decide/presence-store.ts';
import { findAnswers, keyText, noteKeys, saveAnswers } from '../record/key-store.ts';
import { type Decided, type RecordTools, recordDecisions } from '../record/record.ts';
import { type SiteReads, storedSite } from '../site/site-cache.ts';
import type { SiteBeacon } from '../site/site-store.ts';
import { type AnsweredEvent, type AnsweredMessage, answeredEvents, answeredMessages } from './answer.ts';
import { type ItemProblem, keyOf, type Placed } from './intake.ts';

/** What sightings do to the installations that they are about, in one transaction for several of them. */

export interface Sender {
  readonly appId: string;
  readonly policy: AppPolicy;
  /** When the batch arrived, ms. */
  readonly now: number;
  /** The signed-in user, if any. */
  readonly userId: string | undefined;
  /** A manager of the app, or an administrator. */
  readonly seesAll: boolean;
}

/** What one batch says about one installation. */
export interface Intake {
  readonly sender: Sender;
  /** Our id, or else where it sent the batch itself the client's own, which comes first. */
  readonly id: string;
  /** The installation itself has sent the batch and reads the answer. */
  readonly isOwn: boolean;
  readonly placed: readonly Placed[];
  readonly isCorrected: boolean;
  readonly batchKey: string | undefined;
}

/** What a batch did to one installation. */
export interface Effect {
  readonly events: readonly AnsweredEvent[];
  readonly messages: readonly AnsweredMessage[];
  readonly duplicates: number;
  readonly problems: readonly ItemProblem[];
}

/** The engine's reads in a transaction that holds the installation. */
export function readsOf(db: Db, appId: string, installationId: string, site: SiteReads = storedSite): Reads {
  return {
    presence: (beaconId) => store.findPresence(db, { appId, installationId, beaconId }),
    triggers: (beaconId) => site.triggers(db, appId, beaconId),
    firings: (since) => store.findFirings(db, { appId, installationId, since }),
  };
}

/** An intake whose installation is locked, and what of it has not been counted yet. */
interface Held {
  readonly intake: Intake;
  readonly lock: NamedLock;
  readonly fresh: readonly Placed[];
}

/**
 * Takes what batches say about installations; `db` is the transaction. Effects in their order: undefined where there is no
 * such installation and, unless it is the only one, where somebody else holds it or an earlier one is about it too.
 */
export async function takeTogether(
  db: Db,
  intakes: readonly Intake[],
  { site, tools }: { readonly site: SiteReads; readonly tools: RecordTools },
): Promise<readonly (Effect | undefined)[]> {
  const effects = new Map<Intake, Effect>();
  const locked = await lock(db, intakes);
  const held: Held[] = [];
  for (const { fresh, ...one } of await withoutRepeated(db, locked)) {
    if (Array.isArray(fresh)) held.push({ ...one, fresh });
    else effects.set(one.intake, shownEffect(one, fresh as Effect));
  }
  const presenceOf = await store.findPresences(db, held.flatMap(placesOf));
  const decided: Decided[] = [];
  const answers: AnswerToKeep[] = [];
  for (const one of held) {
    const work = { ...one, presenceOf, reads: readsOf(db, one.intake.sender.appId, one.lock.objectId, site) };
    const { effect, decided: own } = await decideForOne(work);
    decided.push(...own);
    effects.set(one.intake, shownEffect(one, effect));
    if (effect.events.length + effect.messages.length > 0) answers.push({ ...one, effect });
  }
  await recordDecisions(db, decided, tools, saveAnswers(db.dialect, answers.flatMap(answerOf)));
  return intakes.map((intake) => effects.get(intake));
}

type Locked = Pick<Held, 'intake' | 'lock'>;

/** Where somebody is, only she, managers, and the phone that belongs to nobody are told. */
const isShown = ({ intake: { sender }, lock }: Locked) =>
  sender.seesAll || (!lock.isUnproven && (lock.userId === null || lock.userId === sender.userId));

const nothingShown: Effect = { events: [], messages: [], duplicates: 0, problems: [] };

function shownEffect(locked: Locked, effect: Effect): Effect {
  return isShown(locked) ? effect : nothingShown;
}

/** Those whose installation could be had, each installation once. */
async function lock(db: Db, intakes: readonly Intake[]): Promise<Locked[]> {
  const named = intakes.map(({ sender: { appId }, id, isOwn }) => ({ appId, id, isClients: isOwn }));
  const locks = await lockNamed(db, named);
  const seen = new Set<string>();
  return intakes.flatMap((intake, index) => {
    const found = locks[index];
    const key = `${intake.sender.appId} ${found?.objectId}`;
    if (!found || seen.has(key)) return [];
    seen.add(key);
    return [{ intake, lock: found }];
  });
}

interface Keyed extends Locked {
  readonly keyed: readonly { readonly one: Placed; readonly key: string | undefined }[];
  readonly keys: readonly string[];
}

type Unrepeated = Locked & { readonly fresh: readonly Placed[] | Effect };

/** Of each what has not been counted yet, or the earlier answer to the same batch. */
async function withoutRepeated(db: Db, locked: readonly Locked[]): Promise<Unrepeated[]> {
  const all = locked.map(keyedOf);
  const scopeOf = ({ intake, lock }: Locked) => ({ appId: intake.sender.appId, installationId: lock.objectId });
  const news = all.flatMap((one) => one.keys.map((key) => ({ ...scopeOf(one), key, now: one.intake.sender.now })));
  const noted = await noteKeys(db, news);
  const freshOf = (one: Keyed) => new Set(one.keys.filter((key) => noted.has(keyText({ ...scopeOf(one), key }))));
  // A batch with keys of which none is known has not been here before.
  const asked = all.flatMap((one) => {
    const { batchKey, placed, sender } = one.intake;
    if (batchKey === undefined || placed.length === 0) return [];
    if (one.keys.length > 0 && freshOf(one).size === one.keys.length) return [];
    return [{ ...scopeOf(one), key: batchKey, since: sender.now - sender.policy.pushTimeToLive * 1000 }];
  });
  const answers = await findAnswers(db, asked);
  return all.map((one) => {
    const { intake, lock, keyed } = one;
    const { batchKey } = intake;
    const answer = batchKey === undefined ? undefined : answers.get(keyText({ ...scopeOf(one), key: batchKey }));
    if (answer !== undefined) return { intake, lock, fresh: JSON.parse(answer) as Effect };
    const fresh = freshOf(one);
    // One key twice in a batch counts once.
    return {
      intake,
      lock,
      fresh: keyed.filter(({ key }) => key === undefined || fresh.delete(key)).map((of) => of.one),
    };
  });
}

function keyedOf({ intake, lock }: Locked): Keyed {
  const keyed = intake.placed.map((one) => ({ one, key: keyOf(one, lock.objectId, intake.isCorrected) }));
  return { intake, lock, keyed, keys: [...new Set(keyed.flatMap(({ key }) => key ?? []))] };
}

const beaconIdsOf = ({ fresh }: Held) => new Set(fresh.map(({ beacon }) => beacon.objectId));

function placesOf(held: Held): store.PresenceKey[] {
  const { appId } = held.intake.sender;
  return [...beaconIdsOf(held)].map((beaconId) => ({ appId, installationId: held.lock.objectId, beaconId }));
}

interface OneHeld extends Held {
  readonly presenceOf: (key: store.PresenceKey) => store.Stored | undefined;
  readonly reads: Reads;
}

async function decideForOne({ intake, lock, fresh, presenceOf, reads: stored }: OneHeld) {
  const { appId, policy, now } = intake.sender;
  const { objectId: installationId, hasPushTarget } = lock;
  const reads = { ...stored, presence: async (beaconId: string) => presenceOf({ appId, installationId, beaconId }) };
  const turn: Turn = {
    installationId,
    policy,
    now,
    hasTarget: (intake.isOwn && isShown({ intake, lock })) || hasPushTarget,
  };
  const context = { reads, past: new Past(reads) };
  const recording = { appId, turn, hasPushTarget };
  const decided: Decided[] = [];
  const problems: ItemProblem[] = [];
  let duplicates = intake.placed.length - fresh.length;
  for (const group of groupBy(fresh, ({ beacon }) => beacon.objectId)) {
    const decision = await decide(context, turn, beaconOf(group), observationsOf(group));
    decided.push({ decision, recording });
    duplicates += decision.skipped.filter(({ reason }) => reason === 'duplicate').length;
    problems.push(...skippedProblems(decision.skipped, group));
  }
  const decisions = decided.map(({ decision }) => decision);
  const events = answeredEvents(decisions);
  const messages = answeredMessages(decisions, hasPushTarget);
  return { decided, effect: { events, messages, duplicates, problems } satisfies Effect };
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

function beaconOf(group: readonly Placed[]): SiteBeacon {
  return (group[0] as Placed).beacon;
}

function observationsOf(group: readonly Placed[]): Observation[] {
  return group.map(({ item }) => item.observation);
}

const skipMessages = {
  late: 'Older than what is known of this installation at this beacon; it changes nothing.',
  no_measurement: 'Holds neither a measurement nor a decision.',
} as const;

function skippedProblems(skipped: Decided['decision']['skipped'], group: readonly Placed[]): ItemProblem[] {
  return skipped.flatMap(({ index, reason }) =>
    reason === 'duplicate'
      ? []
      : [{ index: group[index]?.item.index ?? 0, code: reason, message: skipMessages[reason] }],
  );
}

/** Groups in the order of their keys, so that the same batch is always dealt with alike. */
export function groupBy<T>(values: readonly T[], key: (value: T) => string): T[][] {
  return [...Map.groupBy(values, key)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}
