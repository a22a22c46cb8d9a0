import { crosses, distance, type FloorPlan, type PlannedBeacon, type Spot } from './plan.ts';
import type { Random } from './random.ts';

/**
 * What a phone hears of a beacon. Powers in dBm, losses in dB, distances in metres:
 *
 *   rssi = measuredPower − 10·n·log10(d) − walls − floors − body − shadowing + fading
 */

/** At shorter distances the far-field model is not valid. */
const nearest = 0.3;
/**
 * Shadowing by surrounding objects: log-normal, deviation 4 dB unless the plan says otherwise, correlated over the way that the phone moves with ρ(Δ)
 * = e^(−Δ/2 m). Source: M. Gudmundson, "Correlation model for shadow fading in mobile radio systems", Electronics
 * Letters 27(23), 1991; the distance is chosen for rooms.
 */
const shadowDeviation = 4;
const shadowDistance = 2;
/**
 * A body between phone and beacon. In MIT Lincoln Laboratory's recordings (BLE-RSSI-Various-Static-Configurations, 2020)
 * a phone in a back pocket hears −49 dBm from behind and −62 dBm through its owner.
 */
const bodyLoss = 12;
/** Source: Recommendation ITU-R P.1238, floor penetration at 1.8–2 GHz in offices: 15 + 4·(floors − 1) dB. */
const floorLoss = (floors: number) => (floors === 0 ? 0 : 15 + 4 * (floors - 1));
const floorHeight = 4;
/**
 * Power of the direct path over that of the echoes: 6 dB in line of sight; otherwise there are only echoes (Rayleigh).
 */
const riceFactor = 4;
/**
 * The level at which every second packet is lost, and how steep the loss is; a phone's receiver hears down to about −95
 * dBm.
 */
const sensitivity = -95;
const steepness = 1.5;

/** The position of a phone and the direction in which its owner looks; the phone is in front of the body. */
export interface Listener extends Spot {
  /** Radians, 0 along x. */
  readonly heading: number;
}

/** One phone's reception: the shadows around it change as it moves. */
export class Reception {
  readonly #plan: FloorPlan;
  readonly #random: Random;
  readonly #loss: number;
  readonly #shadows = new Map<PlannedBeacon, { loss: number; at: Spot }>();

  /** `loss`: how much less this phone hears than others, dB. */
  constructor(plan: FloorPlan, random: Random, loss = 0) {
    this.#plan = plan;
    this.#random = random;
    this.#loss = loss;
  }

  /** The RSSI of one packet in whole dBm, or undefined when it was lost. */
  hear(beacon: PlannedBeacon, listener: Listener): number | undefined {
    const walls = this.#plan.walls.filter((wall) => beacon.floor === listener.floor && crosses(wall, beacon, listener));
    const floors = Math.abs(beacon.floor - listener.floor);
    const isInSight = walls.length === 0 && floors === 0;
    const rssi =
      beacon.measuredPower -
      this.#loss -
      this.#pathLoss(beacon, listener, floors) -
      walls.reduce((sum, { loss }) => sum + loss, 0) -
      floorLoss(floors) -
      behindBody(beacon, listener) -
      this.#shadow(beacon, listener) +
      fading(this.#random, isInSight ? riceFactor : 0);
    const isReceived = this.#random.next() < 1 / (1 + Math.exp((sensitivity - rssi) / steepness));
    return isReceived ? Math.min(-1, Math.round(rssi)) : undefined;
  }

  /** Log-distance path loss relative to one metre. Source: T. S. Rappaport, "Wireless Communications", 2nd ed., §4.9.1. */
  #pathLoss(beacon: PlannedBeacon, listener: Listener, floors: number): number {
    const metres = Math.hypot(distance(beacon, listener), floors * floorHeight);
    const { loss = 0, exponent = 0 } = beacon.learned ?? {};
    return loss + 10 * (this.#plan.pathLossExponent + exponent) * Math.log10(Math.max(nearest, metres));
  }

  #shadow(beacon: PlannedBeacon, listener: Listener): number {
    const before = this.#shadows.get(beacon);
    const deviation = this.#plan.shadowDeviation ?? shadowDeviation;
    if (!before) {
      const loss = deviation * this.#random.normal();
      this.#shadows.set(beacon, { loss, at: listener });
      return loss;
    }
    const correlation = Math.exp(-distance(before.at, listener) / shadowDistance);
    const fresh = deviation * Math.sqrt(1 - correlation ** 2) * this.#random.normal();
    before.loss = correlation * before.loss + fresh;
    before.at = listener;
    return before.loss;
  }
}

/** Nothing in front and at the sides, the full loss straight behind. */
function behindBody(beacon: Spot, listener: Listener): number {
  const toBeacon = Math.atan2(beacon.y - listener.y, beacon.x - listener.x);
  return bodyLoss * Math.max(0, -Math.cos(toBeacon - listener.heading));
}

/**
 * Fast fading of one packet in dB, mean power 1: Rice's distribution with factor k, Rayleigh's for k = 0. Packets come on
 * three channels far apart, so each fades by itself. Source: Rappaport, §5.6; R. Faragher and R. Harle, "Location
 * Fingerprinting With Bluetooth Low Energy Beacons", IEEE JSAC 33(11), 2015, for the three channels.
 */
function fading(random: Random, k: number): number {
  const direct = Math.sqrt(k / (k + 1));
  const spread = Math.sqrt(1 / (2 * (k + 1)));
  const power = (direct + spread * random.normal()) ** 2 + (spread * random.normal()) ** 2;
  return 10 * Math.log10(Math.max(power, 1e-4));
}
