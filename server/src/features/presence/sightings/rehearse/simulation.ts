import type { ReceiverOffset, Verdict } from '@pharos/engine';
import {
  type Decision,
  InMemory,
  nothingKnown,
  type Reads,
  type ReportedPlace,
  type Site,
  type Whereabouts,
  whereaboutsOf,
} from '@pharos/engine/decide';
import { type Static, Type } from 'typebox';
import { type Caller, type FindHeld, seesWhereabouts } from '../../../../access/caller.ts';
import type { AppPolicy } from '../../../../access/policy.ts';
import type { Db } from '../../../../db/db.ts';
import { exampleCreated, otherExampleId } from '../../../../http/answers.ts';
import { type Endpoint, endpoint, type Tag } from '../../../../http/endpoint.ts';
import { defineShape } from '../../../../http/shape.ts';
import {
  answerExample,
  answeredEvents,
  answeredMessages,
  answeredNearest,
  answeredVerdict,
  answerSchema,
  verdictExample,
  verdictSchema,
} from '../answer/answer.ts';
import { readsOf } from '../decide/past.ts';
import { batchMembers, batchShape, placeReports, readBatch, readTime, toBatch, withPlainId } from '../read/reports.ts';
import { findInstallationId, findLocale, type SiteReads } from '../site/site.ts';
import type { Report } from '../stages/stages.ts';

/** A rehearsal: the same calls as for real sightings, on a presence that exists only in memory. */

/** The pretended installation. */
export interface Pretence {
  readonly appId: string;
  readonly policy: AppPolicy;
  /** Start from what is known about a real installation instead of from nothing. */
  readonly continues: boolean;
  readonly hasTarget: boolean;
  /** The language and region of the phone. */
  readonly locale: string | null;
  /** Beacons and messages as they were at some moment; without it, as they are stored. */
  readonly site?: SiteReads;
  /** How the phone is known to hear. */
  readonly receiverOffset?: ReceiverOffset | null;
}

interface Simulation extends Pretence {
  readonly reports: readonly Report[];
  /** Let time continue until then after the last sighting, ms. */
  readonly until: number | undefined;
}

/** Each report arrives when it was made, so that nothing is late because it is sent in one batch. */
async function simulate(db: Db, simulation: Simulation): Promise<Decision[]> {
  const ordered = [...simulation.reports].sort((a, b) => occurredAt(a) - occurredAt(b));
  const visitors = new Map<string, PretendedInstallation>();
  const decisions: Decision[] = [];
  for (const together of instantsOf(ordered)) {
    const first = together[0] as Report;
    const visitor =
      visitors.get(first.installationId) ?? new PretendedInstallation(db, simulation, first.installationId);
    visitors.set(first.installationId, visitor);
    decisions.push(...(await visitor.passTime(occurredAt(first))), await visitor.take(together));
  }
  for (const visitor of visitors.values()) {
    if (simulation.until !== undefined) decisions.push(...(await visitor.passTime(simulation.until)));
  }
  return decisions;
}

const occurredAt = ({ observation }: Report) => observation.occurredAt;

/** What one installation senses at one instant is one report. */
function instantsOf(ordered: readonly Report[]): Report[][] {
  return [...Map.groupBy(ordered, (one) => `${occurredAt(one)} ${one.installationId}`).values()];
}

/** One installation whose presence is in memory. */
export class PretendedInstallation {
  readonly #places = new Map<string, ReportedPlace>();
  readonly #begun: () => Promise<InMemory>;
  #installation: InMemory | undefined;

