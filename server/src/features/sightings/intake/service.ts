import { permissionsOf } from '../../../access/consent.ts';
import { notProven } from '../../../access/installation-proof.ts';
import type { AppPolicy } from '../../../access/policy.ts';
import { fail } from '../../../base/errors.ts';
import { allDone } from '../../../db/batch-loader.ts';
import { Batcher } from '../../../db/batcher.ts';
import type { Db } from '../../../db/db.ts';
import { type Batch, readBatch } from '../batch/batch.ts';
import { batchKey } from '../batch/keys.ts';
import { type Placing, placeItems } from '../batch/placing.ts';
import { type DecisionContext, decide } from '../decide/decide.ts';
import { lockForDecision } from '../decide/installation-locks.ts';
import { HeldTracks, readOne } from '../held/held-tracks.ts';
import { settle, startWith } from '../held/settle.ts';
import { saveKeys } from '../record/key-store.ts';
import { type RecordTools, recordDecisions } from '../record/record.ts';
import type { SiteCache } from '../site/site-cache.ts';
import type { TrackKey } from '../traces/told-store.ts';
import type { SightingsAnswer } from './answer.ts';
import { groupBy, readsOf, type TakeTools, takeTogether } from './take.ts';
import type { Effect, Intake, Sender } from './taking.ts';

export interface SightingDeps extends RecordTools {
  readonly db: Db;
  readonly site: SiteCache;
  readonly held?: HeldTracks;
}

export type SightingService = ReturnType<typeof createSightingService>;

/** Transactions at the same time, and what one may hold. Larger ones would keep their first sender waiting. */
const together = { slots: 4, most: 64, mostWeight: 2_000 } as const;

export function createSightingService({ db, site, held = new HeldTracks(), ...others }: SightingDeps) {
  const tools = { ...others, held };
  const take = (intakes: readonly Intake[]) => db.transaction((db) => takeTogether(db, intakes, { site, tools }));
  const batcher = new Batcher<Intake, Effect>({
    ...together,
    weigh: ({ placed }) => placed.length,
    tenantOf: ({ sender }) => sender.appId,
    // Two transactions would only wait for its lock, each with a connection.
    subjectOf: ({ sender, id }) => `${sender.appId} ${id}`,
    run: take,
    runAlone: async (intake) => {
      const [effect] = await take([intake]);
      if (!effect) throw unknownInstallation(intake.id);
      return effect;
    },
  });
  return {
    /** Writes what is held in memory of an installation. @throws Failure ObjectNotFound when it is gone */
    async flush({ appId, installationId }: TrackKey, { policy, now }: Pick<Sender, 'policy' | 'now'>): Promise<void> {
      const sender = {
        appId,
        policy,
        now,
        userId: undefined,
        seesAll: true,
        seesWhereabouts: false,
        secret: undefined,
      };
      const nothing = { placed: [], sentAt: undefined, batchKey: undefined };
      await batcher.add({ ...nothing, sender, id: installationId, isOwn: false, isFlush: true });
    },
    /**
     * Takes a batch of sightings: all that follows for one installation is written in one transaction, and only once.
     *
     * @throws Failure ObjectNotFound for an installation that is not registered, OperationForbidden for one that has a secret
     */
    async take(sender: Sender, batch: Batch): Promise<SightingsAnswer> {
      await site.fresh();
      const { items, problems } = readBatch(batch, sender.now);
      const placing = await placeItems({ db, site }, sender.appId, items, batch.installationId);
      const key = batch.installationId === undefined ? undefined : batchKey(batch, items);
      const intakes = intakesOf({ sender, batch, placing, sentAt: batch.sentAt, batchKey: key });
      // The others stay done when one fails.
      const effects = await allDone(intakes.map((intake) => batcher.add(intake)));
      // A phone is refused; a gateway is told which part of its batch could not be used.
      if (batch.installationId !== undefined && effects.some(({ isUnproven }) => isUnproven)) throw notProven();
      const clockError = effects.reduce(
        (most, one) => (Math.abs(one.clockError) > Math.abs(most) ? one.clockError : most),
        0,
      );
      // An answer kept before this member existed has none.
      const nearest = effects.flatMap(({ nearest: own = [] }) => own);
      const found = [...problems, ...placing.problems, ...effects.flatMap((effect) => effect.problems)];
      return {
        received: batch.sightings.length,
        duplicates: effects.reduce((sum, { duplicates }) => sum + duplicates, 0),
        ...(clockError === 0 ? {} : { clockError: Math.round(clockError / 1000) }),
        events: effects.flatMap(({ events }) => events),
        messages: effects.flatMap(({ messages }) => messages),
        ...(nearest.length === 0 ? {} : { nearest }),
        problems: found.sort((a, b) => a.index - b.index),
      };
    },
  };
}

