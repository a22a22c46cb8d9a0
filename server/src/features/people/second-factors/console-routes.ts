import { Type } from 'typebox';
import { deletedAnswer, listAnswer, recordAnswer, timestampSchema } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../http/console/console-endpoint.ts';
import type { Authenticators } from './authenticators.ts';
import type { UserPasskeys } from './passkeys.ts';
import { factorsSchema, passkeySchema } from './schemas.ts';

interface Deps {
  readonly authenticators: Authenticators;
  readonly passkeys: UserPasskeys;
}

type Params = Readonly<Record<string, string>>;
const keyOf = ({ appId = '', userId = '' }: Params) => ({ appId, userId });

/** What administrators see of a user's factors, and how they help a user who has lost the phone. */
export function factorConsoleEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  return [...shownEndpoints(deps), ...removedEndpoints(deps)];
}

function shownEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  const { authenticators, passkeys } = deps;
  const shared = { method: 'GET', permission: 'users.read' } as const;
  return [
    consoleEndpoint({
      ...shared,
      path: '/apps/:appId/users/:userId/factors',
      operationId: 'getAppUserFactors',
      summary: 'Whether a user has a second factor and passkeys',
      answer: recordAnswer(
        Type.Object({
          totp: Type.Union([Type.Object({ since: timestampSchema }), Type.Null()]),
          recoveryCodesLeft: factorsSchema.properties.recoveryCodesLeft,
          passkeys: Type.Integer({ minimum: 0 }),
        }),
      ),
      async handle({ params }) {
        const { since, ...rest } = await authenticators.stateOf(keyOf(params));
        return { result: { totp: since === undefined ? null : { since: new Date(since).toISOString() }, ...rest } };
      },
    }),
    consoleEndpoint({
      ...shared,
      path: '/apps/:appId/users/:userId/passkeys',
      operationId: 'listAppUserPasskeys',
      summary: 'List the passkeys of a user',
      answer: listAnswer(passkeySchema),
      handle: async ({ params }) => ({ results: await passkeys.list(keyOf(params)) }),
    }),
  ];
}

function removedEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  const { authenticators, passkeys } = deps;
  const shared = {
    method: 'DELETE',
    permission: 'users.change',
    needsConfirmation: true,
    answer: deletedAnswer,
  } as const;
  return [
    consoleEndpoint({
      ...shared,
      path: '/apps/:appId/users/:userId/factors',
      operationId: 'resetAppUserFactors',
      summary: 'Remove the second factor and the passkeys of a user who has lost them; all sessions end',
      handle: ({ params, by }) => authenticators.reset(keyOf(params), by),
    }),
    consoleEndpoint({
      ...shared,
      path: '/apps/:appId/users/:userId/totp',
      operationId: 'removeAppUserTotp',
      summary: 'Remove the authenticator app and the recovery codes of a user who has lost them; all sessions end',
      handle: ({ params, by }) => authenticators.removeFor(keyOf(params), by),
    }),
    consoleEndpoint({
      ...shared,
      path: '/apps/:appId/users/:userId/passkeys/:passkeyId',
      operationId: 'removeAppUserPasskey',
      summary: 'Remove a passkey of a user who has lost it; all sessions end',
      handle: ({ params, by }) => passkeys.removeFor(keyOf(params), params['passkeyId'] ?? '', by),
    }),
  ];
}