  constructor(db: Db, simulation: Pretence, installationId: string) {
    const { appId, site, receiverOffset, continues, policy, hasTarget, locale } = simulation;
    const stored = readsOf(db, { appId, installationId, userId: null, ...(site ? { site } : {}) });
    const triggers = new Map<string, ReturnType<Reads['triggers']>>();
    const reads: Site = {
      ...(receiverOffset === undefined ? {} : { receiverOffset: async () => receiverOffset }),
      places: async (beaconIds) => {
        const known = beaconIds.flatMap((id) => this.#places.get(id) ?? []);
        const others = beaconIds.filter((id) => !this.#places.has(id));
        return [...known, ...(others.length === 0 ? [] : await stored.places(others))];
      },
      triggers: (beaconId) => {
        const known = triggers.get(beaconId) ?? stored.triggers(beaconId);
        triggers.set(beaconId, known);
        return known;
      },
      ...(continues ? { firings: stored.firings, visitCount: stored.visitCount, kept: stored.kept } : {}),
    };
    const context = { installationId, policy, hasTarget, hasPushTarget: hasTarget, locale };
    this.#begun = async () => {
      const record = (continues ? await stored.record() : undefined) ?? null;
      this.#installation ??= new InMemory(reads, context, { ...nothingKnown, record });
      return this.#installation;
    };
  }

  /** Where it is believed to be. */
  get whereabouts(): Whereabouts | undefined {
    const { record } = this.#installation?.memory ?? nothingKnown;
    return record === null ? undefined : whereaboutsOf(record).whereabouts;
  }

  /** What is sensed at one instant, which is later than all before. */
  async take(together: readonly Report[]): Promise<Decision> {
    for (const { beacon } of together) this.#places.set(beacon.objectId, beacon);
    const samples = together.map(({ observation, beacon }) => ({ ...observation, beaconId: beacon.objectId }));
    const installation = this.#installation ?? (await this.#begun());
    return unpushed(await installation.take(samples, occurredAt(together[0] as Report)));
  }

  /** What falls due until then, in order. */
  async passTime(until: number): Promise<Decision[]> {
    return ((await this.#installation?.passTime(until)) ?? []).map(unpushed);
  }
}

const unpushed = (decision: Decision): Decision => ({ ...decision, isPushed: false });

const time = (description: string) =>
  Type.Optional(Type.Union([Type.String({ maxLength: 64 }), Type.Number({ minimum: 0 })], { description }));

const { sentAt: _real, ...members } = batchMembers;

const simulationSchema = Type.Object({
  ...members,
  at: time('The pretend time of sightings that say none; now without it'),
  until: time('Lets time go on until then after the last sighting: silence, waits, the end of visits'),
  continues: Type.Optional(
    Type.Boolean({ description: 'Begin with what is stored of a real installation, instead of with nobody' }),
  ),
  localeIdentifier: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Whose language messages have, such as de-AT; that of a real installation without it',
    }),
  ),
  hasTarget: Type.Optional(
    Type.Boolean({ description: 'Pretend that the installation can be reached; true by default' }),
  ),
});
type Sent = Static<typeof simulationSchema>;

const shape = defineShape(simulationSchema, {
  rules: ({ at, until }) =>
    Object.entries({ at, until })
      .filter(([, value]) => value !== undefined && readTime(value) === undefined)
      .map(([field]) => ({ field, problem: 'must be an ISO 8601 date or epoch milliseconds' })),
});

function read(body: unknown) {
  const {
    at,
    until,
    continues = false,
    hasTarget = true,
    localeIdentifier,
    ...rest
  } = shape.readCreate(withPlainId(body)) as Sent;
  return {
    batch: toBatch(batchShape.readCreate(rest)),
    at: readTime(at),
    until: readTime(until),
    continues,
    hasTarget,
    localeIdentifier,
  };
}

const { duplicates: _none, clockError: _right, clockErrorMs: _exactly, ...shownMembers } = answerSchema.properties;
const { duplicates: _zero, ...shownExample } = answerExample;

const example = {
  installationId: 'somebody',
  at: exampleCreated,
  sightings: [{ beacon: otherExampleId, event: 'ENTER' }],
  until: '2026-05-04T09:40:00.000Z',
};

export const simulationTag: Tag = {
  name: 'Simulations',
  description: 'What would happen, without anything happening.',
  place: 140,
  console: { write: 'simulations.run' },
};

/** The newest decision about each installation. */
const lastOfEach = (decisions: readonly Decision[]): Decision[] => [
  ...new Map(decisions.map((decision) => [decision.installationId, decision])).values(),
];

const maxIdCharacters = 64;

/** A pretend installation has an id that no real one can have, and that is no longer than ids are. */
const pretendId = (id: string) => [...`pretend:${id}`].slice(0, maxIdCharacters).join('');

