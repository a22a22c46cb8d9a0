import { Type } from 'typebox';
import { deletedAnswer, isoTime, recordAnswer } from '../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import type { AttemptLimits } from '../../../sign-in/attempts.ts';
import {
  codeShape,
  recoveryCodesExample,
  recoveryCodesSchema,
  totpExample,
  totpSchema,
} from '../../../sign-in/factors/factor-schemas.ts';
import type { Authenticators } from './authenticators.ts';
import { callerOf } from './caller.ts';
import { factorsExample, factorsSchema, proofShape } from './schemas.ts';
import { factorsTag as tag } from './tables.ts';

interface Deps {
  readonly authenticators: Authenticators;
  readonly limits: AttemptLimits;
}

const codesAnswer = recordAnswer(Type.Object({ recoveryCodes: recoveryCodesSchema }), {
  recoveryCodes: recoveryCodesExample,
});

/** One's own authenticator app and recovery codes. */
export function factorEndpoints(deps: Deps): Endpoint[] {
  return [state(deps), start(deps), enable(deps), disable(deps), renew(deps)];
}

function state({ authenticators, limits }: Deps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/users/me/factors',
    operationId: 'getMyFactors',
    tag,
    summary: 'Your own second factor and passkeys',
    grant: 'user',
    answer: recordAnswer(factorsSchema, factorsExample),
    errors: [],
    handle: async (call) => {
      const { app, key } = callerOf(call, { limits });
      const { since, ...rest } = await authenticators.stateOf(key);
      const totp = since === undefined ? null : { since: isoTime(since) };
      return { result: { totp, ...rest, required: app.policy.totp === 'required' } };
    },
  });
}

function start({ authenticators, limits }: Deps): Endpoint {
  return endpoint<{ currentPassword?: string }>({
    method: 'POST',
    path: '/users/me/totp',
    operationId: 'startTotp',
    tag,
    summary: 'Begin to set up an authenticator app',
    description:
      'The secret counts once a code of it has been sent. An app that is set up already works until then. Takes ' +
      '`currentPassword` or a sign-in in the last 10 minutes; with a second factor, the sign-in.',
    grant: 'user',
    body: proofShape.body({ currentPassword: 'correct horse' }),
    answer: { ...recordAnswer(totpSchema, totpExample), status: 201, description: 'The secret, shown once.' },
    errors: ['UserInvalidLoginParams', 'PasswordMissing', 'ValidationError', 'OperationForbidden', 'Timeout'],
    handle: async (call) => ({ result: await authenticators.start(callerOf(call, { limits, ...call.body })) }),
  });
}

function enable({ authenticators, limits }: Deps): Endpoint {
  return endpoint<{ code: string }>({
    method: 'PUT',
    path: '/users/me/totp',
    operationId: 'enableTotp',
    tag,
    summary: 'Finish setting up an authenticator app with a code of it',
    description: 'All other sessions end. From then on a sign-in needs a code (or a passkey).',
    grant: 'user',
    body: codeShape.body({ code: '492039' }),
    answer: { ...codesAnswer, description: 'The recovery codes, shown once; none if there are some.' },
    errors: ['ValidationError', 'ObjectNotFound', 'OperationForbidden'],
    handle: async (call) => ({
      result: { recoveryCodes: await authenticators.enable(callerOf(call, { limits }), call.body.code) },
    }),
  });
}

function disable({ authenticators, limits }: Deps): Endpoint {
  return endpoint({
    method: 'DELETE',
    path: '/users/me/totp',
    operationId: 'disableTotp',
    needsNoRoom: true,
    tag,
    summary: 'Remove the authenticator app',
    description: 'Takes a sign-in in the last 10 minutes. Its recovery codes go as well, and all other sessions end.',
    grant: 'user',
    answer: deletedAnswer,
    errors: ['ObjectNotFound', 'OperationForbidden'],
    handle: async (call) => {
      await authenticators.disable(callerOf(call, { limits }));
      return { result: {} };
    },
  });
}

function renew({ authenticators, limits }: Deps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/users/me/recovery-codes',
    operationId: 'renewRecoveryCodes',
    tag,
    summary: 'Make new recovery codes',
    description: 'Takes a sign-in in the last 10 minutes. The former ones no longer work. No body is needed.',
    grant: 'user',
    answer: { ...codesAnswer, status: 201, description: 'The new codes, shown once.' },
    errors: ['OperationForbidden'],
    handle: async (call) => ({
      result: { recoveryCodes: await authenticators.renewCodes(callerOf(call, { limits })) },
    }),
  });
}
