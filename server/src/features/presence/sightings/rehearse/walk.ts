import type { Decision } from '@pharos/engine/decide';
import { type Report as Heard, Visitor } from '@pharos/engine/simulation';
import { fail } from '../../../../base/errors.ts';
import { FairQueue } from '../../../../base/fair-queue.ts';
import { WorkSlices, whenQuiet } from '../../../../base/work-slices.ts';
import type { Db } from '../../../../db/db.ts';
import { isoTime } from '../../../../http/answers.ts';
import { type Call, type Endpoint, endpoint } from '../../../../http/endpoint.ts';
import { StreamAnswer } from '../../../../http/streams/stream-answer.ts';
import { answeredEvents, answeredMessages, answeredVerdict } from '../answer/answer.ts';
import { readBatch, readTime } from '../read/reports.ts';
import type { Report } from '../stages/stages.ts';
import { type Pretence, PretendedInstallation, simulationTag } from './simulation.ts';
import { hearingOfModel, type Stage, type StagedFloors, type StageFloor, type StageReads, setStage } from './stage.ts';
import {
  floorsOf,
  type JudgedMessage,
  type SentWalk,
  secondsAsked,
  type WalkStep,
  walkAnswerExample,
  walkAnswerSchema,
  walkExample,
  walkShape,
  wayOf,
} from './walk-schemas.ts';

/** Visitors who walk across a stage: the model moves and hears for them, and the engine decides as for real ones. */

export interface Walk {
  readonly stage: Stage;
  readonly pretence: Omit<Pretence, 'continues' | 'site'>;
  readonly visitors: number;
  /** How long each is followed. */
  readonly seconds: number;
  readonly seed: string;
  /** When it begins, ms. */
  readonly start: number;
  /** How much less than others the phones hear, dB. */
  readonly loss: number;
}

/** One visitor's walk, as it is answered. */
export interface Walked {
  readonly number: number;
  readonly steps: readonly WalkStep[];
  readonly events: readonly object[];
  readonly verdicts: readonly object[];
  readonly messages: readonly object[];
}

/** Walks of all apps together get one slice at a time. */
const turns = new FairQueue(1, 120_000, 'Too many walks are being worked out. Try again.');

/** One visitor after the other, in slices, until the signal aborts. `judged` is filled with the messages. */
export async function* walk(
  db: Db,
  asked: Walk,
  { signal, judged }: { readonly signal: AbortSignal; readonly judged: Map<string, JudgedMessage> },
): AsyncGenerator<Walked> {
  const { appId } = asked.pretence;
  for (let number = 1; number <= asked.visitors && !signal.aborted; number++) {
    const one = new OneWalk(db, asked, { number, judged });
    while (!one.isOver && !signal.aborted) {
      await turns.run(appId, async () => {
        const slice = new WorkSlices();
        while (!one.isOver && !slice.isOver) await one.step();
      });
      await whenQuiet();
    }
    if (one.isOver) yield one.result;
  }
}

/** A visitor not heard for longer is believed to be nowhere; the engine then ends visits. */
const heardForMs = 30_000;

const centimetres = (metres: number) => Math.round(metres * 100) / 100;

class OneWalk {
  readonly #walk: Walk;
  readonly #number: number;
  readonly #visitor: Visitor;
  readonly #pretended: PretendedInstallation;
  readonly #steps: WalkStep[] = [];
  readonly #events: object[] = [];
  readonly #verdicts: object[] = [];
  readonly #messages: object[] = [];
  readonly #judged: Map<string, JudgedMessage>;

