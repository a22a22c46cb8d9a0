import type { Sample } from '@pharos/engine';
import { readSamples } from '@pharos/engine/decide';
import { parseInstant } from '@pharos/query';
import { Type } from 'typebox';
import type { AppPseudonyms } from '../../../../access/pseudonyms/pseudonyms.ts';
import { beaconsOf, findVenuesOf } from '../../../../access/venue-limit.ts';
import { fail } from '../../../../base/errors.ts';
import { sql } from '../../../../base/sql.ts';
import type { Database } from '../../../../db/db.ts';
import { exampleCreated, isoTime, objectIdSchema, recordAnswer, timestampSchema } from '../../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../../http/console/console-endpoint.ts';
import type { Context } from '../../../context.ts';
import { findBatches, findSegments } from '../lock/track-store.ts';

const heard = Type.Object({
  samples: Type.Array(Type.Number(), { description: 'RSSI in dBm, in the order in which they were sensed' }),
});

const nearby = Type.Object({
  beacons: Type.Array(
    Type.Object({
      beaconId: objectIdSchema,
      rssi: Type.Number({ description: 'dBm, the middle of what was sensed' }),
      samples: Type.Integer({ minimum: 1 }),
      lastHeardAt: timestampSchema,
    }),
    { description: 'The loudest first' },
  ),
});
const ownSamples = Type.Object({
  now: timestampSchema,
  samples: Type.Array(
    Type.Object({
      beacon: objectIdSchema,
      rssi: Type.Number(),
      txPower: Type.Optional(Type.Number()),
      occurredAt: timestampSchema,
    }),
    { description: 'As a survey takes them, in the order in which they were sensed; at most 10,000' },
  ),
});
interface Deps extends Pick<Context, 'db' | 'now'> {
  /** The phones (objectIds) that an administrator has paired. */
  readonly ownPhones: (owner: { readonly appId: string; readonly adminId: string }) => Promise<readonly string[]>;
  readonly pseudonymsOf: (appId: string) => Promise<AppPseudonyms | undefined>;
}

/** A calibration takes half a minute. */
const maxMs = 10 * 60_000;
/** Samples are stored in segments that began before them. */
const segmentMs = 3_600_000;
const maxSamples = 10_000;
/** Long enough to hear a beacon a few times, and short enough to walk on to the next one. */
const nearbyMs = 10_000;

/** What a phone hears right now, so that somebody beside a beacon can calibrate it, or find out which one it is. */
export function heardConsoleEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  const { db, now, pseudonymsOf, ownPhones } = deps;
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/own-phones/heard',
      operationId: 'listHeardNearby',
      summary: 'Which beacons one’s own phones hear now',
      description: `Of the last ${nearbyMs / 1000} seconds, of all phones that the caller has paired.`,
      permission: 'beacons.write',
      narrows: 'venues',
      answer: recordAnswer(nearby),
      async handle({ params: { appId = '' }, admin }) {
        const { adminId, venues } = signedIn(admin);
        const since = now() - nearbyMs;
        const samples = await Promise.all(
          (await ownPhones({ appId, adminId })).map((installationId) =>
            samplesOf(deps, { appId, installationId, since }),
          ),
        );
        const heard = loudestFirst(samples.flat());
        const of =
          venues &&
          (await findVenuesOf(
            db,
            appId,
            heard.map(({ beaconId }) => beaconId),
          ));
        return { result: { beacons: heard.filter(({ beaconId }) => !of || venues.includes(of.get(beaconId) ?? '')) } };
      },
    }),
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/own-phones/phones/:installationId/samples',
      operationId: 'listOwnSamples',
      summary: 'What one of one’s own phones has sensed since a time',
      permission: 'venues.write',
      narrows: 'venues',
      query: [sinceParameter],
      answer: recordAnswer(ownSamples),
      async handle({ params: { appId = '', installationId = '' }, query, admin }) {
        const { adminId, venues } = signedIn(admin);
        if (!(await ownPhones({ appId, adminId })).includes(installationId))
          throw fail('ObjectNotFound', 'There is no installation with this objectId.');
        const since = sinceOf(query, now());
        const samples = (await samplesOf(deps, { appId, installationId, since })).slice(-maxSamples);
        const ids = [...new Set(samples.map(({ beaconId }) => beaconId))];
        const of = venues && (await findVenuesOf(db, appId, ids));
        return {
          result: {
            now: isoTime(now()),
            samples: samples.flatMap(({ beaconId, rssi, txPower, occurredAt }) =>
              rssi === undefined || (of && !venues.includes(of.get(beaconId) ?? ''))
                ? []
                : {
                    beacon: beaconId,
                    rssi,
                    ...(txPower === undefined ? {} : { txPower }),
                    occurredAt: isoTime(occurredAt),
                  },
            ),
          },
        };
      },
    }),
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/beacons/:beaconId/heard',
      operationId: 'listHeard',
      summary: 'What a phone has sensed of a beacon since a time',
      permission: 'beacons.write',
      narrows: 'venues',
      query: [
        { name: 'installation', description: 'The objectId of the phone', schema: Type.String() },
        sinceParameter,
      ],
      answer: recordAnswer(heard),
      async handle({ params: { appId = '', beaconId = '' }, query, admin }) {
        const { venues } = signedIn(admin);
        if (venues && !(await isOneOf(db, appId, beaconId, venues)))
          throw fail('ObjectNotFound', 'There is no beacon with this objectId.');
        const since = sinceOf(query, now());
        const installationId = phoneOf(await pseudonymsOf(appId), query['installation'] ?? '', since);
        const samples = (await samplesOf(deps, { appId, installationId, since }))
          .filter((one) => one.beaconId === beaconId)
          .flatMap(({ rssi }) => rssi ?? []);
        return { result: { samples: samples.slice(-maxSamples) } };
      },
    }),
  ];
}

