import { receiverName } from '@pharos/engine';
import { Type } from 'typebox';
import { seesWhereabouts } from '../../../access/caller.ts';
import { permissionsOf } from '../../../access/consent.ts';
import { notProven, proofOf } from '../../../access/installation-proof.ts';
import type { AppPolicy } from '../../../access/policy.ts';
import { fail } from '../../../base/errors.ts';
import { allDone } from '../../../db/batch-loader.ts';
import { Batcher } from '../../../db/batcher.ts';
import type { Db } from '../../../db/db.ts';
import { type Endpoint, endpoint, type Tag } from '../../../http/endpoint.ts';
import { answerExample, answerSchema, type SightingsAnswer } from './answer/answer.ts';
import { decideOne } from './decide/decide.ts';
import { readsOf } from './decide/past.ts';
import { batchKey } from './lock/fresh.ts';
import { lockForDecision } from './lock/lock.ts';
import { readOne, TrackCache } from './lock/track-cache.ts';
import { type TakeTools, takeTogether } from './pipeline.ts';
import { type PlaceDeps, takePlaces } from './places/places.ts';
import { type HeardByGateway, readHeard } from './read/heard.ts';
import {
  type Batch,
  isOfPlace,
  placeReports,
  type Reading,
  readBatch,
  readSightings,
  sightingsExample,
  sightingsSchema,
} from './read/reports.ts';
import { type RecordTools, recordDecisions } from './record/record.ts';
import type { SiteCache } from './site/site.ts';
import type { Effect, Intake, ItemProblem, Report, Sender } from './stages/stages.ts';

const sightingsTag: Tag = {
  name: 'Sightings',
  description: 'What phones and gateways sense, and the resulting events.',
  place: 100,
};

const reporting = { of: 'sightings', verb: 'create' } as const;

export function sightingEndpoints(service: SightingService): Endpoint[] {
  return [
    endpoint<Batch>({
      method: 'POST',
      path: '/sightings',
      operationId: 'sendSightings',
      tag: sightingsTag,
      summary: 'Report what a phone or a gateway has sensed',
      description:
        'Up to 1,000 sightings. What follows from them is answered at once: the confirmed events and the messages that ' +
        'fired, so that an app in the foreground shows them. What cannot be used is listed by index and never stops the ' +
        'rest. Sending a batch again is safe: with `eventId` or `occurredAt` nothing is counted twice, and a repetition ' +
        'of the whole batch soon after is answered like the first time. Events, messages and `nearest` are returned only to the phone itself ' +
        '(the bearer of its user where it is linked to one), to managers, and to secret keys with `events:list` or `events:get`; the ' +
        'sightings are processed in any case.',
      grant: 'phone',
      scopes: [reporting],
      takesInstallationSecret: true,
      body: { schema: sightingsSchema, example: sightingsExample, read: readSightings },
      answer: {
        status: 200,
        description: 'Taken.',
        schema: Type.Object({ result: answerSchema }),
        example: { result: answerExample },
      },
      errors: ['ValidationError', 'ObjectNotFound', 'Timeout'],
      handle: async (call) => {
        const { app, body, now } = call;
        const { appId, policy } = app;
        const gateways = call.secretKey?.scopes.gateways(reporting);
        const sender = { appId, policy, now, ...proofOf(call), seesWhereabouts: seesWhereabouts(call), gateways };
        return { result: await service.take(sender, body) };
      },
    }),
  ];
}

export interface SightingDeps extends RecordTools {
  readonly db: Db;
  readonly places?: PlaceDeps;
  readonly site: SiteCache;
  readonly trackCache?: TrackCache;
}

interface Taken extends Pick<Intake, 'sentAt' | 'batchKey' | 'decided'> {
  readonly items: readonly Reading[];
  readonly installationId: string | undefined;
}

export type SightingService = ReturnType<typeof createSightingService>;

/** Transactions at the same time, and what one may hold. Larger ones would keep their first sender waiting. */
const together = { slots: 4, most: 64, maxWeight: 2_000 } as const;

