import type { Db } from '../../db/db.ts';
import { fail } from '../../errors.ts';
import type { Announce } from '../../happening.ts';
import type { AppPolicy } from '../../http/policy.ts';
import type { Observation } from '../../proximity/index.ts';
import type { Sql } from '../../sql.ts';
import { type Answer, type AnsweredEvent, type AnsweredMessage, answeredEvents, answeredMessages } from './answer.ts';
import { type Decision, decide, Past, type Reads, type Turn } from './decide.ts';
import {
  type Batch,
  batchKey,
  type ItemProblem,
  keyOf,
  type Placed,
  placeItems,
  type Read,
  readBatch,
} from './intake.ts';
import { findAnswer, noteKeys, saveAnswer } from './key-store.ts';
import * as store from './presence-store.ts';
import { type RecordTools, recordDecision } from './record.ts';
import { type SiteCache, type SiteReads, storedSite } from './site-cache.ts';
import type { SiteBeacon } from './site-store.ts';

export interface SightingDeps extends RecordTools {
  readonly db: Db;
  readonly site: SiteCache;
}

export interface Sender {
  readonly appId: string;
  readonly policy: AppPolicy;
  /** When the batch arrived, ms. */
  readonly now: number;
}

export type SightingService = ReturnType<typeof createSightingService>;

/** The engine's reads in a transaction that holds the installation. */
export function readsOf(db: Db, appId: string, installationId: string, site: SiteReads = storedSite): Reads {
  return {
    presence: (beaconId) => store.findPresence(db, { appId, installationId, beaconId }),
    triggers: (beaconId) => site.triggers(db, appId, beaconId),
    firings: (since) => store.findFirings(db, { appId, installationId, since }),
  };
}

/** What a batch did to one installation. */
interface Effect {
  readonly events: readonly AnsweredEvent[];
  readonly messages: readonly AnsweredMessage[];
  readonly duplicates: number;
  readonly problems: readonly ItemProblem[];
}

export function createSightingService({ db, site, ...tools }: SightingDeps) {
  return {
    /**
     * Takes a batch of sightings: all that follows for one installation is written in one transaction, and only once.
     *
     * @throws Failure ObjectNotFound for an installation that is not registered
     */
    async take(sender: Sender, batch: Batch): Promise<Answer> {
      await site.fresh();
      const read = readBatch(batch, sender.now);
      const isCorrected = read.clockError !== 0;
      const taken =
        batch.installationId === undefined
          ? await takeOfGateway({ db, site, tools, sender, isReading: false }, read.items, isCorrected)
          : await takeOfPhone(
              { db, site, tools, sender, isReading: true },
              { batch, id: batch.installationId, ...read },
            );
      const { effects } = taken;
      const all = [...read.problems, ...taken.problems, ...effects.flatMap((effect) => effect.problems)];
      return {
        received: batch.sightings.length,
        duplicates: effects.reduce((sum, { duplicates }) => sum + duplicates, 0),
        ...(isCorrected ? { clockError: Math.round(read.clockError / 1000) } : {}),
        events: effects.flatMap(({ events }) => events),
        messages: effects.flatMap(({ messages }) => messages),
        problems: all.sort((a, b) => a.index - b.index),
      };
    },
  };
}

interface Taken {
  readonly effects: readonly Effect[];
  readonly problems: readonly ItemProblem[];
}

interface PhoneBatch extends Read {
  readonly batch: Batch;
  readonly id: string;
}

/** Finding the sender locks it, and everything else happens behind that lock. */
function takeOfPhone(work: Work, { batch, id, items, clockError }: PhoneBatch): Promise<Taken> {
  const { appId } = work.sender;
  return work.db.transaction(async (db) => {
    const lock = await store.lockSender(db, appId, id);
    if (!lock) throw unknownInstallation(id);
    const installationId = lock.objectId;
    const { placed, problems } = await placeItems({ ...work, db }, appId, items, installationId);
    const intake = { installationId, placed, isCorrected: clockError !== 0, batchKey: batchKey(batch, items) };
    const effects = placed.length === 0 ? [] : [await takeForOne({ ...work, db }, intake, lock)];
    return { effects, problems };
  });
}

/** A gateway hears several installations; each has a transaction of its own. */
async function takeOfGateway(work: Work, items: Read['items'], isCorrected: boolean): Promise<Taken> {
  const { appId } = work.sender;
  const { placed, problems } = await placeItems(work, appId, items, undefined);
  const effects: Effect[] = [];
  for (const [installationId, own] of groupBy(placed, (one) => one.installationId)) {
    const intake = { installationId, placed: own, isCorrected, batchKey: undefined };
    effects.push(
      await work.db.transaction(async (db) => {
        const lock = await store.lockInstallation(db, appId, installationId);
        if (!lock) throw unknownInstallation(installationId);
        return takeForOne({ ...work, db }, intake, lock);
      }),
    );
  }
  return { effects, problems };
}

function unknownInstallation(id: string) {
  return fail(
    'ObjectNotFound',
    `installationId: there is no installation ${id.slice(0, 128)}. Register it first with POST /installations.`,
  );
}

