import { nearestTo, scoreVisits } from '../site-score.ts';
import { distanceBetween, RADIUS, trueVisits } from '../truth.ts';
import type { Building, Trace } from './building.ts';
import { type Played, play, type Second, type Told } from './play.ts';

/** How an engine does in buildings, in the measures of the recorded walks and of those who stand still. */

export interface BuildingScore {
  readonly visits: readonly Visit[];
  readonly falseEnters: number;
  /** One beacon watched for one hour. */
  readonly streamHours: number;
  readonly seconds: readonly Second[];
  readonly stood: readonly Stood[];
  /** Comings and goings of those who stand, after the first one, and for how long they stood, h. */
  readonly changes: number;
  readonly stillHours: number;
}

/** A true visit of somebody who moves; delays in ms, null where there is none. */
export interface Visit {
  readonly isHit: boolean;
  readonly duplicates: number;
  readonly enterDelay: number | null;
  readonly exitDelay: number | null;
  /** How quiet the phone is, dB; negative. */
  readonly offset: number;
  /** For how long this beacon was the nearest of all, s: where zones overlap, one at a time leaves some out rightly. */
  readonly own: number;
}

/** Somebody who stood within 4.5 m of the nearest beacon. */
export interface Stood {
  readonly metres: number;
  /** Share of the time in the right state. */
  readonly right: number;
  /** Whether a visit was seen at the nearest beacon. */
  readonly entered: boolean;
  readonly offset: number;
}

/** Whoever stands farther away is hardly ever taken for inside: that says nothing. */
const JUDGED_METRES = 4.5;
const HOUR_MS = 3_600_000;

export function scoreBuilding(building: Building, told: Told): BuildingScore {
  const scores = building.traces
    .filter(({ kind }) => told.isAlone !== true || kind === 'standing')
    .map((trace) => scoreTrace(trace, play(building, trace, told)));
  return addScores(scores);
}

function scoreTrace(trace: Trace, played: Played): BuildingScore {
  const { truth, kind, ear } = trace;
  const hours = ((truth.at(-1)?.at ?? 0) - (truth[0]?.at ?? 0)) / HOUR_MS;
  const none = { visits: [], falseEnters: 0, streamHours: 0, seconds: [], stood: [], changes: 0, stillHours: 0 };
  if (kind === 'standing')
    return { ...none, stood: stand(trace, played, hours), changes: Math.max(0, played.changes - 1), stillHours: hours };
  const path = { name: kind, samples: truth };
  const nearest = truth.map(({ position }) => nearestTo(position, played.beacons));
  const each = [...played.beacons].map(([id, place]) => {
    const { visits, falseEnters } = scoreVisits(path, place, played.found.get(id) ?? []);
    const real = trueVisits(path, place);
    const own = (index: number) => {
      const { start, end } = real[index] as (typeof real)[number];
      return truth.filter(({ at }, half) => at >= start && at <= end && nearest[half] === id).length / 2;
    };
    return { falseEnters, visits: visits.map((visit, index) => ({ ...visit, own: own(index) })) };
  });
  return {
    ...none,
    visits: each.flatMap(({ visits }) => visits.map((visit) => ({ ...visit, offset: ear.offset }))),
    falseEnters: each.reduce((sum, { falseEnters }) => sum + falseEnters, 0),
    streamHours: hours * played.beacons.size,
    seconds: played.seconds,
  };
}

function stand({ truth, ear }: Trace, { beacons, found }: Played, hours: number): Stood[] {
  const here = truth[0]?.position;
  if (here === undefined) return [];
  const nearest = nearestTo(here, beacons);
  const place = nearest === null ? undefined : beacons.get(nearest);
  if (nearest === null || place === undefined) return [];
  const metres = distanceBetween(here, place);
  if (metres > JUDGED_METRES) return [];
  const visits = found.get(nearest) ?? [];
  const inside = visits.reduce((sum, { start, end }) => sum + end - start, 0) / (hours * HOUR_MS);
  const right = metres < RADIUS ? inside : 1 - inside;
  return [{ metres, right, entered: visits.length > 0, offset: ear.offset }];
}

export function addScores(scores: readonly BuildingScore[]): BuildingScore {
  const sum = (of: (score: BuildingScore) => number) => scores.reduce((total, score) => total + of(score), 0);
  return {
    visits: scores.flatMap(({ visits }) => visits),
    seconds: scores.flatMap(({ seconds }) => seconds),
    stood: scores.flatMap(({ stood }) => stood),
    falseEnters: sum(({ falseEnters }) => falseEnters),
    streamHours: sum(({ streamHours }) => streamHours),
    changes: sum(({ changes }) => changes),
    stillHours: sum(({ stillHours }) => stillHours),
  };
}
