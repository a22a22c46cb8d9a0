import { deletedAnswer, listAnswer, recordAnswer } from '../../../http/answers.ts';
import { type Endpoint, endpoint } from '../../../http/endpoint.ts';
import type { AttemptLimits } from '../../../sign-in/attempts.ts';
import {
  creationOptionsExample,
  creationOptionsSchema,
  newPasskeyShape,
  passkeyNameShape,
  registrationExample,
} from '../../../sign-in/factors/factor-schemas.ts';
import type { RegistrationResponseJSON } from '../../../sign-in/factors/webauthn.ts';
import { callerOf } from './caller.ts';
import type { UserPasskeys } from './passkeys.ts';
import { passkeyExample, passkeySchema, proofShape } from './schemas.ts';
import { factorsTag as tag } from './tables.ts';

interface Deps {
  readonly passkeys: UserPasskeys;
  readonly limits: AttemptLimits;
}

const path = '/users/me/passkeys';
const onePath = `${path}/:objectId`;

export function passkeyEndpoints(deps: Deps): Endpoint[] {
  return [list(deps), ask(deps), add(deps), rename(deps), remove(deps)];
}

function list({ passkeys, limits }: Deps): Endpoint {
  return endpoint({
    method: 'GET',
    path,
    operationId: 'listPasskeys',
    tag,
    summary: 'List your own passkeys',
    grant: 'user',
    answer: listAnswer(passkeySchema, passkeyExample),
    errors: [],
    handle: async (call) => ({ results: await passkeys.list(callerOf(call, { limits }).key) }),
  });
}

function ask({ passkeys, limits }: Deps): Endpoint {
  return endpoint<{ currentPassword?: string }>({
    method: 'POST',
    path: `${path}/challenge`,
    operationId: 'startPasskey',
    tag,
    summary: 'Begin to add a passkey',
    description:
      'The answer is what `navigator.credentials.create` and its like on phones take. Takes `currentPassword` or a sign-in in ' +
      'the last 10 minutes; with a second factor, the sign-in.',
    grant: 'user',
    body: proofShape.body({ currentPassword: 'correct horse' }),
    answer: {
      ...recordAnswer(creationOptionsSchema, {
        ...creationOptionsExample,
        rp: { name: 'Museum', id: 'museum.example' },
      }),
      status: 201,
      description: 'What the passkey has to sign, within five minutes and once.',
    },
    errors: ['UserInvalidLoginParams', 'PasswordMissing', 'ValidationError', 'OperationForbidden', 'Timeout'],
    handle: async (call) => ({ result: await passkeys.addOptions(callerOf(call, { limits, ...call.body })) }),
  });
}

function add({ passkeys, limits }: Deps): Endpoint {
  return endpoint<ReturnType<typeof newPasskeyShape.readCreate>>({
    method: 'POST',
    path,
    operationId: 'addPasskey',
    tag,
    summary: 'Add a passkey',
    description: 'With the answer of the phone or browser to what was asked.',
    grant: 'user',
    body: newPasskeyShape.body({ name: 'My phone', passkey: registrationExample }),
    answer: { ...recordAnswer(passkeySchema, passkeyExample), status: 201, description: 'Added.' },
    errors: ['ValidationError', 'DuplicateValue', 'OperationForbidden'],
    handle: async (call) => {
      const given = { name: call.body.name, response: call.body.passkey as RegistrationResponseJSON };
      return { result: await passkeys.add(callerOf(call, { limits }), given) };
    },
  });
}

function rename({ passkeys, limits }: Deps): Endpoint {
  return endpoint<{ name: string }, void>({
    method: 'PUT',
    path: onePath,
    operationId: 'renamePasskey',
    tag,
    summary: 'Rename a passkey of yours',
    grant: 'user',
    body: passkeyNameShape.body({ name: 'Old phone' }),
    answer: { ...deletedAnswer, description: 'Renamed.' },
    errors: ['ValidationError', 'ObjectNotFound'],
    locate: (call) => passkeys.find(keyOf(call), call.params['objectId'] ?? ''),
    handle: async (call) => {
      const { key } = callerOf(call, { limits });
      await passkeys.rename(key, call.params['objectId'] ?? '', call.body.name);
      return { result: {} };
    },
  });
}

function remove({ passkeys, limits }: Deps): Endpoint {
  return endpoint<undefined, void>({
    method: 'DELETE',
    path: onePath,
    operationId: 'removePasskey',
    needsNoRoom: true,
    tag,
    summary: 'Remove a passkey of yours',
    description: 'Takes a sign-in in the last 10 minutes. Sessions go on.',
    grant: 'user',
    answer: deletedAnswer,
    errors: ['ObjectNotFound', 'OperationForbidden'],
    locate: (call) => passkeys.find(keyOf(call), call.params['objectId'] ?? ''),
    handle: async (call) => {
      await passkeys.remove(callerOf(call, { limits }), call.params['objectId'] ?? '');
      return { result: {} };
    },
  });
}

const keyOf = ({
  app,
  user,
}: {
  readonly app: { readonly appId: string };
  readonly user: { readonly userId: string } | undefined;
}) => ({ appId: app.appId, userId: user?.userId ?? '' });
