import { Guided, type Stop } from './guided.ts';
import type { FloorPlan, PlannedBeacon } from './plan.ts';
import { Reception } from './radio.ts';
import { createRandom, type Random } from './random.ts';
import { Routes } from './routes.ts';
import { type Pose, Walker } from './walker.ts';

/** What a phone reports of one beacon. */
export interface HeardBeacon {
  readonly beacon: PlannedBeacon;
  /** Whole dBm. */
  readonly rssi: number;
}

export interface Report {
  /** Milliseconds after the beginning. */
  readonly at: number;
  readonly heard: readonly HeardBeacon[];
}

/** A visitor with a position, or away (undefined), who moves as seconds pass. */
export interface Mover {
  readonly position: Pose | undefined;
  pass(seconds: number): void;
}

/** The phone listens in steps of this length, which is no longer than a beacon's interval. */
const stepMs = 100;
/** How long phones collect packets before they report. */
const scanMs = 1_000;

/**
 * A visitor with a phone in the hand. Phones report each beacon once a second, with the mean of the packets they
 * received since the last report. Source: Apple's documentation of CLBeacon.rssi.
 */
export class Visitor {
  readonly walker: Mover;
  readonly #radio: Reception;
  readonly #air: Random;
  readonly #beacons: readonly PlannedBeacon[];
  readonly #nextPacket: number[];
  readonly #packets = new Map<PlannedBeacon, { sum: number; count: number }>();
  #time = 0;
  #scanUntil: number;

  /**
   * `number` distinguishes the visitors of one seed, from 1; the same seed and number give the same walk and the same
   * signals. The visitor roams, or goes the way that was drawn. `loss`: how much less the phone hears than others, dB.
   */
  constructor(plan: FloorPlan, way: Routes | readonly Stop[], seed: string, number: number, loss = 0) {
    const random = createRandom(`${seed}/${number}/walk`);
    // The first comes at once, the others within a minute.
    const delay = number === 1 ? 0 : random.between(0, 60);
    this.walker = way instanceof Routes ? new Walker(plan, way, random, delay) : new Guided(way, random, delay);
    this.#air = createRandom(`${seed}/${number}/air`);
    this.#radio = new Reception(plan, this.#air, loss);
    this.#beacons = plan.beacons;
    this.#nextPacket = plan.beacons.map(({ interval }) => this.#air.between(0, interval));
    this.#scanUntil = Math.round(this.#air.between(stepMs, scanMs));
  }

  /** Advances to this many milliseconds after the beginning; returns the reports since the last call, one a second. */
  live(until: number): Report[] {
    const reports: Report[] = [];
    while (this.#time + stepMs <= until) {
      this.#time += stepMs;
      this.walker.pass(stepMs / 1000);
      this.#listen();
      if (this.#time < this.#scanUntil) continue;
      this.#scanUntil += scanMs;
      const heard = this.#gather();
      if (heard.length > 0) reports.push({ at: this.#time, heard });
    }
    return reports;
  }

  #listen(): void {
    const position = this.walker.position;
    this.#beacons.forEach((beacon, index) => {
      if ((this.#nextPacket[index] ?? 0) > this.#time) return;
      // A random delay of up to 10 ms. Source: Bluetooth Core Specification 5.4, Vol 6, Part B, 4.4.2.2.1 (advDelay).
      this.#nextPacket[index] = this.#time + beacon.interval + this.#air.between(0, 10);
      if (!position) return;
      const rssi = this.#radio.hear(beacon, position);
      if (rssi === undefined) return;
      const sum = this.#packets.get(beacon) ?? { sum: 0, count: 0 };
      this.#packets.set(beacon, { sum: sum.sum + rssi, count: sum.count + 1 });
    });
  }

  #gather(): HeardBeacon[] {
    const heard = [...this.#packets].map(([beacon, { sum, count }]) => ({ beacon, rssi: Math.round(sum / count) }));
    this.#packets.clear();
    return heard;
  }
}
