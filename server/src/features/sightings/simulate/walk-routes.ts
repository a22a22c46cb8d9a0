import { fail } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import { isoTime } from '../../../http/answers.ts';
import { type Call, type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { StreamAnswer } from '../../../http/stream-answer.ts';
import { readTime } from '../intake/schemas.ts';
import { simulationTag } from './simulation-routes.ts';
import { hearingOfModel, type Stage, type StagedFloors, type StageFloor, type StageReads, setStage } from './stage.ts';
import { type JudgedMessage, type Walk, walk } from './walk.ts';
import {
  floorsOf,
  type SentWalk,
  secondsAsked,
  walkAnswerExample,
  walkAnswerSchema,
  walkExample,
  walkSchema,
  walkShape,
  wayOf,
} from './walk-schemas.ts';

/** Walks computed at the same time: of one app, and of all. More must wait. */
const mostOfApp = 3;
const mostOfAll = 12;

class Running {
  readonly #byApp = new Map<string, number>();
  #all = 0;

  /** @throws Failure Timeout */
  begin(appId: string): () => void {
    const own = this.#byApp.get(appId) ?? 0;
    if (own >= mostOfApp || this.#all >= mostOfAll)
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
      body: { schema: walkSchema, example: walkExample, read: (body) => walkShape.readCreate(body) as SentWalk },
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
  const first = await reads.findFloor(db, app.appId, floorId);
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
    const floor = id === floorId ? undefined : await reads.findFloor(db, app.appId, id);
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
    pretence: { appId, policy, hasTarget, locale: localeIdentifier, ear: hearing.ear },
    visitors,
    seconds: secondsAsked(body),
    seed,
    start: readTime(body.at) ?? now,
    loss: phone.loss ?? hearing.loss ?? 0,
  };
}

/** The most work for one request: seconds times beacons, and each wall that may be in front of these counts too. */
const mostWork = 720_000;
const wallsOfABeacon = 200;
/** Of these, in one second of one visitor; other requests wait for that long. */
const mostPerSecond = 3_600;

/** @throws Failure ValidationError */
function assertShort({ plan }: Stage, body: SentWalk): void {
  const perSecond = plan.beacons.length * (1 + plan.walls.length / wallsOfABeacon);
  if (perSecond > mostPerSecond)
    throw fail(
      'ValidationError',
      plan.walls.length > 0
        ? `walls: the zones of these floors have ${plan.walls.length} sides, which are too many where there are ${plan.beacons.length} beacons. Leave the walls out.`
        : `floorId: ${plan.beacons.length} beacons are too many to walk past; ${mostPerSecond} are possible. Walk over fewer floors.`,
    );
  const most = Math.floor(mostWork / Math.max(1, perSecond));
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
