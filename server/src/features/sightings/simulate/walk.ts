import { type Report, Visitor } from '@pharos/engine/simulation';
import { FairQueue } from '../../../base/fair-queue.ts';
import { WorkSlices, whenQuiet } from '../../../base/work-slices.ts';
import type { Db } from '../../../db/db.ts';
import { readBatch } from '../batch/batch.ts';
import type { Placed } from '../batch/placing.ts';
import type { Decision } from '../decide/decide.ts';
import { answeredEvents, answeredMessages, answeredVerdict } from '../intake/answer.ts';
import { type Pretence, PretendedInstallation } from './simulate.ts';
import type { Stage } from './stage.ts';

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

/** Where a visitor is, and is believed to be, at the end of a second. */
export interface WalkStep {
  /** Seconds after the beginning. */
  readonly at: number;
  /** Metres; absent while the visitor is not in the building. */
  readonly x?: number;
  readonly y?: number;
  /** The level of the floor. */
  readonly floor?: number;
  /** How many beacons the phone has heard in this second. */
  readonly heard: number;
  readonly believed?: Believed;
}

export interface Believed {
  /** objectId of the nearest beacon. */
  readonly beacon: string;
  readonly x?: number;
  readonly y?: number;
  readonly floor?: number;
  readonly accuracy?: number;
  /** Metres between where the visitor is and is believed to be. */
  readonly error?: number;
}

/** One visitor's walk, as it is answered. */
export interface Walked {
  readonly number: number;
  readonly steps: readonly WalkStep[];
  readonly events: readonly object[];
  readonly verdicts: readonly object[];
  readonly messages: readonly object[];
}

/** A message that was judged, as its editors know it. */
export interface JudgedMessage {
  readonly objectId: string;
  readonly kind: string;
  readonly name: string;
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
      const placed = this.#placed(report);
      if (placed.length > 0) this.#note([await this.#pretended.take(placed)]);
    }
    this.#note(await this.#pretended.passTime(start + at * 1_000));
    this.#steps.push(this.#stepAt(at, heard));
  }

  /** As the phone would have sent it. */
  #placed({ at, heard }: Report): Placed[] {
    const occurredAt = this.#walk.start + at;
    const sightings = heard.map(({ beacon, rssi }) => ({
      ...beacon.address,
      rssi,
      txPower: beacon.measuredPower,
      occurredAt,
    }));
    return readBatch({ sightings }, occurredAt).items.flatMap((item): Placed[] => {
      const { subject } = item;
      const id = subject.direction === 'phone' ? subject.beaconId : undefined;
      const beacon = this.#walk.stage.beacons.get(id ?? '');
      return beacon ? [{ item, beacon, installationId: '' }] : [];
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

function believedOf({ beaconId, position }: Known, truth: Visitor['walker']['position']): Believed {
  if (!position) return { beacon: beaconId };
  const error = truth && centimetres(Math.hypot(position.x - truth.x, position.y - truth.y));
  return { beacon: beaconId, ...position, ...(error === undefined ? {} : { error }) };
}
