import { hash } from 'node:crypto';
import type { Sample } from '@pharos/engine';
import { writeSamples } from '@pharos/engine/decide';
import { type Static, Type } from 'typebox';
import { invalid } from '../../../base/errors.ts';
import type { Db } from '../../../db/db.ts';
import { defineShape } from '../../../http/shape.ts';
import type { Services } from '../../services.ts';
import type { SurveyRow } from './store.ts';

/** What somebody sends who has walked a floor with a phone: read, checked, and what of it counts. */

export const maxSamples = 10_000;
export const maxPoints = 200;

const metre = Type.Number({ minimum: -10_000, maximum: 10_000 });
const instant = Type.Union([Type.String({ maxLength: 64 }), Type.Number({ minimum: 0 })], {
  description: 'ISO 8601 or epoch milliseconds, by the clock of the samples',
});

export const surveyShape = defineShape(
  Type.Object({
    way: Type.Array(Type.Object({ x: metre, y: metre, at: Type.Optional(instant) }), {
      minItems: 1,
      maxItems: maxPoints,
      description:
        'Where the surveyor was when, metres on the floor: between two points straight and evenly. A single point is a spot ' +
        'where she stood, and needs no `at`',
    }),
    samples: Type.Array(Type.Unknown(), {
      minItems: 1,
      maxItems: maxSamples,
      description: 'As in POST /sightings, each with its time',
    }),
    deviceModel: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'The model of the phone' })),
  }),
);
export type SurveyBody = Static<typeof surveyShape.schema>;

/** A point of the way as it is stored; a spot has no time. */
export interface StoredPoint {
  readonly x: number;
  readonly y: number;
  readonly at?: number;
}

/** A beacon that was heard, how often, and where it hung; null: nobody had said where. */
export interface HeardBeacon {
  readonly beaconId: string;
  readonly samples: number;
  readonly location: Sited;
}
type Sited = { readonly x: number; readonly y: number; readonly z?: number; readonly floor?: number } | null;

type Read = Pick<
  SurveyRow,
  'way' | 'samples' | 'heard' | 'counted' | 'unknown' | 'unusable' | 'started_at' | 'ended_at' | 'digest'
>;

type Reads = Pick<Services, 'readBatch' | 'placeReports' | 'readTime'>;

interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Somebody may tap beside the wall, m. */
const margin = 5;
const maxWalkMs = 3_600_000;
/** Fewer say nothing. */
const leastSamples = 10;

/** @throws Failure ValidationError that tells the person with the phone what to do */
export async function readSurvey(
  reads: Reads,
  db: Db,
  { appId, body, edges, now }: { appId: string; body: SurveyBody; edges: Edges | undefined; now: number },
): Promise<Read> {
  const way = wayOf(reads, body, edges);
  const { items } = reads.readBatch({ installationId: 'survey', sightings: body.samples }, now);
  const usable = items.filter(
    ({ subject, observation, sentTime }) =>
      subject.direction === 'phone' && observation.rssi !== undefined && sentTime !== undefined,
  );
  const placed = await reads.placeReports({ db }, appId, usable, 'survey');
  const times = usable.flatMap(({ sentTime }) => sentTime ?? []);
  const [since, until] = way.length > 1 ? [timeOf(way.at(0)), timeOf(way.at(-1))] : spanOf(times);
  const isWithin = (at: number) => at >= since && at <= until;
  assertOneClock(times.filter(isWithin).length, times.length);
  const reports = placed.reports.filter(({ sentTime }) => sentTime !== undefined && isWithin(sentTime));
  const samples = reports
    .map(({ beacon, observation: { occurredAt, rssi, txPower } }): Sample => {
      const power = txPower === undefined ? {} : { txPower };
      return { beaconId: beacon.objectId, occurredAt, ...(rssi === undefined ? {} : { rssi }), ...power };
    })
    .sort((a, b) => a.occurredAt - b.occurredAt || (a.beaconId < b.beaconId ? -1 : 1));
  const sites = new Map(reports.map(({ beacon }) => [beacon.objectId, beacon.settings.location ?? null]));
  const heard = [...Map.groupBy(samples, ({ beaconId }) => beaconId)].map(([beaconId, own]): HeardBeacon => {
    return { beaconId, samples: own.length, location: sites.get(beaconId) ?? null };
  });
  assertEnough(heard);
  const unknown = usable.length - placed.reports.length;
  const texts = { way: JSON.stringify(way), samples: writeSamples(samples) };
  return {
    ...texts,
    heard: JSON.stringify(heard),
    counted: samples.length,
    unknown,
    unusable: body.samples.length - samples.length - unknown,
    started_at: samples[0]?.occurredAt ?? 0,
    ended_at: samples.at(-1)?.occurredAt ?? 0,
    digest: hash('sha256', texts.way + texts.samples),
  };
}

const timeOf = (point: StoredPoint | undefined): number => point?.at ?? 0;

const spanOf = (times: readonly number[]): [number, number] => {
  const first = times.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
  return [first, first + maxWalkMs];
};

function wayOf({ readTime }: Reads, { way }: SurveyBody, edges: Edges | undefined): StoredPoint[] {
  const points = way.map(({ x, y, at }, index): StoredPoint => {
    if (
      edges &&
      (x < edges.left - margin || x > edges.right + margin || y < edges.top - margin || y > edges.bottom + margin)
    )
      throw invalid(`way.${index}`, 'is outside the floor');
    if (way.length === 1) return { x, y };
    const time = readTime(at);
    if (time === undefined) throw invalid(`way.${index}.at`, 'must be a time, ISO 8601 or epoch milliseconds');
    return { x, y, at: time };
  });
  const late = points.findIndex((point, index) => index > 0 && timeOf(point) <= timeOf(points[index - 1]));
  if (late > 0) throw invalid(`way.${late}.at`, 'must be later than that of the point before');
  if (timeOf(points.at(-1)) - timeOf(points[0]) > maxWalkMs)
    throw invalid('way', 'takes more than an hour: send it as several surveys');
  return points;
}

function assertOneClock(within: number, all: number): void {
  if (2 * within < all)
    throw invalid(
      'samples',
      `were mostly taken before the first or after the last point of the way (${all - within} of ${all}): both must have the times of the same clock`,
    );
}

function assertEnough(heard: readonly HeardBeacon[]): void {
  const count = heard.reduce((sum, { samples, location }) => sum + (location === null ? 0 : samples), 0);
  if (count < leastSamples)
    throw invalid(
      'samples',
      `must hold at least ${leastSamples} of beacons that have a location, and hold ${count}: place the beacons on the plan first, and stay ten seconds or more`,
    );
}
