import type { Body } from '../call.ts';
import type { PharosClient } from '../client.ts';
import * as operations from '../operations.ts';
import { report } from '../report.ts';
import type { Sighting, SightingQueue } from '../sighting-queue.ts';
import { missingPermissions, type Permission, type PlannedRegion, type SensingAdapter } from './adapter.ts';
import { type SensingFinding, type SensingHealth, sensingFindings } from './findings.ts';

export interface SensingOptions {
  readonly adapter: SensingAdapter;
  /** What the app registers; how the phone can sense is sent with it. */
  readonly installation: Body<'registerInstallation'> & { readonly installationId: string };
  /** Where sightings wait; its `onAnswer` gets the messages to show. An `OfflinePhone` does as well: `{ add: (...heard) => phone.sense(...heard), flush: () => phone.flush() }`. */
  readonly queue: Pick<SightingQueue, 'add' | 'flush'>;
  /** Where the last plan is kept, so that after a restart without a network the phone hears by it. Without it, it hears nothing then. */
  readonly storage?: {
    load(): string | null | Promise<string | null>;
    save(text: string): unknown;
  };
  /** Whether to hear in the background, too; true by default. */
  readonly background?: boolean;
  /** Whether to ask for notifications; true by default. */
  readonly notifications?: boolean;
  /** At most so many regions, where other parts of the app monitor some; 20 by default, which is all that iOS allows. */
  readonly maxRegions?: number;
  /** How the phone moves, as its system recognises it: it goes along with what is heard. */
  readonly motion?: () => 'still' | 'walking' | 'vehicle' | undefined;
  /** Receives what fails while the app is running. Without it the platform's `reportError` or its error log. */
  readonly onError?: (error: unknown) => void;
  /** For tests: epoch milliseconds. */
  readonly now?: () => number;
}

/** Why the system started the app: it goes into the report of how the phone can sense. */
export type WakeReason = NonNullable<SensingHealth['lastWakeBecause']>;

const flushEveryMs = 5_000;

/** Asks for what is missing, hears beacons, and monitors what the service has planned. */
export class Sensing {
  readonly #client: Pick<PharosClient, 'call'>;
  readonly #options: SensingOptions;
  #regions: ReadonlyMap<string, PlannedRegion> = new Map();
  #end: (() => void) | undefined;
  #venueId: string | undefined;
  #isStarted = false;
  /** How the phone can sense, while the service has not been told. */
  #unreported: Body<'registerInstallation'> | undefined;
  #flushedAt = 0;
  #planning: Promise<void> | undefined;
  #isPlanOld = false;

  constructor(client: Pick<PharosClient, 'call'>, options: SensingOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Why this phone hears nothing, the worst first: what the console says of it. Asks nobody. */
  async doctor(): Promise<readonly SensingFinding[]> {
    const { adapter } = this.#options;
    return sensingFindings(adapter.device, await adapter.read());
  }

  /**
   * Asks the visitor for what is missing, tells the service how the phone can sense, and begins to hear. Call it where the visitor sees
   * what it is for, and at each later start of the app; what was granted is not asked for again. `venue` is where the phone is expected
   * (an objectId), as long as nothing was heard. Without a network it hears by the plan that was kept, and tells the service later.
   *
   * @throws PharosError when no plan was kept, and the installation cannot be registered or its regions cannot be planned
   */
  async start(
    venue?: string,
    { because = 'launch' }: { readonly because?: WakeReason } = {},
  ): Promise<readonly SensingFinding[]> {
    const { adapter, installation, now = Date.now } = this.#options;
    await this.#askForAll();
    const health = await adapter.read();
    const sensing = { ...health, lastWakeAt: new Date(now()).toISOString(), lastWakeBecause: because };
    this.#venueId = venue;
    this.#unreported = { ...installation, sensing };
    this.#isStarted = true;
    const kept = await this.#keptPlan();
    if (kept) await this.#hearIn(kept);
    try {
      await this.#tell();
    } catch (error) {
      if (!kept) {
        this.#isStarted = false;
        throw error;
      }
      report(error, this.#options.onError);
    }
    return sensingFindings(adapter.device, health);
  }

  /** Ends hearing and monitoring. */
  stop(): void {
    this.#isStarted = false;
    this.#end?.();
    this.#end = undefined;
  }

  /** One after the other: a platform shows one question at a time, and some depend on the answer before. */
  async #askForAll(): Promise<void> {
    const { adapter } = this.#options;
    const asked = new Set<Permission>();
    for (;;) {
      const next = missingPermissions(adapter.device, await adapter.read(), this.#options).find(
        (one) => !asked.has(one),
      );
      if (next === undefined) return;
      asked.add(next);
      await adapter.ask(next);
    }
  }

  async #keptPlan(): Promise<readonly PlannedRegion[] | undefined> {
    const { storage, onError } = this.#options;
    try {
      const kept: unknown = JSON.parse((await storage?.load()) ?? 'null');
      return Array.isArray(kept) ? (kept as readonly PlannedRegion[]) : undefined;
    } catch (error) {
      report(error, onError);
      return undefined;
    }
  }