interface Work {
  /** The transaction. */
  readonly db: Db;
  readonly site: SiteReads;
  readonly tools: RecordTools;
  readonly sender: Sender;
  /** The installation itself has sent the batch and reads the answer. */
  readonly isReading: boolean;
}

interface Intake {
  readonly installationId: string;
  readonly placed: readonly Placed[];
  readonly isCorrected: boolean;
  readonly batchKey: string | undefined;
}

/** `db` of the work is the transaction that holds the lock. */
async function takeForOne(work: Work, intake: Intake, lock: store.InstallationLock): Promise<Effect> {
  const { db, site, tools, sender, isReading } = work;
  const { appId, policy, now } = sender;
  const { installationId } = intake;
  const fresh = await withoutRepeated(db, intake, sender);
  if (!Array.isArray(fresh)) return fresh;
  const groups = groupBy(fresh, ({ beacon }) => beacon.objectId);
  const beaconIds = groups.map(([id]) => id);
  const presences = await store.findPresences(db, { appId, installationId, beaconIds });
  const reads: Reads = { ...readsOf(db, appId, installationId, site), presence: async (id) => presences.get(id) };
  const turn: Turn = { installationId, policy, now, hasTarget: isReading || lock.hasPushTarget };
  const recording = { appId, turn, hasPushTarget: lock.hasPushTarget };
  const context = { reads, past: new Past(reads) };
  const decisions: Decision[] = [];
  const problems: ItemProblem[] = [];
  const writes: Sql[] = [];
  let duplicates = intake.placed.length - fresh.length;
  for (const [, group] of groups) {
    const decision = await decide(context, turn, beaconOf(group), observationsOf(group));
    writes.push(...(await recordDecision(db, decision, recording, tools)));
    decisions.push(decision);
    duplicates += decision.skipped.filter(({ reason }) => reason === 'duplicate').length;
    problems.push(...skippedProblems(decision, group));
  }
  const effect: Effect = {
    events: answeredEvents(decisions),
    messages: answeredMessages(decisions, lock.hasPushTarget),
    duplicates,
    problems,
  };
  if (intake.batchKey && effect.events.length + effect.messages.length > 0)
    writes.push(saveAnswer({ appId, installationId }, { key: intake.batchKey, answer: JSON.stringify(effect), now }));
  await db.runTogether(writes);
  return effect;
}

/** What has not been counted yet, or the earlier answer to the same batch. */
async function withoutRepeated(db: Db, intake: Intake, { appId, policy, now }: Sender): Promise<Placed[] | Effect> {
  const { installationId, placed, isCorrected, batchKey } = intake;
  const scope = { appId, installationId };
  const keyed = placed.map((one) => ({ one, key: keyOf(one, isCorrected) }));
  const keys = [...new Set(keyed.flatMap(({ key }) => key ?? []))];
  const fresh = new Set(keys.length === 0 ? [] : await noteKeys(db, scope, keys, now));
  // A batch with keys of which none is known has not been here before.
  if (batchKey !== undefined && (keys.length === 0 || fresh.size < keys.length)) {
    const answer = await findAnswer(db, scope, batchKey, now - policy.pushTimeToLive * 1000);
    if (answer !== undefined) return JSON.parse(answer) as Effect;
  }
  // One key twice in a batch counts once.
  return keyed.filter(({ key }) => key === undefined || fresh.delete(key)).map(({ one }) => one);
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

function skippedProblems({ skipped }: Decision, group: readonly Placed[]): ItemProblem[] {
  return skipped.flatMap(({ index, reason }) =>
    reason === 'duplicate'
      ? []
      : [{ index: group[index]?.item.index ?? 0, code: reason, message: skipMessages[reason] }],
  );
}

/** Groups in the order of their keys, so that two nodes lock what they share in the same order. */
function groupBy<T>(values: readonly T[], key: (value: T) => string): [string, T[]][] {
  return [...Map.groupBy(values, key)].sort(([a], [b]) => (a < b ? -1 : 1));
}

export interface ClientLog {
  readonly appId: string;
  readonly policy: AppPolicy;
  readonly installationId: string;
  readonly beaconId: string;
  readonly event: 'ENTER' | 'EXIT';
  readonly occurredAt: number;
  readonly now: number;
}

/**
 * A client has written a log record: what it decided becomes part of its visits. It has shown its message itself, so
 * nothing is judged, pushed or logged again. `db` is the transaction that writes the record.
 */
export async function noteClientLog(db: Db, log: ClientLog, announce: Announce): Promise<void> {
  const { appId, policy, installationId, beaconId, event, occurredAt, now } = log;
  if (!(await store.lockInstallation(db, appId, installationId))) return;
  const reads = readsOf(db, appId, installationId);
  const turn: Turn = { installationId, policy, now, hasTarget: false, isSilent: true };
  const decision = await decide({ reads, past: new Past(reads) }, turn, { objectId: beaconId }, [
    { event, occurredAt },
  ]);
  // Nothing is sent, and the twelve hours of an open visit are noticed in time by reading the index again.
  const tools: RecordTools = { requestPush: async () => undefined, expect: () => undefined, announce };
  const recording = { appId, turn, hasPushTarget: false, isLogged: true } as const;
  await db.runTogether(await recordDecision(db, decision, recording, tools));
}
