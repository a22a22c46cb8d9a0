import { isObject, parseInstant, QueryError } from '@pharos/query';
import { type Static, Type } from 'typebox';
import { fail } from '../../../base/errors.ts';
import { exampleCreated, exampleId, isoTime, listAnswer, timestampSchema } from '../../../http/answers.ts';
import { type Call, type Endpoint, endpoint, type Tag } from '../../../http/endpoint.ts';
import { defineShape } from '../../../http/shape.ts';
import type { Context } from '../../context.ts';
import { readTelemetry, telemetryMembers } from '../../telemetry.ts';
import { type BeaconDay, countOf, dayMs, dayOf, dayWith, hourMs, joinDays, noDay, parseDay } from './days/day.ts';
import { addDays, type DayOfBeacon, type DayRow, daysOf } from './store.ts';

type TelemetryDeps = Pick<Context, 'db' | 'now' | 'findUnreadableBeacons' | 'findMissingBeacons'>;

const tag: Tag = {
  name: 'Telemetry',
  description: 'What beacons tell of themselves.',
  place: 106,
  console: { read: 'beacons.read', byVenue: true },
};

const maxReadings = 1_000;
const maxAgeMs = 30 * dayMs;
const aheadMs = 60_000;

const bodySchema = Type.Object({
  readings: Type.Array(
    Type.Unknown({
      description: `{beaconId, occurredAt, ${Object.keys(telemetryMembers).join(', ')}}: at least one value, in the units of the list; movement and button are true if there was one. Without occurredAt it is now.`,
    }),
    { minItems: 1, maxItems: maxReadings },
  ),
});
const shape = defineShape(bodySchema);
type Body = Static<typeof bodySchema>;

const minutes = (description: string) => Type.Integer({ minimum: 0, maximum: 60, description });

const record = Type.Object({
  hour: timestampSchema,
  phones: minutes('Minutes in which phones heard it'),
  gateways: minutes('Minutes in which gateways heard it'),
  ...telemetryMembers,
  movement: Type.Optional(minutes('Minutes in which it was moved')),
  button: Type.Optional(minutes('Minutes in which its button was pressed')),
});
const values = { battery: 81, temperature: 21.5, firmware: '2.4.1' };

export function telemetryEndpoints(deps: TelemetryDeps): Endpoint[] {
  return [list(deps), report(deps)];
}

const maxDays = 120;

function list({ db, now, findUnreadableBeacons }: TelemetryDeps): Endpoint {
  return endpoint<undefined, { readonly beaconId: string; readonly since: number }>({
    method: 'GET',
    path: '/beacons/:objectId/telemetry',
    operationId: 'listTelemetry',
    tag,
    summary: 'List what a beacon has told of itself, by hour',
    description:
      'The earliest first: the newest value of each hour, and in how many minutes the beacon was heard. It is kept for 120 days; what phones ' +
      'and gateways have just heard follows within a minute.',
    grant: 'manager',
    scopes: [{ of: 'beacons', verb: 'get' }],
    parameters: { objectId: 'The objectId of the beacon' },
    query: [
      { name: 'since', description: 'ISO 8601; 30 days ago without it', schema: Type.String({ format: 'date-time' }) },
    ],
    answer: listAnswer(record, { hour: exampleCreated, phones: 14, gateways: 60, ...values }),
    errors: ['InvalidQuery', 'ObjectNotFound', 'Timeout'],
    locate: async (call) => {
      const beaconId = call.params['objectId'] ?? '';
      const { since } = call.query;
      const at = since === undefined ? now() - 30 * dayMs : parseInstant(since);
      if (at === undefined)
        throw new QueryError([
          { field: 'since', problem: 'must be an ISO 8601 date such as 2026-05-04T09:30:00.000Z' },
        ]);
      if ((await findUnreadableBeacons(db, call, [beaconId])).length > 0)
        throw fail('ObjectNotFound', 'There is no beacon with this objectId.');
      return { beaconId, since: Math.max(at, now() - maxDays * dayMs) };
    },
    handle: async ({ app, located: { beaconId, since } }) => {
      const days = await daysOf(db, app.appId, [beaconId], dayOf(since));
      return {
        results: days
          .flatMap(hoursOf)
          .filter(({ at }) => at > since - hourMs)
          .map(({ shown }) => shown),
      };
    },
  });
}