  constructor(
    db: Db,
    asked: Walk,
    { number, judged }: { readonly number: number; readonly judged: Map<string, JudgedMessage> },
  ) {
    const { stage, pretence, seed, loss } = asked;
    this.#walk = asked;
    this.#number = number;
    this.#judged = judged;
    this.#visitor = new Visitor(stage.plan, stage.way, seed, number, loss);
    const installationId = `pretend:${seed}/${number}`;
    this.#pretended = new PretendedInstallation(
      db,
      { ...pretence, continues: false, site: stage.site },
      installationId,
    );
  }

  get isOver(): boolean {
    return this.#steps.length >= this.#walk.seconds;
  }

  get result(): Walked {
    const [events, verdicts, messages] = [this.#events, this.#verdicts, this.#messages];
    return { number: this.#number, steps: this.#steps, events, verdicts, messages };
  }

  /** A second. */
  async step(): Promise<void> {
    const at = this.#steps.length + 1;
    const { start } = this.#walk;
    let heard = 0;
    for (const report of this.#visitor.live(at * 1_000)) {
      heard = report.heard.length;
      this.#note(await this.#pretended.passTime(start + report.at));
      const reports = this.#reports(report);
      if (reports.length > 0) this.#note([await this.#pretended.take(reports)]);
    }
    this.#note(await this.#pretended.passTime(start + at * 1_000));
    this.#steps.push(this.#stepAt(at, heard));
  }

  /** As the phone would have sent it. */
  #reports({ at, heard }: Heard): Report[] {
    const occurredAt = this.#walk.start + at;
    const sightings = heard.map(({ beacon, rssi }) => ({
      ...beacon.address,
      rssi,
      txPower: beacon.measuredPower,
      occurredAt,
    }));
    return readBatch({ sightings }, occurredAt).items.flatMap((item): Report[] => {
      const { subject } = item;
      const id = subject.direction === 'phone' ? subject.beaconId : undefined;
      const beacon = this.#walk.stage.beacons.get(id ?? '');
      return beacon ? [{ ...item, beacon, installationId: '' }] : [];
    });
  }

  #note(decisions: readonly Decision[]): void {
    if (decisions.length === 0) return;
    this.#events.push(...answeredEvents(decisions));
    this.#messages.push(...answeredMessages(decisions));
    for (const { verdicts, triggers } of decisions)
      for (const { verdict, beaconId } of verdicts) {
        // That a message is about something else is no reason anybody would ask about.
        if (verdict.reason === 'event' || verdict.reason === 'beacon') continue;
        this.#verdicts.push(answeredVerdict(verdict));
        const { triggerId: objectId, kind } = verdict;
        const judged = triggers.get(beaconId)?.find(({ trigger }) => trigger.id === objectId);
        if (judged) this.#judged.set(objectId, { objectId, kind, name: judged.name });
      }
  }

  #stepAt(at: number, heard: number): WalkStep {
    const position = this.#visitor.walker.position;
    const { whereabouts } = this.#pretended;
    const isKnown = whereabouts && this.#walk.start + at * 1_000 - whereabouts.sensedAt <= heardForMs;
    return {
      at,
      ...(position ? { x: centimetres(position.x), y: centimetres(position.y), floor: position.floor } : {}),
      heard,
      ...(isKnown ? { believed: believedOf(whereabouts, position) } : {}),
    };
  }
}

type Known = NonNullable<PretendedInstallation['whereabouts']>;

function believedOf({ beaconId, position }: Known, truth: Visitor['walker']['position']) {
  if (!position) return { beacon: beaconId };
  const error = truth && centimetres(Math.hypot(position.x - truth.x, position.y - truth.y));
  return { beacon: beaconId, ...position, ...(error === undefined ? {} : { error }) };
}

/** Walks computed at the same time: of one app, and of all. More must wait. */
const maxOfApp = 3;
const maxOfAll = 12;

class Running {
  readonly #byApp = new Map<string, number>();
  #all = 0;

