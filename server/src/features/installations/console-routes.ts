import { Type } from 'typebox';
import { purposes } from '../../access/consent.ts';
import { fail } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import { exampleCreated, isoTime, recordAnswer, timestampSchema } from '../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../http/console/console-endpoint.ts';
import { listDecisions } from './consents.ts';
import { installations } from './resource.ts';
import { findHolder } from './store.ts';

const decision = Type.Object({
  purpose: Type.Enum([...purposes]),
  granted: Type.Boolean(),
  textVersion: Type.Optional(Type.String()),
  decidedBy: Type.Enum(['phone', 'user', 'manager', 'handover'], {
    description: 'handover: somebody else holds the installation since, and what was decided before ended',
  }),
  at: timestampSchema,
});
const example = [
  { purpose: 'messages', granted: true, textVersion: '2026-10', decidedBy: 'phone', at: exampleCreated },
];

export interface ConsentRouteDeps {
  readonly db: Db;
  /** @throws Failure ObjectNotFound */
  readonly assertApp: (appId: string) => Promise<unknown>;
}

/** What the visitor of an installation has decided, for proof. */
export function consentConsoleEndpoints({ db, assertApp }: ConsentRouteDeps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/installations/:installationId/consents',
      operationId: 'listConsents',
      tag: installations.tag.name,
      summary: 'List what the visitor has agreed to and refused, newest first',
      description: 'The last thousand decisions.',
      permission: 'installations.personal',
      locate: async ({ appId = '', installationId = '' }) => {
        await assertApp(appId);
        if ((await findHolder(db, appId, installationId)) === undefined)
          throw fail('ObjectNotFound', 'There is no installation with this objectId.');
      },
      answer: recordAnswer(Type.Array(decision), example),
      errors: ['ObjectNotFound'],
      async handle({ params: { appId = '', installationId = '' } }) {
        const decisions = await listDecisions(db, appId, installationId);
        return { result: decisions.map(({ at, ...rest }) => ({ ...rest, at: isoTime(at) })) };
      },
    }),
  ];
}
