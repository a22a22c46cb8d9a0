import type { Point } from '../recordings.ts';
import { distanceBetween } from '../truth.ts';
import { type Beacon, type Plan, wallsBetween } from './plan.ts';
import type { Random } from './random.ts';

/** What arrives of a packet: path loss, walls, shadows that belong to places, the visitor's body, and fading. */

/** The radio of one building. */
export interface Air {
  /** Standard deviation of what furniture takes away, by place, dB, and over how many metres it stays alike. */
  readonly shadow: number;
  readonly reach: number;
  /** Power of the direct wave beside all reflected ones: the K factor of Rice. */
  readonly rice: number;
  /** Noise of the receiver, dB. */
  readonly noise: number;
  /** Below this nothing is heard, dBm. */
  readonly floor: number;
}

/** Who hears. */
export interface Ear {
  /** How much louder than an ear of 0 dB, dB. */
  readonly offset: number;
  /** What the body takes away from a beacon behind it, dB. */
  readonly body: number;
  /** Share of packets that are not noticed. */
  readonly lost: number;
  /** Tells the mean of each second only. */
  readonly averages: boolean;
}

export const drawAir = (random: Random): Air => ({
  shadow: random.between(1.5, 5),
  reach: random.between(1, 5),
  rice: 10 ** (random.between(-10, 12) / 10),
  noise: random.between(0.5, 3),
  floor: random.between(-102, -94),
});

const CHANNELS = 3;
const WAVES = 12;
/** Half a wavelength at 2.4 GHz: beyond it fading is another, m. */
const FADE_REACH = 0.06;

/** A visitor at a moment, s. */
export interface Pose {
  readonly at: number;
  readonly place: Point;
  /** Where the visitor looks, radians. */
  readonly heading: number;
}

/** Between whom a packet travels. */
interface Link {
  readonly plan: Plan;
  readonly air: Air;
  readonly beacon: Beacon;
  readonly ear: Ear;
}

/** What one visitor hears of the packets of one beacon, in order of time: whole dBm; null where a packet is lost. */
export function linkOf(random: Random, { plan, air, beacon, ear }: Link): (pose: Pose) => number | null {
  const shadow = shadowOf(random, air);
  const fades = Array.from({ length: CHANNELS }, () => fadeOf(random, air.rice));
  return (pose) => {
    const { place, heading } = pose;
    const fade = fades[Math.floor(random.unit() * CHANNELS)] as (pose: Pose) => number;
    const metres = Math.max(0.3, distanceBetween(place, beacon));
    const ahead = Math.cos(Math.atan2(beacon.y - place.y, beacon.x - place.x) - heading);
    const level =
      beacon.power -
      10 * plan.exponent * Math.log10(metres) -
      plan.wallLoss * wallsBetween(plan, place, beacon) +
      shadow(place) -
      (ear.body * (1 - ahead)) / 2 +
      ear.offset +
      fade(pose) +
      air.noise * random.normal();
    // Weak packets are lost by and by.
    const lost = ear.lost + (1 - ear.lost) / (1 + Math.exp((level - air.floor) / 1.5));
    return random.chance(lost) ? null : Math.min(-20, Math.round(level));
  };
}

/** Shadowing that stays alike over some metres, dB: a sum of waves in random directions (Shinozuka and Jan, 1972). */
function shadowOf(random: Random, { shadow, reach }: Air): (place: Point) => number {
  const waves = Array.from({ length: WAVES }, () => ({
    x: random.normal() / reach,
    y: random.normal() / reach,
    phase: random.between(0, 2 * Math.PI),
  }));
  const scale = shadow * Math.sqrt(2 / WAVES);
  return ({ x, y }) => scale * waves.reduce((sum, wave) => sum + Math.cos(wave.x * x + wave.y * y + wave.phase), 0);
}

/** Rician fading of one channel, dB beside the mean power: another one after half a wavelength, and drifting while nobody moves. */
function fadeOf(random: Random, rice: number): (pose: Pose) => number {
  // Seconds until people and doors elsewhere have changed the reflections.
  const calm = random.scaled(30, 3600);
  const direct = Math.sqrt(rice / (rice + 1));
  const scatter = Math.sqrt(1 / (2 * (rice + 1)));
  let [real, imaginary] = [random.normal(), random.normal()];
  let last: Pose | null = null;
  return (pose) => {
    if (last !== null) {
      const moved = Math.hypot(pose.place.x - last.place.x, pose.place.y - last.place.y) / FADE_REACH;
      const keep = Math.exp(-moved - (pose.at - last.at) / calm);
      const fresh = Math.sqrt(1 - keep * keep);
      real = keep * real + fresh * random.normal();
      imaginary = keep * imaginary + fresh * random.normal();
    }
    last = pose;
    const power = (direct + scatter * real) ** 2 + (scatter * imaginary) ** 2;
    return 10 * Math.log10(Math.max(1e-4, power));
  };
}