interface Arrived extends Pick<Intake, 'sender' | 'sentAt' | 'batchKey'> {
  readonly batch: Batch;
  readonly placing: Placing;
}

/** A phone speaks of itself; a gateway hears several installations, and each is dealt with on its own. */
function intakesOf({ batch, placing: { placed }, ...common }: Arrived): Intake[] {
  const { installationId } = batch;
  if (installationId !== undefined) return [{ ...common, id: installationId, isOwn: true, placed }];
  return groupBy(placed, (one) => one.installationId).map((own) => ({
    ...common,
    id: own[0]?.installationId ?? '',
    isOwn: false,
    placed: own,
  }));
}

function unknownInstallation(id: string) {
  return fail(
    'ObjectNotFound',
    `installationId: there is no installation ${id.slice(0, 128)}. Register it first with POST /installations.`,
  );
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

/** Whether the installation may be named in what is recorded about it. That cannot change until the end of the transaction. */
export async function mayBeNamed(
  db: Db,
  { appId, policy, installationId }: Pick<ClientLog, 'appId' | 'policy' | 'installationId'>,
): Promise<boolean> {
  const lock = await lockForDecision(db, appId, installationId);
  return lock !== undefined && permissionsOf(lock.consents, policy).analytics;
}

/**
 * A client has written a log record: what it decided becomes part of its visits. It has shown its message itself, so
 * nothing is judged, pushed or logged again. `db` is the transaction that writes the record.
 */
export async function noteClientLog(
  db: Db,
  log: ClientLog,
  {
    announce,
    logs,
    countVisits,
    held,
    seedsFor,
  }: Pick<TakeTools, 'announce' | 'logs' | 'countVisits' | 'held' | 'seedsFor'>,
): Promise<void> {
  const { appId, policy, installationId, beaconId, event, occurredAt, now } = log;
  const lock = await lockForDecision(db, appId, installationId);
  if (!lock) return;
  const reads = readsOf(db, { appId, installationId, userId: null });
  const known = await readOne(held, db, { appId, installationId });
  const start = await startWith(known, [{ beaconId, event, occurredAt, logged: true }], reads.record);
  const seedOf = await seedsFor?.(db, { appId, installationId, times: [occurredAt], now });
  const context: DecisionContext = {
    installationId,
    seedOf,
    policy,
    now,
    hasTarget: false,
    hasPushTarget: false,
    heldSince: lock.heldSince,
  };
  const decision = await decide({ ...reads, record: async () => start.record }, context, start.samples);
  const settled = settle(held, { start, decision, now, keys: [], isDue: false });
  // Nothing is sent, and the twelve hours of an open visit are noticed in time by reading the index again.
  const tools: RecordTools = {
    requestPushes: async () => undefined,
    expect: () => undefined,
    announce,
    logs,
    ...(countVisits ? { countVisits } : {}),
  };
  const keys = settled.keys.map((key) => ({ appId, installationId, key, now }));
  await recordDecisions(db, [{ ...settled, recording: { appId, context } }], tools, saveKeys(db.dialect, keys));
  db.afterCommit(settled.afterCommit);
}
