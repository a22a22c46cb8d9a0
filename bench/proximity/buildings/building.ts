import type { Point, Sample } from '../recordings.ts';
import { type Route, robotRoute, standingRoute, walkerRoute } from './people.ts';
import { drawPlan, type Plan } from './plan.ts';
import { type Air, drawAir, type Ear, linkOf } from './radio.ts';
import { type Random, randomOf } from './random.ts';

/**
 * Random buildings with everything in them that is heard, to judge an engine on what nobody has tuned it for. The ranges
 * hold those of the recorded sources (summaries.ts shows it) and more. The same seed makes the same building.
 */

export type Kind = 'walker' | 'robot' | 'standing';

export interface Trace {
  readonly kind: Kind;
  readonly ear: Ear;
  /** In order of time, with the true place. */
  readonly samples: readonly (Sample & { readonly position: Point })[];
  /** The true place at each half second, ms. */
  readonly truth: readonly { readonly at: number; readonly position: Point }[];
}

export interface Building {
  readonly seed: number;
  readonly plan: Plan;
  readonly air: Air;
  readonly traces: readonly Trace[];
  /** As somebody calibrated them: 2 dB beside the truth, by beacon, dBm. */
  readonly calibrated: ReadonlyMap<string, number>;
  /** As the packets state them: the same for all, and wrong. */
  readonly stated: number;
}

const WALK_SECONDS = 180;
const STAND_SECONDS = 120;
/** 1 November 2023, so that times look like times. */
const START = 1_698_796_800_000;

export function makeBuilding(seed: number): Building {
  const random = randomOf(seed);
  const plan = drawPlan(random);
  const air = drawAir(random);
  const scene = { plan, air };
  const traces = [
    trace(random, scene, { kind: 'walker', route: walkerRoute(random, plan, WALK_SECONDS), ear: phone(random) }),
    trace(random, scene, { kind: 'walker', route: walkerRoute(random, plan, WALK_SECONDS), ear: phone(random) }),
    trace(random, scene, { kind: 'robot', route: robotRoute(random, plan, WALK_SECONDS), ear: tag(random) }),
    ...[0, 1, 2].map(() =>
      trace(random, scene, { kind: 'standing', route: standingRoute(random, plan), ear: phone(random) }),
    ),
  ];
  const calibrated = new Map(plan.beacons.map(({ id, power }) => [id, Math.round(power + 2 * random.normal())]));
  return { seed, plan, air, traces, calibrated, stated: Math.round(random.between(-71, -53)) };
}

/** In a hand, a pocket or a bag. */
const phone = (random: Random): Ear => ({
  offset: random.between(-18, 4),
  body: random.between(2, 12),
  lost: random.scaled(0.05, 0.6),
  averages: random.chance(0.3),
});

/** On a robot or on a wrist: a bare antenna. */
const tag = (random: Random): Ear => ({
  offset: random.between(-8, 4),
  body: random.between(0, 6),
  lost: random.scaled(0.05, 0.4),
  averages: random.chance(0.3),
});

interface Moving {
  readonly kind: Kind;
  readonly route: Route;
  readonly ear: Ear;
}

function trace(random: Random, { plan, air }: Pick<Building, 'plan' | 'air'>, { kind, route, ear }: Moving): Trace {
  const seconds = kind === 'standing' ? STAND_SECONDS : WALK_SECONDS;
  const found: { at: number; beacon: string; rssi: number }[] = [];
  for (const beacon of plan.beacons) {
    const hear = linkOf(random, { plan, air, beacon, ear });
    for (let at = random.between(0, beacon.interval); at < seconds; at += beacon.interval + random.between(0, 0.01)) {
      const rssi = hear(route(at));
      if (rssi !== null) found.push({ at: START + Math.round(1000 * at), beacon: beacon.id, rssi });
    }
  }
  const told = (ear.averages ? averaged(found) : found).sort((a, b) => a.at - b.at || (a.beacon < b.beacon ? -1 : 1));
  const truth = Array.from({ length: 2 * seconds }, (_, half) => half / 2);
  const placeAt = (at: number) => route(at).place;
  return {
    kind,
    ear,
    samples: told.map((sample) => ({ ...sample, position: placeAt((sample.at - START) / 1000) })),
    truth: truth.map((at) => ({ at: START + 1000 * at, position: placeAt(at) })),
  };
}

/** Some phones tell the mean of each second, in whole dBm, at its end. */
function averaged(samples: readonly Omit<Sample, 'position'>[]): Omit<Sample, 'position'>[] {
  const seconds = new Map<string, { at: number; beacon: string; sum: number; count: number }>();
  for (const { at, beacon, rssi } of samples) {
    const end = Math.ceil((at + 1) / 1000) * 1000;
    const one = seconds.get(`${beacon} ${end}`) ?? { at: end, beacon, sum: 0, count: 0 };
    one.sum += rssi;
    one.count++;
    seconds.set(`${beacon} ${end}`, one);
  }
  return [...seconds.values()].map(({ at, beacon, sum, count }) => ({ at, beacon, rssi: Math.round(sum / count) }));
}