  /** @throws Failure Timeout */
  begin(appId: string): () => void {
    const own = this.#byApp.get(appId) ?? 0;
    if (own >= maxOfApp || this.#all >= maxOfAll)
      throw fail('Timeout', {
        message: 'Other walks are being worked out. Wait a moment, and try again.',
        retryAfter: 2,
      });
    this.#byApp.set(appId, own + 1);
    this.#all++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#all--;
      const left = (this.#byApp.get(appId) ?? 1) - 1;
      if (left > 0) this.#byApp.set(appId, left);
      else this.#byApp.delete(appId);
    };
  }
}

export function walkEndpoints(db: Db, reads: StageReads): Endpoint[] {
  const running = new Running();
  return [
    endpoint<SentWalk>({
      method: 'POST',
      path: '/simulations/walks',
      operationId: 'simulateWalks',
      needsNoRoom: true,
      tag: simulationTag,
      summary: 'Let visitors walk over a floor',
      description:
        'Simulated visitors go a way that was drawn, or roam, and their phones hear the beacons of the venue by a model of radio. ' +
        'The answer has where each of them is every second and is believed to be, and every event, verdict and message. It is ' +
        'decided by the code that decides about real visitors; nothing is stored, sent or counted. The document is made while it ' +
        'is sent: whoever hangs up ends it.',
      grant: 'manager',
      scopes: [{ of: 'simulations', verb: 'create' }],
      body: walkShape.body(walkExample),
      answer: {
        status: 200,
        description: 'What would happen.',
        type: 'application/json',
        schema: walkAnswerSchema,
        example: walkAnswerExample,
      },
      errors: ['ValidationError', 'ObjectNotFound', 'Timeout'],
      handle: async (call) => {
        const end = running.begin(call.app.appId);
        try {
          const floors = await findFloors(db, reads, call);
          const asked = await walkOf(db, reads, { call, floors });
          return new StreamAnswer((signal) => written(db, call.body.floorId, { asked, signal, end }), {
            type: 'application/json',
          });
        } catch (error) {
          end();
          throw error;
        }
      },
    }),
  ];
}

type WalkCall = Call<SentWalk, unknown>;

/** Callers limited to venues find the floors of these. */
async function findFloors(db: Db, reads: StageReads, { app, venues, body }: WalkCall): Promise<StagedFloors> {
  const { floorId, route, allFloors = false } = body;
  const first = await reads.findDrawnFloor(db, app.appId, floorId);
  if (!first || !(venues?.includes(first.venueId) ?? true))
    throw fail('ObjectNotFound', `floorId: there is no floor ${floorId}.`);
  const known = first.floors.map(({ objectId }) => objectId);
  const wanted = route ? floorsOf(route, floorId) : allFloors ? known : [];
  const strange = wanted.findIndex((id) => !known.includes(id));
  if (strange >= 0)
    throw fail(
      'ValidationError',
      `route.${strange}.floorId must be a floor of the venue: there is no floor ${wanted[strange]} in it.`,
    );
  const others: StageFloor[] = [];
  for (const id of new Set(wanted)) {
    const floor = id === floorId ? undefined : await reads.findDrawnFloor(db, app.appId, id);
    if (floor) others.push(floor);
  }
  return [first, ...others];
}

async function walkOf(
  db: Db,
  reads: StageReads,
  { call: { app, body, now }, floors }: { readonly call: WalkCall; readonly floors: StagedFloors },
): Promise<Walk> {
  const { appId, policy } = app;
  const { route, entrance, clutter = 'furnished', walls = false, phone = {} } = body;
  const levels = new Map(floors.map(({ objectId, level }) => [objectId, level]));
  const stops = route && wayOf(route, body.floorId, (id) => levels.get(id) ?? floors[0].level);
  const way = { clutter, walls, route: stops, entrance };
  const stage = await setStage(db, reads, { appId, floors, way });
  if (!stage)
    throw fail(
      'ValidationError',
      'floorId: no beacon of this venue has a place, so that nobody would be noticed. Place beacons on the plan of the floor first.',
    );
  const isEmpty = !route && stage.plan.waypoints.length < 2;
  if (isEmpty)
    throw fail(
      'ValidationError',
      'route is required: this floor has no beacons to which visitors could roam. Draw a way, or place beacons on the plan.',
    );
  assertShort(stage, body);
  const hearing = await hearingOfModel(db, appId, phone.model ?? '');
  const { localeIdentifier = null, hasTarget = true, visitors = 1, seed = '1' } = body;
  return {
    stage,
    pretence: { appId, policy, hasTarget, locale: localeIdentifier, receiverOffset: hearing.receiverOffset },
    visitors,
    seconds: secondsAsked(body),
    seed,
    start: readTime(body.at) ?? now,
    loss: phone.loss ?? hearing.loss ?? 0,
  };
}

/** The most work for one request: seconds times beacons, and each wall that may be in front of these counts too. */
const maxWork = 720_000;
const wallsOfABeacon = 200;
/** Of these, in one second of one visitor; other requests wait for that long. */
const maxPerSecond = 3_600;

/** @throws Failure ValidationError */
function assertShort({ plan }: Stage, body: SentWalk): void {
  const perSecond = plan.beacons.length * (1 + plan.walls.length / wallsOfABeacon);
  if (perSecond > maxPerSecond)
    throw fail(
      'ValidationError',
      plan.walls.length > 0
        ? `walls: the zones of these floors have ${plan.walls.length} sides, which are too many where there are ${plan.beacons.length} beacons. Leave the walls out.`
        : `floorId: ${plan.beacons.length} beacons are too many to walk past; ${maxPerSecond} are possible. Walk over fewer floors.`,
    );
  const most = Math.floor(maxWork / Math.max(1, perSecond));
  if ((body.visitors ?? 1) * secondsAsked(body) <= most) return;
  const walls = plan.walls.length > 0 ? `, and ${plan.walls.length} walls` : '';
  throw fail(
    'ValidationError',
    `visitors can be followed for ${most} seconds together where there are ${plan.beacons.length} beacons${walls}. Let fewer walk, or for a shorter time.`,
  );
}

interface Writing {
  readonly asked: Walk;
  readonly signal: AbortSignal;
  readonly end: () => void;
}

/** The document in pieces, one for each visitor. */
async function* written(db: Db, floorId: string, { asked, signal, end }: Writing): AsyncGenerator<string> {
  try {
    const { start, seconds, seed, loss, stage } = asked;
    const { placed: beacons, omitted } = stage;
    const head = { floorId, at: isoTime(start), seconds, seed, beacons, omitted, loss };
    yield `{"result":${JSON.stringify(head).slice(0, -1)},"visitors":[`;
    let isFirst = true;
    const judged = new Map<string, JudgedMessage>();
    for await (const walked of walk(db, asked, { signal, judged })) {
      yield `${isFirst ? '' : ','}${JSON.stringify(walked)}`;
      isFirst = false;
    }
    yield `],"triggers":${JSON.stringify([...judged.values()])}}}`;
  } finally {
    end();
  }
}
