import { receiverName } from '@pharos/engine';
import { formats } from '@pharos/gateways';
import { type Static, Type } from 'typebox';
import { fail } from '../../../base/errors.ts';
import {
  exampleId,
  exampleUpdated,
  isoTime,
  listAnswer,
  pointerExample,
  pointerSchema,
  recordAnswer,
  timestampSchema,
} from '../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { defineShape } from '../../../http/shape.ts';
import type { GatewayFormats } from './formats.ts';
import { gatewayTag, reporting } from './report-route.ts';
import type { GatewayStates, StateRow } from './states.ts';

const schema = Type.Object({
  gatewayId: Type.String({ description: 'An address has 12 hexadecimal digits in lower case' }),
  isOnline: Type.Boolean({ description: 'It has not said that it goes, and was heard in the last five minutes' }),
  heardAt: Type.Unsafe<string>({ ...timestampSchema, description: 'When it sent something last, to half a minute' }),
  beaconId: Type.Optional(pointerSchema('Beacon')),
  heardBeacons: Type.Integer({ minimum: 0, description: 'Beacons of the app that it has heard today (UTC)' }),
  format: Type.Optional(Type.Enum([...formats], { description: 'Whose messages it sends' })),
  isFormatSet: Type.Boolean({ description: 'Somebody has set the format; otherwise it is found by shape and topic' }),
  clockOffset: Type.Optional(Type.Integer({ description: 'How far its clock is ahead, ms' })),
  firmware: Type.Optional(Type.String()),
  load: Type.Optional(Type.Number({ description: 'Of its processor, as it measures it: 1 is one busy core' })),
  uptime: Type.Optional(Type.Integer({ description: 'Seconds since its start' })),
  refusedAt: Type.Optional(
    Type.Unsafe<string>({
      ...timestampSchema,
      description: 'When it last published too much at a broker, and some was refused',
    }),
  ),
});

const example = {
  gatewayId: 'ac233fc03641',
  isOnline: true,
  beaconId: pointerExample('Beacon', exampleId),
  heardBeacons: 14,
  heardAt: exampleUpdated,
  isFormatSet: false,
  ...{ format: 'minew', clockOffset: -120, load: 0.03 },
};

export interface StateDeps {
  readonly states: GatewayStates;
  /** The beacons that stand for gateways, by the gateways' names. */
  readonly findPlaces: (appId: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** How many beacons were heard today near each beacon. */
  readonly countHeard: (appId: string) => Promise<ReadonlyMap<string, number>>;
}

/** `GET /gateways`. */
export function stateEndpoint({ states, findPlaces, countHeard }: StateDeps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/gateways',
    operationId: 'listGateways',
    tag: gatewayTag,
    summary: 'List the gateways that speak for themselves, and how they are',
    description:
      'By name; what a gateway does not tell is left out. They are known from what they send, for 30 days; at most 1,000. A secret key that ' +
      'is limited to gateways gets these.',
    grant: 'manager',
    scopes: [reporting],
    answer: listAnswer(schema, example),
    errors: ['OperationForbidden', 'Timeout'],
    handle: async ({ app, secretKey }) => {
      const limited = secretKey?.scopes.gateways(reporting);
      const names = limited && new Set([...limited].map(receiverName));
      const all = await states.list(app.appId);
      const rows = all.filter(({ gateway }) => names?.has(gateway) ?? true);
      const places = await findPlaces(
        app.appId,
        rows.map(({ gateway }) => gateway),
      );
      const heard = await countHeard(app.appId);
      return {
        results: rows.map((row) => {
          const beaconId = places.get(row.gateway);
          return shown(row, { isOnline: states.isOnline(row), beaconId, heardBeacons: heard.get(beaconId ?? '') ?? 0 });
        }),
      };
    },
  });
}

const formatBody = Type.Object({
  format: Type.Union([Type.Enum([...formats]), Type.Null()], {
    description: 'As whose messages those of the gateway are read, however they come; null: found by shape and topic',
  }),
});
const formatShape = defineShape(formatBody);

/** `PUT /gateways/{gatewayId}`. */
export function formatEndpoint({ set }: Pick<GatewayFormats, 'set'>): Endpoint {
  return endpoint<Static<typeof formatBody>>({
    method: 'PUT',
    path: '/gateways/:gatewayId',
    operationId: 'updateGateway',
    tag: gatewayTag,
    summary: 'Say whose messages a gateway sends',
    description: 'For a gateway that is listed, should its messages not be recognised. Counts within ten seconds.',
    grant: 'manager',
    scopes: [{ of: 'beacons', verb: 'update' }],
    parameters: { gatewayId: 'As the list has it' },
    body: { schema: formatBody, example: { format: 'minew' }, read: (body) => formatShape.readCreate(body) },
    answer: recordAnswer(Type.Object({}), {}),
    errors: ['ObjectNotFound', 'ValidationError', 'Timeout'],
    handle: async ({ app: { appId }, params, body }) => {
      if (!(await set(appId, params['gatewayId'] ?? '', body.format)))
        throw fail('ObjectNotFound', 'Nothing has come of this gateway.');
      return { result: {} };
    },
  });
}

interface Found {
  readonly isOnline: boolean;
  readonly beaconId: string | undefined;
  readonly heardBeacons: number;
}

function shown(row: StateRow, { isOnline, beaconId, heardBeacons }: Found) {
  const reported = {
    format: row.format,
    clockOffset: row.clock_offset,
    firmware: row.firmware,
    load: row.processor_load,
    uptime: row.uptime,
    refusedAt: row.refused_at === null ? null : isoTime(row.refused_at),
  };
  return {
    ...{ gatewayId: row.gateway, isOnline, heardAt: isoTime(row.heard_at), heardBeacons },
    isFormatSet: row.set_format !== null,
    ...(beaconId === undefined
      ? {}
      : { beaconId: { __type: 'Pointer' as const, className: 'Beacon' as const, objectId: beaconId } }),
    ...Object.fromEntries(Object.entries(reported).filter(([, value]) => value !== null)),
  };
}
