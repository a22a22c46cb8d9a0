import { Type } from 'typebox';
import { fail } from '../../../base/errors.ts';
import {
  deletedAnswer,
  exampleId,
  exampleUpdated,
  isoTime,
  objectIdSchema,
  recordAnswer,
  timestampSchema,
} from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../http/console/console-endpoint.ts';
import type { HearingLearning } from './hearing.ts';

/** Shows and deletes what was learned about how loudly phones hear. */

const schema = Type.Array(
  Type.Object({
    installationId: Type.Optional(objectIdSchema),
    model: Type.Optional(Type.String({ description: 'The deviceModel of installations' })),
    passes: Type.Integer({ description: 'Beacons that were passed, from which it was learned' }),
    loss: Type.Union([Type.Number(), Type.Null()], {
      description: 'How many dB less is heard than expected; null: no correction would predict better than none',
    }),
    updatedAt: timestampSchema,
  }),
  { description: 'The installation, if one is named; all phones (neither installationId nor model); the models' },
);
const example = [
  { installationId: exampleId, passes: 48, loss: 9.4, updatedAt: exampleUpdated },
  { passes: 2140, loss: 1.2, updatedAt: exampleUpdated },
  { model: 'Pixel 8', passes: 310, loss: 4.1, updatedAt: exampleUpdated },
];

export interface HearingRouteDeps {
  readonly hearing: HearingLearning;
  readonly pseudonymsOf: (appId: string) => Promise<unknown>;
  /** @throws Failure ObjectNotFound */
  readonly assertApp: (appId: string) => Promise<unknown>;
}

export function hearingConsoleEndpoints({
  hearing,
  assertApp,
  pseudonymsOf,
}: HearingRouteDeps): readonly ConsoleEndpoint[] {
  const locate = ({ appId = '' }: Readonly<Record<string, string>>) => assertApp(appId);
  const reset = { method: 'DELETE', tag: 'Installations', permission: 'apps.change', locate } as const;
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/hearing',
      operationId: 'listHearing',
      tag: 'Installations',
      summary: 'List what traffic has taught about how loud phones hear',
      permission: 'installations.read',
      locate,
      query: [
        {
          name: 'installationId',
          description: 'An installation to be told of as well',
          schema: objectIdSchema,
          example: exampleId,
        },
      ],
      answer: recordAnswer(schema, example),
      errors: ['ObjectNotFound', 'OperationForbidden'],
      async handle({ params: { appId = '' }, query: { installationId } }) {
        if (installationId !== undefined && (await pseudonymsOf(appId))) throw fail('OperationForbidden');
        const found = await hearing.list(appId, installationId);
        return { result: found.map(({ updatedAt, ...rest }) => ({ ...rest, updatedAt: isoTime(updatedAt) })) };
      },
    }),
    consoleEndpoint({
      ...reset,
      path: '/apps/:appId/hearing',
      operationId: 'resetAllHearing',
      summary: 'Forget what was learned about how loud all phones and models hear',
      answer: deletedAnswer,
      errors: ['ObjectNotFound'],
      async handle({ params: { appId = '' } }) {
        await hearing.reset(appId);
        return { result: {} };
      },
    }),
    consoleEndpoint({
      ...reset,
      path: '/apps/:appId/hearing/:installationId',
      operationId: 'resetHearing',
      summary: 'Forget what was learned about how loud one phone hears',
      answer: deletedAnswer,
      errors: ['ObjectNotFound'],
      async handle({ params: { appId = '', installationId = '' } }) {
        await hearing.reset(appId, installationId);
        return { result: {} };
      },
    }),
  ];
}