function hoursOf({ day, summary }: DayRow) {
  return Object.entries(parseDay(summary).hours)
    .map(([hour, { phones, gateways, moved, pressed, telemetry }]) => {
      const at = day + Number(hour) * hourMs;
      const { at: _, txPower: __, interval: ___, ...rest } = telemetry ?? { at: 0 };
      const shown = {
        ...{ hour: isoTime(at), phones: countOf(phones), gateways: countOf(gateways), ...rest },
        ...(moved === undefined ? {} : { movement: countOf(moved) }),
        ...(pressed === undefined ? {} : { button: countOf(pressed) }),
      };
      return { at, shown };
    })
    .sort((a, b) => a.at - b.at);
}

const problemSchema = Type.Object({
  index: Type.Integer({ minimum: 0 }),
  code: Type.String(),
  message: Type.String(),
});
type Problem = Static<typeof problemSchema>;

function report(deps: TelemetryDeps): Endpoint {
  return endpoint<Body>({
    method: 'POST',
    path: '/telemetry',
    operationId: 'reportTelemetry',
    tag,
    summary: 'Report what beacons have told of themselves',
    description:
      'Up to 1,000 readings, for servers that hear of beacons elsewhere, such as from a vendor. What cannot be used is listed by index and ' +
      'never stops the rest. Sending it again changes nothing.',
    grant: 'manager',
    scopes: [{ of: 'sightings', verb: 'create' }],
    body: shape.body({ readings: [{ beaconId: exampleId, occurredAt: exampleCreated, ...values }] }),
    answer: {
      status: 200,
      description: 'Stored.',
      schema: Type.Object({
        result: Type.Object({
          taken: Type.Integer({ minimum: 0 }),
          problems: Type.Array(problemSchema),
        }),
      }),
      example: { result: { taken: 1, problems: [] } },
    },
    errors: ['ValidationError', 'OperationForbidden', 'Timeout'],
    handle: async (call) => {
      if (call.secretKey?.scopes.gateways({ of: 'sightings', verb: 'create' }))
        throw fail('OperationForbidden', 'The secret key is for what gateways hear.');
      return { result: await store(deps, call) };
    },
  });
}

async function store({ db, findMissingBeacons }: TelemetryDeps, { app, body, now }: Call<Body, undefined>) {
  const read = body.readings.map((raw, index) => readingOf(raw, index, now));
  const usable = read.filter((one) => 'note' in one);
  const missing = new Set(
    await findMissingBeacons(db, app.appId, [...new Set(usable.map(({ beaconId }) => beaconId))]),
  );
  const problems: Problem[] = read.filter((one) => 'code' in one);
  const days = new Map<string, DayOfBeacon>();
  for (const { index, beaconId, day, note } of usable) {
    if (missing.has(beaconId)) {
      problems.push({ index, code: 'unknown_beacon', message: `There is no beacon ${beaconId} in this app.` });
      continue;
    }
    const key = `${beaconId} ${day}`;
    days.set(key, { beaconId, day, known: joinDays(days.get(key)?.known ?? noDay, note) });
  }
  await addDays(db, app.appId, [...days.values()]);
  return { taken: read.length - problems.length, problems: problems.sort((a, b) => a.index - b.index) };
}

interface ReadReading {
  readonly index: number;
  readonly beaconId: string;
  readonly day: number;
  readonly note: BeaconDay;
}

function readingOf(raw: unknown, index: number, now: number): ReadReading | Problem {
  const { beaconId, occurredAt } = isObject(raw) ? raw : {};
  const at = occurredAt === undefined ? now : instantOf(occurredAt);
  const telemetry = readTelemetry(raw);
  if (typeof telemetry === 'string') return { index, code: 'bad_telemetry', message: `A reading${telemetry}` };
  if (typeof beaconId !== 'string')
    return { index, code: 'unknown_beacon', message: 'beaconId must be the objectId of a beacon.' };
  if (at === undefined || at > now + aheadMs || at < now - maxAgeMs)
    return { index, code: 'bad_time', message: 'occurredAt must be a time of the last 30 days.' };
  return { index, beaconId, day: dayOf(at), note: dayWith({ at, telemetry }) };
}

const instantOf = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : typeof value === 'string' ? parseInstant(value) : undefined;
