import type { Db } from '../../db/db.ts';
import { fail } from '../../errors.ts';
import type { Announce } from '../../happening.ts';
import type { AppPolicy } from '../../http/policy.ts';
import type { Observation } from '../../proximity/index.ts';
import { type Answer, type AnsweredEvent, type AnsweredMessage, answeredEvents, answeredMessages } from './answer.ts';
import { type Decision, decide, Past, type Reads, type Turn } from './decide.ts';
import { type Batch, batchKey, type ItemProblem, keyOf, type Placed, placeItems, readBatch } from './intake.ts';
import { findAnswer, noteKeys, saveAnswer } from './key-store.ts';
import * as store from './presence-store.ts';
import { type RecordTools, recordDecision } from './record.ts';
import { findInstallationId, findTriggers, type SiteBeacon } from './site-store.ts';

export interface SightingDeps extends RecordTools {
  readonly db: Db;
}

export interface Sender {
  readonly appId: string;
  readonly policy: AppPolicy;
  /** When the batch arrived, ms. */
  readonly now: number;
}

export type SightingService = ReturnType<typeof createSightingService>;

/** The engine's reads in a transaction that holds the installation. */
export function readsOf(db: Db, appId: string, installationId: string): Reads {
  return {
    presence: (beaconId) => store.findPresence(db, { appId, installationId, beaconId }),
    triggers: async (beaconId) => (await findTriggers(db, appId, [beaconId])).get(beaconId) ?? [],
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

export function createSightingService({ db, ...tools }: SightingDeps) {
  /** @throws Failure ObjectNotFound that says how to register */
  async function findSender(sender: Sender, batch: Batch): Promise<string | undefined> {
    if (batch.installationId === undefined) return undefined;
    const found = await findInstallationId(db, sender.appId, batch.installationId);
    if (found !== undefined) return found;
    throw unknownInstallation(batch.installationId);
  }

  return {
    /**
     * Takes a batch of sightings: all that follows for one installation is written in one transaction, and only once.
     *
     * @throws Failure ObjectNotFound for an installation that is not registered
     */
    async take(sender: Sender, batch: Batch): Promise<Answer> {
      const installationId = await findSender(sender, batch);
      const read = readBatch(batch, sender.now);
      const { placed, problems } = await placeItems(db, sender.appId, read.items, installationId);
      const key = installationId === undefined ? undefined : batchKey(batch, read.items);
      const effects: Effect[] = [];
      for (const [id, own] of groupBy(placed, (one) => one.installationId)) {
        const intake = { installationId: id, placed: own, isCorrected: read.clockError !== 0, batchKey: key };
        const isReading = id === installationId;
        effects.push(await db.transaction((db) => takeForOne({ db, tools, sender, isReading }, intake)));
      }
      const all = [...read.problems, ...problems, ...effects.flatMap((effect) => effect.problems)];
      return {
        received: batch.sightings.length,
        duplicates: effects.reduce((sum, { duplicates }) => sum + duplicates, 0),
        ...(read.clockError === 0 ? {} : { clockError: Math.round(read.clockError / 1000) }),
        events: effects.flatMap(({ events }) => events),
        messages: effects.flatMap(({ messages }) => messages),
        problems: all.sort((a, b) => a.index - b.index),
      };
    },
  };
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

async function takeForOne(work: Work, intake: Intake): Promise<Effect> {
  const { db, tools, sender, isReading } = work;
  const { appId, policy, now } = sender;
  const { installationId } = intake;
  const lock = await store.lockInstallation(db, appId, installationId);
  if (!lock) throw unknownInstallation(installationId);
  const fresh = await withoutRepeated(db, intake, sender);
  if (!Array.isArray(fresh)) return fresh;
  const reads = readsOf(db, appId, installationId);
  const turn: Turn = { installationId, policy, now, hasTarget: isReading || lock.hasPushTarget };
  const context = { reads, past: new Past(reads) };
  const decisions: Decision[] = [];
  const problems: ItemProblem[] = [];
  let duplicates = intake.placed.length - fresh.length;
  for (const [, group] of groupBy(fresh, ({ beacon }) => beacon.objectId)) {
    const decision = await decide(context, turn, beaconOf(group), observationsOf(group));
    await recordDecision(db, decision, { appId, turn, hasPushTarget: lock.hasPushTarget }, tools);
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
    await saveAnswer(db, { appId, installationId }, { key: intake.batchKey, answer: JSON.stringify(effect), now });
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
  await recordDecision(db, decision, { appId, turn, hasPushTarget: false, isLogged: true }, tools);
}
