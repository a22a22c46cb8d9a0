import { Type } from 'typebox';
import { serviceTimeZone } from '../../../base/clock.ts';
import { createdRecordAnswer, deletedAnswer } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../http/console/console-endpoint.ts';
import {
  creationOptionsSchema,
  newPasskeyShape,
  passkeyNameShape,
  passkeySchema,
  recoveryCodesSchema,
  registrationExample,
  requestOptionsSchema,
  signatureExample,
  signatureShape,
} from '../../../sign-in/factors/factor-schemas.ts';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '../../../sign-in/factors/webauthn.ts';
import { adminView } from './accounts/service.ts';
import type { Passkeys } from './factors/passkeys.ts';
import type { PasskeyRow } from './factors/store.ts';
import { signedInAnswer } from './schemas.ts';
import type { AdminSessions } from './sessions.ts';

interface Deps {
  readonly passkeys: Passkeys;
  readonly sessions: AdminSessions;
  readonly isDemo: () => Promise<boolean>;
}

export function passkeyView(row: PasskeyRow) {
  return {
    passkeyId: row.passkey_id,
    name: row.name,
    host: row.rp_id,
    synced: row.is_synced > 0,
    createdAt: new Date(row.created_at).toISOString(),
    lastUsedAt: row.last_used_at === null ? null : new Date(row.last_used_at).toISOString(),
  };
}

/** Signing in with a passkey, and an administrator's own passkeys. */
export function passkeyEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  return [...signingEndpoints(deps), ...addingEndpoints(deps), ...keepingEndpoints(deps)];
}

function signingEndpoints({ passkeys, sessions, isDemo }: Deps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'POST',
      path: '/session/passkey/challenge',
      operationId: 'startPasskeySignIn',
      summary: 'Begin to sign in with a passkey',
      permission: 'public',
      answer: createdRecordAnswer(requestOptionsSchema),
      async handle({ address, origin }) {
        sessions.throttleAddress(address);
        return { result: await passkeys.signInOptions(origin) };
      },
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/session/passkey',
      operationId: 'signInWithPasskey',
      summary: 'Sign in with a passkey, which is password and second factor in one',
      permission: 'public',
      body: signatureShape.body({ passkey: signatureExample }),
      answer: signedInAnswer,
      async handle({ body, origin, setSession, ...client }) {
        sessions.throttleAddress(client.address);
        const passkey = await sessions.refusing(client.address, () =>
          passkeys.readSignIn(body.passkey as AuthenticationResponseJSON, origin),
        );
        const { row, session } = await sessions.signInWithPasskey(passkey, client);
        setSession(session);
        const timeZone = serviceTimeZone();
        return { result: { ...adminView(row), demo: await isDemo(), mustEnrol: false, timeZone } };
      },
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/session/confirm/challenge',
      operationId: 'startPasskeyConfirmation',
      summary: 'Begin to confirm with a passkey',
      permission: 'session.own',
      answer: createdRecordAnswer(requestOptionsSchema),
      handle: async ({ admin, origin }) => ({ result: await passkeys.confirmOptions(signedIn(admin), origin) }),
    }),
  ];
}

function addingEndpoints({ passkeys }: Deps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'POST',
      path: '/session/passkeys/challenge',
      operationId: 'startPasskey',
      summary: 'Begin to add a passkey',
      permission: 'session.own',
      needsConfirmation: true,
      answer: createdRecordAnswer(creationOptionsSchema),
      handle: async ({ admin, origin }) => ({ result: await passkeys.addOptions(signedIn(admin), origin) }),
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/session/passkeys',
      operationId: 'addPasskey',
      summary: 'Add a passkey; every other session ends',
      permission: 'session.own',
      needsConfirmation: true,
      body: newPasskeyShape.body({ name: 'Work laptop', passkey: registrationExample }),
      answer: createdRecordAnswer(Type.Object({ passkey: passkeySchema, recoveryCodes: recoveryCodesSchema })),
      async handle({ admin, body, by, origin }) {
        const given = { name: body.name, response: body.passkey as RegistrationResponseJSON };
        const { passkey, codes } = await passkeys.add(signedIn(admin), given, { origin, by });
        return { result: { passkey: passkeyView(passkey), recoveryCodes: codes } };
      },
    }),
  ];
}

function keepingEndpoints({ passkeys }: Deps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'PUT',
      path: '/session/passkeys/:passkeyId',
      operationId: 'renamePasskey',
      summary: "Rename one's own passkey",
      permission: 'session.own',
      body: passkeyNameShape.body({ name: 'Blue key' }),
      answer: deletedAnswer,
      handle: ({ admin, params, body }) => passkeys.rename(signedIn(admin), params['passkeyId'] ?? '', body.name),
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/session/passkeys/:passkeyId',
      operationId: 'removePasskey',
      summary: "Remove one's own passkey; every other session ends",
      permission: 'session.own',
      needsConfirmation: true,
      answer: deletedAnswer,
      handle: ({ admin, params, by }) => passkeys.remove(signedIn(admin), params['passkeyId'] ?? '', by),
    }),
  ];
}
