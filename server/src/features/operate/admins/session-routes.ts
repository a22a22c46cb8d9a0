import { Type } from 'typebox';
import { serviceTimeZone } from '../../../base/clock.ts';
import { deletedAnswer, recordAnswer } from '../../../http/answers.ts';
import {
  type AdminContext,
  assertConfirmed,
  type ConsoleCall,
  type ConsoleEndpoint,
  consoleEndpoint,
  signedIn,
} from '../../../http/console/console-endpoint.ts';
import type { AuthenticationResponseJSON } from '../../../sign-in/factors/webauthn.ts';
import { type AdminService, adminView } from './accounts/service.ts';
import type { Passkeys } from './factors/passkeys.ts';
import {
  adminSchema,
  confirmShape,
  ownPasswordShape,
  sessionSchema,
  setupShape,
  signedInAnswer,
  signInShape,
} from './schemas.ts';
import type { AdminSessions } from './sessions.ts';

interface Deps {
  readonly admins: AdminService;
  readonly passkeys: Passkeys;
  readonly sessions: AdminSessions;
  /** Whether the service shows a demo. */
  readonly isDemo: () => Promise<boolean>;
}

/** Creating the first owner, signing in and out, and the signed-in administrator's account. */
export function sessionEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  return [...setupEndpoints(deps), ...signingEndpoints(deps), ...passwordEndpoints(deps)];
}

function setupEndpoints({ admins, sessions, isDemo }: Deps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/setup',
      operationId: 'getSetup',
      summary: 'Whether the first administrator still has to be created',
      permission: 'public',
      answer: recordAnswer(Type.Object({ needed: Type.Boolean() })),
      handle: async () => ({ result: { needed: !(await admins.hasAdmin()) } }),
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/setup',
      operationId: 'setUp',
      summary: 'Create the first owner with the one-time link, and sign in',
      permission: 'public',
      body: setupShape.body({
        token: 'the part of the link after #',
        email: 'ada@museum.example',
        password: 'long and secret',
        name: 'Ada',
      }),
      answer: signedInAnswer,
      async handle({ body: { token, ...owner }, setSession, ...client }) {
        sessions.throttle('set-up', client.address);
        const row = await admins.setUp(token, owner, client.address);
        setSession(await sessions.begin(row, { method: 'password', client }));
        const mustEnrol = await sessions.mustEnrol(row);
        return { result: { ...adminView(row), demo: await isDemo(), mustEnrol, timeZone: serviceTimeZone() } };
      },
    }),
  ];
}

/** What the console learns about the signed-in administrator. */
const readSession =
  ({ sessions, isDemo }: Deps) =>
  async (admin: AdminContext, headers: ConsoleCall<unknown>['headers']) => {
    const { adminId, email, name, role, apps, mustEnrol } = admin;
    await sessions.noteLanguage(admin, headers);
    return { adminId, email, name, role, apps, demo: await isDemo(), mustEnrol, timeZone: serviceTimeZone() };
  };

function signingEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  const { sessions, isDemo } = deps;
  const sessionOf = readSession(deps);
  return [
    consoleEndpoint({
      method: 'POST',
      path: '/session',
      operationId: 'signInToConsole',
      summary: 'Sign in with a password',
      description:
        'Whoever has a second factor also sends `code` or `recoveryCode`, or signs in with a passkey instead. Without it the right password is answered with SecondFactorNeeded, whose `details` name what the administrator has.',
      permission: 'public',
      body: signInShape.body({ email: 'ada@museum.example', password: 'long and secret' }),
      answer: signedInAnswer,
      async handle({ body, setSession, ...client }) {
        const { row, session } = await sessions.signIn(body, client);
        setSession(session);
        const mustEnrol = await sessions.mustEnrol(row);
        return { result: { ...adminView(row), demo: await isDemo(), mustEnrol, timeZone: serviceTimeZone() } };
      },
    }),
    consoleEndpoint({
      method: 'GET',
      path: '/session',
      operationId: 'getSession',
      summary: 'Who is signed in',
      description: 'A page names its language in `Pharos-Language`; mails to the administrator come in it.',
      permission: 'session.own',
      answer: recordAnswer(sessionSchema),
      handle: async ({ admin, headers }) => ({ result: await sessionOf(signedIn(admin), headers) }),
    }),
    consoleEndpoint({
      method: 'GET',
      path: '/session/present',
      operationId: 'findSession',
      summary: 'Who is signed in in this browser; null if nobody is',
      permission: 'anybody',
      answer: recordAnswer(Type.Union([sessionSchema, Type.Null()])),
      handle: async ({ admin, headers }) => ({ result: admin ? await sessionOf(admin, headers) : null }),
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/session',
      operationId: 'signOutOfConsole',
      summary: 'Sign out',
      permission: 'session.own',
      answer: deletedAnswer,
      async handle({ admin, address, setSession }) {
        await sessions.signOut(signedIn(admin), address);
        setSession(undefined);
      },
    }),
  ];
}

function passwordEndpoints({ admins, sessions, passkeys }: Deps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'POST',
      path: '/session/confirm',
      operationId: 'confirmSession',
      summary: 'Confirm with a password or a passkey, for what needs it within the next five minutes',
      permission: 'session.own',
      body: confirmShape.body({ password: 'long and secret' }),
      answer: deletedAnswer,
      async handle({ admin, body: { password = '', passkey }, address, origin }) {
        const own = signedIn(admin);
        if (passkey === undefined) await sessions.assertPassword(own, password, address);
        else {
          sessions.throttleAddress(address);
          await passkeys.assertConfirmed(own, passkey as AuthenticationResponseJSON, origin);
        }
        await sessions.noteConfirmation(own.sessionHash);
      },
    }),
    consoleEndpoint({
      method: 'GET',
      path: '/session/confirm',
      operationId: 'checkConfirmation',
      summary: 'Ask whether the last confirmation still counts; it is refused if not',
      description: 'For pages that save a file by its address, where nobody could confirm.',
      permission: 'session.own',
      needsConfirmation: true,
      answer: deletedAnswer,
      handle: async () => ({ result: {} }),
    }),
    consoleEndpoint({
      method: 'PUT',
      path: '/session/password',
      operationId: 'changeOwnPassword',
      summary: "Change one's own password; every other session ends",
      description: 'Whoever has no password yet confirms with a passkey instead of sending `currentPassword`.',
      permission: 'session.own',
      body: ownPasswordShape.body({ currentPassword: 'long and secret', password: 'longer and secret' }),
      answer: recordAnswer(adminSchema),
      async handle({ admin, body, by, setSession, now, ...client }) {
        const own = signedIn(admin);
        let known: string | null = null;
        if (await admins.hasPassword(own.adminId))
          known = (await sessions.assertPassword(own, body.currentPassword ?? '', client.address)).password_hash;
        else assertConfirmed(own, now);
        // A session that a provider began still ends with it, and not later.
        const beginning = await sessions.beginningOf(own);
        const changed = await admins.setPassword(own.adminId, body.password, by, known);
        setSession(await sessions.begin(changed, { ...beginning, client }));
        return { result: adminView(changed) };
      },
    }),
  ];
}
