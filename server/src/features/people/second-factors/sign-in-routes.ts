import { Type } from 'typebox';
import { recordAnswer } from '../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import { clientOf } from '../../../sign-in/accounts.ts';
import type { AttemptLimits } from '../../../sign-in/attempts.ts';
import {
  recoveryCodesSchema,
  requestOptionsExample,
  requestOptionsSchema,
  signatureExample,
  totpExample,
  totpSchema,
} from '../../../sign-in/factors/factor-schemas.ts';
import type { AuthenticationResponseJSON } from '../../../sign-in/factors/webauthn.ts';
import { answerOf, exampleToken, signInAnswer } from '../../../sign-in/sign-in-answer.ts';
import type { Authenticators } from './authenticators.ts';
import type { UserPasskeys } from './passkeys.ts';
import { challengeShape, finishShape, passkeySignInShape } from './schemas.ts';
import { factorsTag as tag } from './tables.ts';

interface Deps {
  readonly authenticators: Authenticators;
  readonly passkeys: UserPasskeys;
  readonly limits: AttemptLimits;
}

export function signInEndpoints(deps: Deps): Endpoint[] {
  return [finish(deps), enrol(deps), askPasskey(deps), signInWithPasskey(deps)];
}

function finish({ authenticators, limits }: Deps): Endpoint {
  return endpoint<ReturnType<typeof finishShape.readCreate>>({
    method: 'POST',
    path: '/users/signin/factor',
    operationId: 'finishSignIn',
    needsNoRoom: true,
    tag,
    summary: 'Finish a sign-in with a second factor',
    description:
      'With the `challenge` of an answer 121 (SecondFactorNeeded) or 123 (EnrolmentNeeded), which is good for 10 minutes and 5 ' +
      'tries, and a code of the authenticator app, which is accepted once, or a recovery code. Wrong codes of an account are ' +
      'limited, 10 at once and then 12 an hour; those from the network from which a code was last right are counted by themselves.',
    grant: 'app',
    body: finishShape.body({ challenge: exampleToken, code: '492039' }),
    answer: {
      status: 200,
      description: 'Signed in.',
      schema: Type.Object({
        ...signInAnswer.schema.properties,
        recoveryCodes: Type.Optional(recoveryCodesSchema),
      }),
      example: signInAnswer.example,
    },
    errors: ['UserInvalidLoginParams', 'ValidationError', 'ObjectNotFound', 'OperationForbidden'],
    handle: async ({ app, body, address, now }) => {
      const mayTell = (emailKey: string) => limits.mayTell({ app, address, emailKey, now });
      const { session, recoveryCodes } = await limits.present({ app, address, now }, () =>
        authenticators.finish(app, body, { address, mayTell }),
      );
      return { ...answerOf(session, now), ...(recoveryCodes.length > 0 ? { recoveryCodes } : {}) };
    },
  });
}

function enrol({ authenticators, limits }: Deps): Endpoint {
  return endpoint<{ challenge: string }>({
    method: 'POST',
    path: '/users/signin/factor/totp',
    operationId: 'startTotpAtSignIn',
    needsNoRoom: true,
    tag,
    summary: 'Set up an authenticator app while signing in',
    description:
      'Where everybody needs a second factor (policy `totp`: required) and the account has none. POST /users/signin/factor with a ' +
      'code of it then finishes the sign-in and answers the recovery codes.',
    grant: 'app',
    body: challengeShape.body({ challenge: exampleToken }),
    answer: { ...recordAnswer(totpSchema, totpExample), status: 201, description: 'The secret, shown once.' },
    errors: ['UserInvalidLoginParams', 'ValidationError', 'OperationForbidden'],
    handle: async ({ app, body, address, now }) => ({
      result: await limits.present({ app, address, now }, () => authenticators.startAtSignIn(app, body.challenge)),
    }),
  });
}

function askPasskey({ passkeys, limits }: Deps): Endpoint {
  return endpoint({
    method: 'POST',
    path: '/users/signin/passkey/challenge',
    operationId: 'startPasskeySignIn',
    needsNoRoom: true,
    tag,
    summary: 'Begin to sign in with a passkey',
    description: 'No body is needed. The answer is what `navigator.credentials.get` and its like on phones take.',
    grant: 'app',
    answer: {
      ...recordAnswer(requestOptionsSchema, { ...requestOptionsExample, rpId: 'museum.example' }),
      status: 201,
      description: 'What the passkey has to sign, within five minutes and once.',
    },
    errors: ['OperationForbidden'],
    handle: async ({ app, address, now }) => {
      limits.askPasskey({ app, address, now });
      return { result: await passkeys.signInOptions(app) };
    },
  });
}

function signInWithPasskey({ passkeys, limits }: Deps): Endpoint {
  return endpoint<ReturnType<typeof passkeySignInShape.readCreate>>({
    method: 'POST',
    path: '/users/signin/passkey',
    operationId: 'signInWithPasskey',
    needsNoRoom: true,
    tag,
    summary: 'Sign in with a passkey',
    description: 'Without an e-mail address or a password, and without a second factor: it is two.',
    grant: 'app',
    body: passkeySignInShape.body({ passkey: signatureExample }),
    answer: { status: 200, description: 'Signed in.', ...signInAnswer },
    errors: ['UserInvalidLoginParams', 'ValidationError', 'OperationForbidden'],
    handle: async ({ app, body, address, now, headers }) => {
      const client = clientOf({ headers }, body);
      const response = body.passkey as AuthenticationResponseJSON;
      return answerOf(await limits.present({ app, address, now }, () => passkeys.signIn(app, response, client)), now);
    },
  });
}
