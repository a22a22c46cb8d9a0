import { lossFromPowers, pathLoss, powerShare } from '../presence/distance.ts';
import type { PresenceSettings, Sample } from '../presence/types.ts';

/** A walk through a floor, or a stand at one spot, whose place is known: what a map of the signals is made from. */

/** Where the surveyor was at a time (ms); x and y in metres. */
export interface Waypoint {
  readonly at: number;
  readonly x: number;
  readonly y: number;
  readonly floor?: number;
}

export interface Survey {
  readonly id: string;
  /** In order of time. Between two of them the surveyor walks straight and evenly; a single one is a spot to stand at. */
  readonly way: readonly Waypoint[];
  readonly samples: readonly Sample[];
}

/** One second of one beacon: where it was heard, and the path loss of the mean power, dB. */
export interface Heard {
  readonly beaconId: string;
  readonly x: number;
  readonly y: number;
  readonly floor: number;
  readonly loss: number;
}

/** Where the surveyor was; null before the first and after the last waypoint. */
export function placeAt(way: readonly Waypoint[], at: number): Omit<Waypoint, 'at'> | null {
  const [first] = way;
  if (way.length === 1 && first !== undefined) return first;
  const index = way.findIndex((point) => point.at >= at);
  const [before, after] = [way[index - 1], way[index]];
  if (after === undefined) return null;
  if (before === undefined) return after.at === at ? after : null;
  const part = (at - before.at) / (after.at - before.at);
  const { floor } = part < 0.5 ? before : after;
  return {
    x: before.x + part * (after.x - before.x),
    y: before.y + part * (after.y - before.y),
    ...(floor === undefined ? {} : { floor }),
  };
}

/** What a survey heard, second by second, as a position hears it: the mean of the powers counts. */
export function heardIn(survey: Survey, settingsOf: (beaconId: string) => PresenceSettings): Heard[] {
  const seconds = new Map<
    string,
    { beaconId: string; x: number; y: number; floor: number; power: number; n: number }
  >();
  for (const sample of survey.samples) {
    const { beaconId, occurredAt } = sample;
    const place = placeAt(survey.way, occurredAt);
    const loss = pathLoss(sample, settingsOf(beaconId));
    if (place === null || loss === null) continue;
    const { x, y, floor = 0 } = place;
    const key = `${Math.floor(occurredAt / 1000)} ${floor} ${beaconId}`;
    const second = seconds.get(key) ?? { beaconId, x: 0, y: 0, floor, power: 0, n: 0 };
    second.x += x;
    second.y += y;
    second.power += powerShare(loss);
    second.n++;
    seconds.set(key, second);
  }
  return [...seconds.values()].map(({ beaconId, x, y, floor, power, n }) => ({
    beaconId,
    x: x / n,
    y: y / n,
    floor,
    loss: lossFromPowers(power, n),
  }));
}
