import { type FloorPlan, type Report, Routes, Visitor } from '@pharos/engine/simulation';
import { type CommandClock, type Reply, refusal, type ServiceClient } from '../../support/service-client.ts';
import { installationIdOf, register } from './installations.ts';

/** Moves virtual visitors and sends what their phones hear to the service. */

export interface SimulationRun {
  readonly name: string;
  readonly plan: FloorPlan;
  readonly seed: string;
  readonly visitors: number;
  /** Most sightings per second of all visitors together. */
  readonly rate: number;
  /** Undefined: until it is stopped. */
  readonly durationMs: number | undefined;
}

export interface Totals {
  sightings: number;
  /** Reports that were skipped to stay under the rate. */
  skipped: number;
  events: number;
  messages: number;
  /** Refused batches and unusable sightings. */
  errors: number;
  lastError: string | undefined;
}

export interface RunTools {
  readonly client: ServiceClient;
  readonly pace: CommandClock;
  /** Called every few seconds; `seconds` since the last call. */
  readonly progress: (totals: Readonly<Totals>, seconds: number) => void;
}

const tickMs = 100;
const progressMs = 5_000;
/** While the service is away, a phone keeps this many sightings; the oldest are dropped first. */
const maxWaiting = 600;

/** A visitor and what its phone has not sent yet. */
class Phone {
  readonly number: number;
  readonly visitor: Visitor;
  waiting: object[] = [];
  sending: Promise<void> | undefined;

  constructor(run: SimulationRun, routes: Routes, number: number) {
    this.number = number;
    this.visitor = new Visitor(run.plan, routes, run.seed, number);
  }

  keep({ at, heard }: Report, start: number): void {
    const occurredAt = start + at;
    this.waiting.push(
      ...heard.map(({ beacon, rssi }) => ({
        ...beacon.address,
        rssi,
        txPower: beacon.measuredPower,
        occurredAt,
      })),
    );
    if (this.waiting.length > maxWaiting) this.waiting.splice(0, this.waiting.length - maxWaiting);
  }
}

/** Resolves when the time is over or it was stopped, and every request is answered. @throws ServiceError */
export async function runSimulation(run: SimulationRun, tools: RunTools): Promise<Totals> {
  const { pace, progress } = tools;
  const crowd = new Crowd(run, tools);
  await crowd.register();
  const start = pace.now();
  const end = start + (run.durationMs ?? Number.POSITIVE_INFINITY);
  for (let shown = start; !pace.stop.aborted && pace.now() <= end; await pace.wait(tickMs)) {
    crowd.live(start, pace.now());
    if (pace.now() - shown < progressMs) continue;
    progress(crowd.totals, (pace.now() - shown) / 1000);
    shown = pace.now();
  }
  await crowd.settle();
  return crowd.totals;
}

class Crowd {
  readonly totals: Totals = { sightings: 0, skipped: 0, events: 0, messages: 0, errors: 0, lastError: undefined };
  readonly #run: SimulationRun;
  readonly #tools: RunTools;
  readonly #phones: readonly Phone[];
  /** Reports in the order in which they may be sent; only the newest of each phone. */
  readonly #reports = new Map<Phone, Report>();
  /** How many sightings the rate allows at the moment. */
  #allowance: number;
  #lastAt: number | undefined;
  #failure: unknown;

  constructor(run: SimulationRun, tools: RunTools) {
    this.#run = run;
    this.#tools = tools;
    this.#allowance = run.rate;
    const routes = new Routes(run.plan);
    this.#phones = Array.from({ length: run.visitors }, (_, index) => new Phone(run, routes, index + 1));
  }

  register(): Promise<void> {
    const { client } = this.#tools;
    return client.forEach(this.#phones, async ({ number }) => {
      await register(client, { run: this.#run.name, visitor: number });
    });
  }

  /** @throws the error of a request that cannot be tried again */
  live(start: number, now: number): void {
    if (this.#failure !== undefined) throw this.#failure;
    const { rate } = this.#run;
    this.#allowance = Math.min(rate, this.#allowance + (rate * (now - (this.#lastAt ?? now))) / 1000);
    this.#lastAt = now;
    for (const phone of this.#phones) {
      for (const report of phone.visitor.live(now - start)) {
        if (this.#reports.has(phone)) this.totals.skipped++;
        this.#reports.set(phone, report);
      }
    }
    for (const [phone, report] of this.#reports) {
      if (this.#allowance <= 0) break;
      this.#allowance -= report.heard.length;
      this.#reports.delete(phone);
      phone.keep(report, start);
    }
    for (const phone of this.#phones) {
      if (!phone.sending && phone.waiting.length > 0) phone.sending = this.#begin(phone);
    }
  }

  #begin(phone: Phone): Promise<void> {
    return this.#send(phone)
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => {
        phone.sending = undefined;
      });
  }

  async settle(): Promise<void> {
    await Promise.all(this.#phones.map(({ sending }) => sending));
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #send(phone: Phone): Promise<void> {
    const { client, pace } = this.#tools;
    const sightings = phone.waiting;
    phone.waiting = [];
    const installationId = installationIdOf(this.#run.name, phone.number);
    const body = () => ({ installationId, sightings, sentAt: pace.now() });
    const reply = await client.patiently('POST', '/sightings', body);
    if (!reply) return;
    if (reply.status === 200) {
      this.totals.sightings += sightings.length;
      count(this.totals, reply);
      return;
    }
    this.totals.errors++;
    this.totals.lastError = refusal(reply);
    // It was removed, or the service now uses another database.
    if (reply.status === 404) await register(client, { run: this.#run.name, visitor: phone.number });
  }
}

function count(totals: Totals, { body }: Reply): void {
  const { events, messages, problems } = body.result;
  totals.events += events.length;
  totals.messages += messages.length;
  totals.errors += problems.length;
  if (problems.length > 0) totals.lastError = problems[0].message;
}
