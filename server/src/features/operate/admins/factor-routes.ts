import { Type } from 'typebox';
import { createdRecordAnswer, deletedAnswer, recordAnswer } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../http/console/console-endpoint.ts';
import { codeShape, factorsSchema, recoveryCodesSchema, totpSchema } from '../../../sign-in/factors/factor-schemas.ts';
import type { SecondFactors } from './factors/second-factors.ts';
import { passkeyView } from './passkey-routes.ts';

const codesAnswer = recordAnswer(Type.Object({ recoveryCodes: recoveryCodesSchema }));

export function factorEndpoints(factors: SecondFactors): readonly ConsoleEndpoint[] {
  return [ownFactors(factors), ...authenticatorApp(factors), newRecoveryCodes(factors)];
}

function ownFactors(factors: SecondFactors): ConsoleEndpoint {
  return consoleEndpoint({
    method: 'GET',
    path: '/session/factors',
    operationId: 'getOwnFactors',
    summary: 'How one signs in oneself',
    permission: 'session.own',
    answer: recordAnswer(factorsSchema),
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
    consoleEndpoint({
      method: 'POST',
      path: '/session/totp',
      operationId: 'startTotp',
      summary: 'Begin to set up an authenticator app',
      description: 'The secret counts once a code of it has been sent. An app that is set up already works until then.',
      permission: 'session.own',
      needsConfirmation: true,
      answer: createdRecordAnswer(totpSchema),
      handle: async ({ admin, origin }) => ({
        result: await factors.startTotp(signedIn(admin), new URL(origin).hostname),
      }),
    }),
    consoleEndpoint({
      method: 'PUT',
      path: '/session/totp',
      operationId: 'enableTotp',
      summary: 'Finish setting up an authenticator app with a code of it; every other session ends',
      permission: 'session.own',
      needsConfirmation: true,
      body: codeShape.body({ code: '492039' }),
      answer: codesAnswer,
      handle: async ({ admin, body, by }) => ({
        result: { recoveryCodes: await factors.enableTotp(signedIn(admin), body.code, by) },
      }),
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/session/totp',
      operationId: 'disableTotp',
      summary: 'Remove the authenticator app; every other session ends',
      permission: 'session.own',
      needsConfirmation: true,
      answer: deletedAnswer,
      handle: ({ admin, by }) => factors.disableTotp(signedIn(admin), by),
    }),
  ];
}

function newRecoveryCodes(factors: SecondFactors): ConsoleEndpoint {
  return consoleEndpoint({
    method: 'POST',
    path: '/session/recovery-codes',
    operationId: 'renewRecoveryCodes',
    summary: 'Make new recovery codes; the former ones no longer work',
    permission: 'session.own',
    needsConfirmation: true,
    answer: { ...codesAnswer, status: 201 },
    handle: async ({ admin, by }) => ({ result: { recoveryCodes: await factors.renewCodes(signedIn(admin), by) } }),
  });
}
