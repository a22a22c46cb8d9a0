import type { Recorded } from '@pharos/engine/simulation';
import { type CommandClock, refusal, type ServiceClient } from '../../support/service-client.ts';
import { installationIdOf, register } from './installations.ts';

/** Sends a recording to the service as if it happened again. */

export interface Replay {
  readonly name: string;
  /** In order of time, with beacons that the app knows. */
  readonly recorded: readonly Recorded[];
  /** Recorded seconds per second; Infinity: without waiting. */
  readonly speed: number;
  /** The time to report for the first record, ms; undefined: so that the last one happens now. */
  readonly at: number | undefined;
}

export interface ReplayedEvent {
  readonly visitor: string;
  readonly event: string;
  readonly beaconId: string;
  /** Milliseconds of the recording. */
  readonly recordedAt: number;
  readonly distance: number | undefined;
}

export interface ReplayTotals {
  sightings: number;
  duplicates: number;
  events: number;
  messages: number;
  openVisits: number;
  errors: number;
  lastError: string | undefined;
}

export interface ReplayTools {
  readonly client: ServiceClient;
  readonly pace: CommandClock;
  readonly onEvent: (event: ReplayedEvent) => void;
}

const tickMs = 200;
const maxAtOnce = 500;

export interface Timeline {
  /** The service's time of the first record. */
  readonly base: number;
  /** Milliseconds from the beginning until the last record is sent. */
  readonly lasts: number;
}

/**
 * The time between two records stays as recorded, since the engine's decisions depend on it. A recording that is played
 * faster therefore begins in the past and catches up: its last record happens now. Undefined when `at` and the speed
 * would send records from the future.
 */
export function timelineOf({ recorded, speed, at }: Replay, now: number): Timeline | undefined {
  const length = (recorded.at(-1)?.at ?? 0) - (recorded[0]?.at ?? 0);
  const lasts = length / speed;
  const latest = now - Math.max(0, length - lasts);
  if (at !== undefined && at > latest) return undefined;
  return { base: Math.floor(at ?? latest), lasts };
}

/** Resolves when everything is sent and answered, or when it was stopped. @throws ServiceError */
export async function runReplay(replay: Replay, timeline: Timeline, tools: ReplayTools): Promise<ReplayTotals> {
  const { client, pace } = tools;
  const { recorded, speed } = replay;
  const player = new Player(replay, timeline, tools);
  const visitors = [...new Set(recorded.map(({ visitor }) => visitor))];
  await client.forEach(visitors, async (visitor) => {
    await register(client, { run: replay.name, visitor });
  });
  const start = pace.now();
  const first = recorded[0]?.at ?? 0;
  for (let next = 0; next < recorded.length && !pace.stop.aborted; ) {
    const due: Recorded[] = [];
    const reached = first + (speed === Number.POSITIVE_INFINITY ? speed : (pace.now() - start) * speed);
    for (; next < recorded.length && due.length < maxAtOnce; next++) {
      const one = recorded[next] as Recorded;
      if (one.at > reached) break;
      due.push(one);
    }
    // One after the other, so that nothing overtakes an earlier record.
    await player.send(due);
    if (next < recorded.length && due.length < maxAtOnce) await pace.wait(tickMs);
  }
  return player.totals;
}

class Player {
  readonly totals: ReplayTotals = {
    sightings: 0,
    duplicates: 0,
    events: 0,
    messages: 0,
    openVisits: 0,
    errors: 0,
    lastError: undefined,
  };
  readonly #replay: Replay;
  readonly #tools: ReplayTools;
  /** The offset to add to a recorded time. */
  readonly #shift: number;

  constructor(replay: Replay, { base }: Timeline, tools: ReplayTools) {
    this.#replay = replay;
    this.#tools = tools;
    this.#shift = base - (replay.recorded[0]?.at ?? 0);
  }

  async send(due: readonly Recorded[]): Promise<void> {
    for (const [visitor, own] of Map.groupBy(due, (one) => one.visitor)) await this.#sendOf(visitor, own);
  }

  async #sendOf(visitor: string, own: readonly Recorded[]): Promise<void> {
    const { client, pace } = this.#tools;
    const installationId = installationIdOf(this.#replay.name, visitor);
    const sightings = own.map(({ at, beacon, sighting }) => ({
      ...sighting,
      ...(beacon === undefined ? {} : { beacon }),
      occurredAt: Math.round(at + this.#shift),
    }));
    const body = () => ({ installationId, sightings, sentAt: pace.now() });
    const reply = await client.patiently('POST', '/sightings', body);
    if (!reply) return;
    if (reply.status !== 200) {
      this.totals.errors++;
      this.totals.lastError = refusal(reply);
      return;
    }
    this.#count(visitor, own.length, reply.body.result);
  }

  #count(visitor: string, sent: number, result: Result): void {
    const { totals } = this;
    totals.sightings += sent;
    totals.duplicates += result.duplicates;
    totals.events += result.events.length;
    totals.messages += result.messages.length;
    const wrong = result.problems.filter(({ code }) => code !== 'late');
    totals.errors += wrong.length;
    if (wrong[0]) totals.lastError = wrong[0].message;
    for (const { event, beaconId, occurredAt, distance } of result.events) {
      if (event === 'ENTER') totals.openVisits++;
      if (event === 'EXIT') totals.openVisits--;
      const recordedAt = Date.parse(occurredAt) - this.#shift;
      this.#tools.onEvent({ visitor, event, beaconId: beaconId.objectId, recordedAt, distance });
    }
  }
}

interface Result {
  readonly duplicates: number;
  readonly events: readonly {
    readonly event: string;
    readonly beaconId: { readonly objectId: string };
    readonly occurredAt: string;
    readonly distance?: number;
  }[];
  readonly messages: readonly unknown[];
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}
