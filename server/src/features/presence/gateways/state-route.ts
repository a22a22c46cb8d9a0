import { receiverName } from '@pharos/engine';
import { formats } from '@pharos/gateways';
import { Type } from 'typebox';
import { exampleUpdated, isoTime, listAnswer, timestampSchema } from '../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { gatewayTag, reporting } from './report-route.ts';
import type { GatewayStates, StateRow } from './states.ts';

const schema = Type.Object({
  gatewayId: Type.String({ description: 'An address has 12 hexadecimal digits in lower case' }),
  isOnline: Type.Boolean({ description: 'It has not said that it goes, and was heard in the last five minutes' }),
  heardAt: Type.Unsafe<string>({ ...timestampSchema, description: 'When it sent something last, to half a minute' }),
  format: Type.Optional(Type.Enum([...formats], { description: 'Whose messages it sends' })),
  clockOffset: Type.Optional(Type.Integer({ description: 'How far its clock is ahead, ms' })),
  firmware: Type.Optional(Type.String()),
  load: Type.Optional(Type.Number({ description: 'Of its processor, as it measures it: 1 is one busy core' })),
  uptime: Type.Optional(Type.Integer({ description: 'Seconds since its start' })),
});

const example = {
  gatewayId: 'ac233fc03641',
  isOnline: true,
  heardAt: exampleUpdated,
  ...{ format: 'minew', clockOffset: -120, load: 0.03 },
};

/** `GET /gateways`. */
export function stateEndpoint(states: GatewayStates): Endpoint {
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
      const rows = await states.list(app.appId);
      return {
        results: rows
          .filter(({ gateway }) => names?.has(gateway) ?? true)
          .map((row) => shown(row, states.isOnline(row))),
      };
    },
  });
}

function shown(row: StateRow, isOnline: boolean) {
  const told = {
    format: row.format,
    clockOffset: row.clock_offset,
    firmware: row.firmware,
    load: row.processor_load,
    uptime: row.uptime,
  };
  return {
    ...{ gatewayId: row.gateway, isOnline, heardAt: isoTime(row.heard_at) },
    ...Object.fromEntries(Object.entries(told).filter(([, value]) => value !== null)),
  };
}
