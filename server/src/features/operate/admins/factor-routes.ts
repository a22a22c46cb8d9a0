import { Type } from 'typebox';
import { deletedAnswer, recordAnswer } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoints, signedIn } from '../../../http/console/console-endpoint.ts';
import {
  codeShape,
  factorsExample,
  factorsSchema,
  recoveryCodesExample,
  recoveryCodesSchema,
  totpExample,
  totpSchema,
} from '../../../sign-in/factors/factor-schemas.ts';
import type { SecondFactors } from './factors/second-factors.ts';
import { passkeyView } from './passkey-routes.ts';

const endpoint = consoleEndpoints('Session');

const codesAnswer = recordAnswer(Type.Object({ recoveryCodes: recoveryCodesSchema }), {
  recoveryCodes: recoveryCodesExample,
});

export function factorEndpoints(factors: SecondFactors): readonly ConsoleEndpoint[] {
  return [ownFactors(factors), ...authenticatorApp(factors), newRecoveryCodes(factors)];
}

function ownFactors(factors: SecondFactors): ConsoleEndpoint {
  return endpoint({
    method: 'GET',
    path: '/session/factors',
    operationId: 'getOwnFactors',
    summary: 'How one signs in oneself',
    permission: 'session.own',
    answer: recordAnswer(factorsSchema, factorsExample),
    async handle({ admin }) {
      const { hasPassword, totpSince, passkeys, recoveryCodesLeft, isRequired } = await factors.stateOf(
        signedIn(admin).adminId,
      );
      const totp = totpSince === undefined ? null : { since: new Date(totpSince).toISOString() };
      return {
        result: {
          hasPassword,
          totp,
          passkeys: passkeys.map(passkeyView),
          recoveryCodesLeft,
          required: isRequired,
        },
      };
    },
  });
}

function authenticatorApp(factors: SecondFactors): readonly ConsoleEndpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/session/totp',
      operationId: 'startTotp',
      summary: 'Begin to set up an authenticator app',
      description: 'The secret counts once a code of it has been sent. An app that is set up already works until then.',
      permission: 'session.own',
      needsConfirmation: true,
      answer: { ...recordAnswer(totpSchema, totpExample), status: 201, description: 'The secret, shown once.' },
      errors: ['OperationForbidden'],
      handle: async ({ admin, origin }) => ({
        result: await factors.startTotp(signedIn(admin), new URL(origin).hostname),
      }),
    }),
    endpoint({
      method: 'PUT',
      path: '/session/totp',
      operationId: 'enableTotp',
      summary: 'Finish setting up an authenticator app with a code of it; every other session ends',
      permission: 'session.own',
      needsConfirmation: true,
      body: codeShape.body({ code: '492039' }),
      answer: codesAnswer,
      errors: ['ValidationError', 'ObjectNotFound', 'OperationForbidden'],
      handle: async ({ admin, body, by }) => ({
        result: { recoveryCodes: await factors.enableTotp(signedIn(admin), body.code, by) },
      }),
    }),
    endpoint({
      method: 'DELETE',
      path: '/session/totp',
      operationId: 'disableTotp',
      summary: 'Remove the authenticator app; every other session ends',
      permission: 'session.own',
      needsConfirmation: true,
      answer: deletedAnswer,
      errors: ['ObjectNotFound', 'OperationForbidden'],
      handle: ({ admin, by }) => factors.disableTotp(signedIn(admin), by),
    }),
  ];
}

function newRecoveryCodes(factors: SecondFactors): ConsoleEndpoint {
  return endpoint({
    method: 'POST',
    path: '/session/recovery-codes',
    operationId: 'renewRecoveryCodes',
    summary: 'Make new recovery codes; the former ones no longer work',
    permission: 'session.own',
    needsConfirmation: true,
    answer: { ...codesAnswer, status: 201, description: 'The new codes, shown once.' },
    errors: ['OperationForbidden'],
    handle: async ({ admin, by }) => ({ result: { recoveryCodes: await factors.renewCodes(signedIn(admin), by) } }),
  });
}