  /** Tells the service how the phone can sense, unless it knows, and plans anew. */
  async #tell(): Promise<void> {
    const body = this.#unreported;
    if (body) await this.#client.call(operations.registerInstallation, { body });
    await this.#plan();
    if (this.#unreported === body) this.#unreported = undefined;
  }

  /** At most one plan is under way; what changes meanwhile makes another one. */
  #plan(): Promise<void> {
    this.#isPlanOld = true;
    this.#planning ??= this.#planWhileOld().finally(() => {
      this.#planning = undefined;
    });
    return this.#planning;
  }

  async #planWhileOld(): Promise<void> {
    const { installation, maxRegions, storage } = this.#options;
    while (this.#isPlanOld && this.#isStarted) {
      this.#isPlanOld = false;
      const query = {
        installationId: installation.installationId,
        ...(this.#venueId === undefined ? {} : { venueId: this.#venueId }),
        ...(maxRegions === undefined ? {} : { maxRegions }),
      };
      const { regions } = (await this.#client.call(operations.planRegions, { query })).result;
      await this.#hearIn(regions);
      // A storage that is full keeps no phone from hearing.
      this.#background(async () => {
        await storage?.save(JSON.stringify(regions));
      });
    }
  }

  async #hearIn(regions: readonly PlannedRegion[]): Promise<void> {
    this.#regions = new Map(regions.map((region) => [region.identifier, region]));
    const end = await this.#options.adapter.hear(regions, {
      onBorder: ({ identifier, event }) => this.#background(() => this.#cross(identifier, event)),
      onSamples: (samples) => this.#background(() => this.#hear(samples)),
    });
    if (this.#isStarted) this.#end = end;
    else end();
  }

  /** Entering the region of a whole venue is an ENTER of that venue; where else the phone is follows from what it hears now. */
  async #cross(identifier: string, event: 'ENTER' | 'EXIT'): Promise<void> {
    const { queue } = this.#options;
    const region = this.#regions.get(identifier);
    if (!this.#isStarted || region === undefined) return;
    if (region.place) await queue.add({ place: region.place, event });
    await queue.flush();
    await this.#tell();
  }

  async #hear(samples: readonly Sighting[]): Promise<void> {
    const { queue, motion, now = Date.now } = this.#options;
    if (!this.#isStarted || samples.length === 0) return;
    const moves = motion?.();
    await queue.add(...(moves === undefined ? samples : samples.map((one) => ({ motion: moves, ...one }))));
    if (Math.abs(now() - this.#flushedAt) < flushEveryMs) return;
    this.#flushedAt = now();
    await queue.flush();
    if (this.#unreported) await this.#tell();
  }

  /** What cannot be sent waits in the queue. */
  #background(work: () => Promise<void>): void {
    work().catch((error: unknown) => report(error, this.#options.onError));
  }
}
