import { Type } from 'typebox';
import { fail } from '../../base/errors.ts';
import { deletedAnswer, recordAnswer } from '../../http/answers.ts';
import { type AdminContext, type ConsoleEndpoint, consoleEndpoint } from '../../http/console/console-endpoint.ts';
import {
  adminExample,
  adminSchema,
  confirmShape,
  ownPasswordShape,
  sessionExample,
  sessionSchema,
  setupShape,
  signedInAnswer,
  signInShape,
} from './schemas.ts';
import { type AdminService, adminView } from './service.ts';
import type { AdminSessions } from './sessions.ts';

interface Deps {
  readonly admins: AdminService;
  readonly sessions: AdminSessions;
  /** Whether the service shows a demo. */
  readonly isDemo: () => Promise<boolean>;
}

function signedIn(admin: AdminContext | undefined): AdminContext {
  if (!admin) throw fail('InvalidSessionToken');
  return admin;
}

/** Creating the first owner, signing in and out, and one's own account. */
export function sessionEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  return [...setupEndpoints(deps), ...signingEndpoints(deps), ...passwordEndpoints(deps)];
}

function setupEndpoints({ admins, sessions, isDemo }: Deps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/setup',
      operationId: 'getSetup',
      tag: 'Session',
      summary: 'Whether the first administrator still has to be created',
      permission: 'public',
      answer: recordAnswer(Type.Object({ needed: Type.Boolean() }), { needed: true }),
      errors: [],
      handle: async () => ({ result: { needed: !(await admins.hasAdmin()) } }),
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/setup',
      operationId: 'setUp',
      tag: 'Session',
      summary: 'Create the first owner with the one-time link, and sign in',
      permission: 'public',
      body: {
        schema: setupShape.schema,
        example: {
          token: 'the part of the link after #',
          email: 'ada@museum.example',
          password: 'long and secret',
          name: 'Ada',
        },
        read: setupShape.readCreate,
      },
      answer: signedInAnswer,
      errors: ['ValidationError', 'InvalidEmailAddress', 'OperationForbidden', 'APICallLimit', 'Timeout'],
      async handle({ body: { token, ...owner }, address, setSession }) {
        sessions.throttle('set-up', address);
        const row = await admins.setUp(token, owner, address);
        setSession(await sessions.begin(row));
        return { result: { ...adminView(row), demo: await isDemo() } };
      },
    }),
  ];
}

function signingEndpoints({ sessions, isDemo }: Deps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'POST',
      path: '/session',
      operationId: 'signInToConsole',
      tag: 'Session',
      summary: 'Sign in',
      permission: 'public',
      body: {
        schema: signInShape.schema,
        example: { email: 'ada@museum.example', password: 'long and secret' },
        read: signInShape.readCreate,
      },
      answer: signedInAnswer,
      errors: ['ValidationError', 'UserInvalidLoginParams', 'APICallLimit', 'Timeout'],
      async handle({ body, address, setSession }) {
        const { row, session } = await sessions.signIn(body.email, body.password, address);
        setSession(session);
        return { result: { ...adminView(row), demo: await isDemo() } };
      },
    }),
    consoleEndpoint({
      method: 'GET',
      path: '/session',
      operationId: 'getSession',
      tag: 'Session',
      summary: 'Who is signed in',
      permission: 'session.own',
      answer: recordAnswer(sessionSchema, sessionExample),
      errors: [],
      async handle({ admin }) {
        const { adminId, email, name, role } = signedIn(admin);
        return { result: { adminId, email, name, role, demo: await isDemo() } };
      },
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/session',
      operationId: 'signOutOfConsole',
      tag: 'Session',
      summary: 'Sign out',
      permission: 'session.own',
      answer: deletedAnswer,
      errors: [],
      async handle({ admin, address, setSession }) {
        await sessions.signOut(signedIn(admin), address);
        setSession(undefined);
        return { result: {} };
      },
    }),
  ];
}

function passwordEndpoints({ admins, sessions }: Deps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'POST',
      path: '/session/confirm',
      operationId: 'confirmSession',
      tag: 'Session',
      summary: "Confirm with one's own password, to change keys, administrators or passwords within five minutes",
      permission: 'session.own',
      body: { schema: confirmShape.schema, example: { password: 'long and secret' }, read: confirmShape.readCreate },
      answer: { ...deletedAnswer, description: 'Confirmed.' },
      errors: ['ValidationError', 'UserInvalidLoginParams', 'APICallLimit', 'Timeout'],
      async handle({ admin, body, address }) {
        const { sessionHash } = signedIn(admin);
        await sessions.assertPassword(signedIn(admin), body.password, address);
        await sessions.noteConfirmation(sessionHash);
        return { result: {} };
      },
    }),
    consoleEndpoint({
      method: 'PUT',
      path: '/session/password',
      operationId: 'changeOwnPassword',
      tag: 'Session',
      summary: "Change one's own password; every other session ends",
      permission: 'session.own',
      body: {
        schema: ownPasswordShape.schema,
        example: { currentPassword: 'long and secret', password: 'longer and secret' },
        read: ownPasswordShape.readCreate,
      },
      answer: recordAnswer(adminSchema, adminExample),
      errors: ['ValidationError', 'UserInvalidLoginParams', 'APICallLimit', 'Timeout'],
      async handle({ admin, body, by, address, setSession }) {
        const row = await sessions.assertPassword(signedIn(admin), body.currentPassword, address);
        const changed = await admins.setPassword(row.admin_id, body.password, by);
        setSession(await sessions.begin(changed));
        return { result: adminView(changed) };
      },
    }),
  ];
}