const sinceParameter = {
  name: 'since',
  description: 'ISO 8601, at most ten minutes ago',
  schema: Type.String({ format: 'date-time' }),
};

/** Epoch ms. @throws Failure InvalidQuery */
function sinceOf(query: Readonly<Record<string, string | undefined>>, now: number): number {
  const since = parseInstant(query['since'] ?? '');
  if (since === undefined || since < now - maxMs)
    throw fail('InvalidQuery', `since must be a time of the last ten minutes, such as ${exampleCreated}.`);
  return since;
}

interface AskedSamples {
  readonly appId: string;
  readonly installationId: string;
  /** Epoch ms. */
  readonly since: number;
}

/** What a phone has sensed, in order of time. */
async function samplesOf({ db }: Deps, { appId, installationId, since }: AskedSamples): Promise<readonly Sample[]> {
  const key = { appId, installationId };
  const [[segments = []], [batches = []]] = await Promise.all([
    findSegments(db, [{ ...key, from: since - segmentMs }]),
    findBatches(db, [key]),
  ]);
  return [...[...segments, ...batches].flatMap(({ samples }) => readSamples(samples))]
    .filter(({ occurredAt }) => occurredAt >= since)
    .sort((a, b) => a.occurredAt - b.occurredAt);
}

function loudestFirst(samples: readonly Sample[]) {
  const byBeacon = Map.groupBy(
    samples.filter(({ rssi }) => rssi !== undefined),
    ({ beaconId }) => beaconId,
  );
  return [...byBeacon]
    .map(([beaconId, heard]) => ({
      beaconId,
      rssi: middleOf(heard.flatMap(({ rssi }) => rssi ?? [])),
      samples: heard.length,
      lastHeardAt: isoTime(heard.at(-1)?.occurredAt ?? 0),
    }))
    .sort((a, b) => b.rssi - a.rssi);
}

function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

async function isOneOf(db: Database, appId: string, beaconId: string, venues: readonly string[]): Promise<boolean> {
  const isThere = beaconsOf(sql`${beaconId}`, appId, venues);
  return (await db.one(sql`select 1 as found where ${isThere}`)) !== undefined;
}

/** A phone is named as visits name it at that time. @throws Failure ObjectNotFound */
function phoneOf(pseudonyms: AppPseudonyms | undefined, name: string, at: number): string {
  if (!pseudonyms?.covers(at)) return name;
  for (const { names } of pseudonyms.days) {
    const id = names.installationOf(name);
    if (id !== undefined && names.of(id) === name) return id;
  }
  throw fail('ObjectNotFound', 'There is no installation with this objectId.');
}