export function createSightingService({ db, site, places, trackCache = new TrackCache(), ...others }: SightingDeps) {
  const tools = { ...others, trackCache };
  const take = (intakes: readonly Intake[]) => db.transaction((db) => takeTogether(db, intakes, { site, tools }));
  const batcher = new Batcher<Intake, Effect>({
    ...together,
    weigh: ({ reports }) => reports.length,
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
  async function takeItems(sender: Sender, { items, installationId, ...common }: Taken) {
    const { allowed, refused } = ofGateways(items, sender.gateways);
    const { reports, problems } = await placeReports({ db, site }, sender.appId, allowed, installationId);
    const intakes = intakesOf(installationId, reports).map((one) => ({ sender, ...common, ...one }));
    // The others stay done when one fails.
    const effects = await allDone(intakes.map((intake) => batcher.add(intake)));
    return { placed: { problems: [...refused, ...problems] }, effects };
  }
  return {
    /**
     * Takes a batch of sightings: all that follows for one installation is written in one transaction, and only once.
     *
     * @throws Failure ObjectNotFound for an installation that is not registered, OperationForbidden for one that has a secret
     */
    async take(sender: Sender, batch: Batch): Promise<SightingsAnswer> {
      await site.fresh();
      const { items, problems } = readBatch(batch, sender.now);
      const { installationId, sentAt, sightings, decided } = batch;
      const key = installationId === undefined ? undefined : batchKey(batch, items);
      const ofPlaces =
        places && installationId !== undefined && sightings.some(isOfPlace)
          ? await db.transaction((db) => takePlaces(db, places, { sender, batch }))
          : [];
      const { placed, effects } = await takeItems(sender, { items, installationId, sentAt, decided, batchKey: key });
      // A phone is refused; a gateway is told which part of its batch could not be used.
      if (installationId !== undefined && effects.some(({ isUnproven }) => isUnproven)) throw notProven();
      const clockError = effects.reduce(
        (most, one) => (Math.abs(one.clockError) > Math.abs(most) ? one.clockError : most),
        0,
      );
      // An answer kept before this member existed has none.
      const nearest = effects.flatMap(({ nearest: own = [] }) => own);
      const found = [...problems, ...ofPlaces, ...placed.problems, ...effects.flatMap((effect) => effect.problems)];
      return {
        received: sightings.length,
        duplicates: effects.reduce((sum, { duplicates }) => sum + duplicates, 0),
        ...(clockError === 0 ? {} : { clockError: Math.round(clockError / 1000) }),
        events: effects.flatMap(({ events }) => events),
        messages: effects.flatMap(({ messages }) => messages),
        ...(decided === undefined
          ? {}
          : { clockErrorMs: clockError, elsewhere: effects.flatMap(({ elsewhere = [] }) => elsewhere) }),
        ...(nearest.length === 0 ? {} : { nearest }),
        problems: found.sort((a, b) => a.index - b.index),
      };
    },
    /** Takes what a gateway has heard, in the same way. What could not be used is returned by the index of the advertisement. */
    async takeHeard(sender: Sender, heard: HeardByGateway): Promise<readonly ItemProblem[]> {
      await site.fresh();
      const items = readHeard(heard, sender.now);
      const { clockOffset } = heard;
      const { placed, effects } = await takeItems(sender, {
        items,
        sentAt: clockOffset === undefined ? undefined : sender.now + clockOffset,
        installationId: undefined,
        batchKey: undefined,
      });
      return [...placed.problems, ...effects.flatMap((effect) => effect.problems)];
    },
  };
}

/** A key may be for some gateways only. */
function ofGateways(items: readonly Reading[], gateways: ReadonlySet<string> | undefined) {
  if (gateways === undefined) return { allowed: items, refused: [] };
  const names = new Set([...gateways].map(receiverName));
  const isAllowed = ({ subject }: Reading) =>
    subject.direction === 'gateway' && names.has(receiverName(subject.gateway));
  const refused = items
    .filter((item) => !isAllowed(item))
    .map(({ index }) => ({ index, code: 'forbidden_gateway', message: 'The secret key is for other gateways.' }));
  return { allowed: items.filter(isAllowed), refused };
}

/** A phone speaks of itself; a gateway hears several installations, and each is dealt with on its own. */
function intakesOf(
  sender: string | undefined,
  reports: readonly Report[],
): readonly Pick<Intake, 'id' | 'isOwn' | 'reports'>[] {
  if (sender !== undefined) return [{ id: sender, isOwn: true, reports }];
  // In the order of their ids, so that the same batch is always dealt with alike.
  return [...Map.groupBy(reports, ({ installationId }) => installationId)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, own]) => ({ id, isOwn: false, reports: own }));
}

function unknownInstallation(id: string) {
  return fail(
    'ObjectNotFound',
    `installationId: there is no installation ${id.slice(0, 128)}. Register it first with POST /installations.`,
  );
}

interface ClientLog {
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
    trackCache,
    seedsFor,
  }: Pick<TakeTools, 'announce' | 'logs' | 'countVisits' | 'trackCache' | 'seedsFor'>,
): Promise<void> {
  const { appId, policy, installationId, beaconId, event, occurredAt, now } = log;
  const lock = await lockForDecision(db, appId, installationId);
  if (!lock) return;
  const seedOf = await seedsFor?.(db, { appId, installationId, times: [occurredAt], now });
  const { heldSince } = lock;
  const decided = await decideOne(trackCache, {
    appId,
    context: { installationId, seedOf, policy, now, hasTarget: false, hasPushTarget: false, heldSince },
    track: await readOne(trackCache, db, { appId, installationId }),
    samples: [{ beaconId, event, occurredAt, logged: true }],
    reads: readsOf(db, { appId, installationId, userId: null }),
    why: 'batch',
  });
  // Nothing is sent, and the twelve hours of an open visit are noticed in time by reading the index again.
  const tools: RecordTools = {
    requestPushes: async () => undefined,
    expect: () => undefined,
    announce,
    logs,
    ...(countVisits ? { countVisits } : {}),
  };
  await recordDecisions(db, [decided], tools);
}