/** Of these messages those that the caller may read, by triggerId. */
export type ReadableTriggers = (
  caller: Caller,
  triggers: readonly Pick<Verdict, 'kind' | 'triggerId'>[],
) => Promise<ReadonlySet<string>>;

interface Deps {
  readonly db: Db;
  readonly findHeld: FindHeld;
  readonly readableTriggers: ReadableTriggers;
}

export function simulationEndpoints({ db, findHeld, readableTriggers }: Deps): Endpoint[] {
  /**
   * The installations that are real to a caller; undefined: all. Otherwise somebody's location could be found by repeated
   * queries.
   */
  async function ownOf(caller: Caller): Promise<ReadonlySet<string> | undefined> {
    if (seesWhereabouts(caller)) return undefined;
    const held = await findHeld(caller.app.appId, caller.user?.userId ?? '');
    return new Set(held.map(({ objectId }) => objectId));
  }
  return [
    endpoint<ReturnType<typeof read>>({
      method: 'POST',
      path: '/simulations',
      operationId: 'simulateSightings',
      needsNoRoom: true,
      tag: simulationTag,
      summary: 'Ask what would happen',
      description:
        'Takes sightings like POST /sightings, of a real or a pretend installation at real or pretend times, and answers ' +
        'every event, verdict and message. It is decided by the same code; nothing is stored and nothing is sent. For ' +
        'users, installations of other people are unknown, and so are messages that they may not read; managers may simulate all, and secret ' +
        'keys with `events:list` or `events:get`.',
      grant: 'user',
      scopes: [{ of: 'simulations', verb: 'create' }],
      body: { schema: simulationSchema, example, read },
      answer: {
        status: 200,
        description: 'What would happen.',
        schema: Type.Object({
          result: Type.Object({ ...shownMembers, verdicts: Type.Array(verdictSchema) }),
        }),
        example: { result: { ...shownExample, verdicts: [verdictExample] } },
      },
      errors: ['ValidationError', 'Timeout'],
      handle: async (call) => {
        const { app, body, now } = call;
        const { appId, policy } = app;
        const { batch, until, continues, hasTarget, localeIdentifier } = body;
        const asked = batch.installationId ?? 'visitor';
        const own = await ownOf(call);
        const real = (id: string) => own === undefined || own.has(id);
        const found = await findInstallationId(db, appId, asked);
        const installationId = found !== undefined && real(found) ? found : pretendId(asked);
        // Pretend times are never wrong, however far they are from now.
        const read = readBatch(batch, body.at ?? now);
        const { reports: all, problems } = await placeReports({ db }, appId, read.items, installationId);
        // A gateway's sightings name installations by their tags.
        const pretended = [...new Set(all.map((one) => one.installationId))].filter(
          (id) => id !== installationId && !real(id),
        );
        const reports = all.map((one) => {
          const tag = pretended.indexOf(one.installationId);
          return tag < 0 ? one : { ...one, installationId: pretendId(`tag ${tag + 1}`) };
        });
        const locale = localeIdentifier ?? (await findLocale(db, appId, installationId));
        const decisions = await simulate(db, { appId, policy, reports, continues, hasTarget, locale, until });
        const verdicts = decisions.flatMap(({ verdicts }) => verdicts.map(({ verdict }) => verdict));
        // Drafts, and what is planned for later days, which a pretend time would bring to light.
        const readable = await readableTriggers(call, [
          ...verdicts,
          ...decisions.flatMap(({ fired }) => fired.map(({ verdict }) => verdict)),
        ]);
        const isReadable = ({ triggerId }: { readonly triggerId: string }) => readable.has(triggerId);
        return {
          result: {
            received: batch.sightings.length,
            events: answeredEvents(decisions),
            verdicts: verdicts.filter(isReadable).map(answeredVerdict),
            messages: answeredMessages(decisions).filter(isReadable),
            nearest: lastOfEach(decisions).flatMap(answeredNearest),
            problems: [...read.problems, ...problems].sort((a, b) => a.index - b.index),
          },
        };
      },
    }),
  ];
}
