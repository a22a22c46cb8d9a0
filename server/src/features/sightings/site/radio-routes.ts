import { Type } from 'typebox';
import {
  deletedAnswer,
  exampleId,
  exampleUpdated,
  isoTime,
  objectIdSchema,
  recordAnswer,
  timestampSchema,
} from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../http/console/console-endpoint.ts';
import type { RadioLearning } from './radio.ts';

/** Shows and deletes what was learned about beacons. */

const learned = Type.Object({
  loss: Type.Number({ description: 'How many dB more are lost than the measured power says' }),
  exponent: Type.Number({ description: 'By how much the path-loss exponent is more than 2' }),
});
const schema = Type.Array(
  Type.Object({
    beaconId: objectIdSchema,
    seconds: Type.Integer({ description: 'Seconds of visitors with a sure position from which it was learned' }),
    learned: Type.Union([learned, Type.Null()], { description: 'null: no correction would predict better than none' }),
    updatedAt: timestampSchema,
  }),
);
const example = [
  { beaconId: exampleId, seconds: 5400, learned: { loss: 3.1, exponent: 0.2 }, updatedAt: exampleUpdated },
];

export interface RadioRouteDeps {
  readonly radio: RadioLearning;
  /** @throws Failure ObjectNotFound */
  readonly assertApp: (appId: string) => Promise<unknown>;
}

export function radioConsoleEndpoints({ radio, assertApp }: RadioRouteDeps): readonly ConsoleEndpoint[] {
  const locate = ({ appId = '' }: Readonly<Record<string, string>>) => assertApp(appId);
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/radio',
      operationId: 'listRadio',
      tag: 'Beacons',
      summary: 'List what traffic has taught about the radio of each beacon',
      permission: 'activity.read',
      narrows: 'venues',
      locate,
      query: [{ name: 'beaconId', description: 'Only of this beacon', schema: objectIdSchema, example: exampleId }],
      answer: recordAnswer(schema, example),
      errors: ['ObjectNotFound'],
      async handle({ params: { appId = '' }, query: { beaconId }, admin }) {
        const found = await radio.list(appId, { beaconId, venues: signedIn(admin).venues });
        return { result: found.map(({ updatedAt, ...rest }) => ({ ...rest, updatedAt: isoTime(updatedAt) })) };
      },
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/apps/:appId/radio/:beaconId',
      operationId: 'resetRadio',
      tag: 'Beacons',
      summary: 'Forget what was learned about a beacon',
      permission: 'beacons.write',
      narrows: 'venues',
      locate,
      answer: deletedAnswer,
      errors: ['ObjectNotFound'],
      async handle({ params: { appId = '', beaconId = '' }, admin }) {
        await radio.reset(appId, beaconId, signedIn(admin).venues);
        return { result: {} };
      },
    }),
  ];
}
