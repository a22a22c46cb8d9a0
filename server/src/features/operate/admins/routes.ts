import { Type } from 'typebox';
import { createdRecordAnswer, listAnswer, recordAnswer } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../http/console/console-endpoint.ts';
import { type AdminChange, type AdminService, adminTag, adminView, securityTag } from './accounts/service.ts';
import type { SecondFactors } from './factors/second-factors.ts';
import { adminChangeShape, adminSchema, newAdminShape, resetShape, securityShape } from './schemas.ts';

const answer = recordAnswer(adminSchema);

const securityAnswer = recordAnswer(securityShape.schema);

/** Administrators, for callers who may see or change them. */
export function adminEndpoints(admins: AdminService, factors: SecondFactors): readonly ConsoleEndpoint[] {
  return [...accountEndpoints(admins), ...securityEndpoints(admins, factors)];
}

function securityEndpoints(admins: AdminService, factors: SecondFactors): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'DELETE',
      path: '/administrators/:adminId/factors',
      operationId: 'resetAdministratorFactors',
      summary: "Remove an administrator's second factors; all the administrator's sessions end",
      permission: 'administrators.write',
      needsConfirmation: true,
      answer,
      handle: async ({ params, by }) => ({ result: adminView(await factors.reset(params['adminId'] ?? '', by)) }),
    }),
    consoleEndpoint({
      method: 'GET',
      path: '/security',
      operationId: 'getSecurity',
      summary: 'What every administrator needs to sign in',
      permission: 'administrators.read',
      answer: securityAnswer,
      handle: async () => ({ result: { secondFactorRequired: await admins.isFactorRequired() } }),
      tagOf: ({ result }) => securityTag(result),
    }),
    consoleEndpoint({
      method: 'PUT',
      path: '/security',
      operationId: 'changeSecurity',
      summary: 'Require a second factor of every administrator, or no longer',
      description: 'From the next request on, whoever has none can only set one up.',
      permission: 'administrators.write',
      needsConfirmation: true,
      body: securityShape.body({ secondFactorRequired: true }),
      answer: securityAnswer,
      takesIfMatch: true,
      async handle({ admin, body, by, assertUnchanged }) {
        const how = { by, assertUnchanged };
        await admins.requireFactor(body.secondFactorRequired, signedIn(admin).adminId, how);
        return { result: body };
      },
      tagOf: ({ result }) => securityTag(result),
    }),
  ];
}

/** `apps: null` is a value: everywhere. */
function readChange(body: unknown): AdminChange {
  const { set, cleared } = adminChangeShape.readUpdate(body);
  return { ...set, ...(cleared.includes('apps') ? { apps: null } : {}) };
}

function accountEndpoints(admins: AdminService): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/administrators',
      operationId: 'listAdministrators',
      summary: 'List administrators',
      permission: 'administrators.read',
      answer: listAnswer(adminSchema),
      handle: async () => ({ results: await admins.list() }),
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/administrators',
      operationId: 'createAdministrator',
      summary: 'Create an administrator',
      permission: 'administrators.write',
      needsConfirmation: true,
      body: newAdminShape.body({ email: 'ed@museum.example', name: 'Ed', role: 'editor', password: 'long and secret' }),
      answer: createdRecordAnswer(adminSchema),
      handle: async ({ body, by }) => ({ result: await admins.create(body, by) }),
    }),
    consoleEndpoint({
      method: 'GET',
      path: '/administrators/:adminId',
      operationId: 'getAdministrator',
      summary: 'Get an administrator',
      permission: 'administrators.read',
      answer,
      handle: async ({ params }) => ({ result: await admins.get(params['adminId'] ?? '') }),
      tagOf: ({ result }) => adminTag(result),
    }),
    consoleEndpoint({
      method: 'PUT',
      path: '/administrators/:adminId',
      operationId: 'changeAdministrator',
      summary: "Change an administrator's name, role or apps, or switch the administrator off or on",
      permission: 'administrators.write',
      needsConfirmation: true,
      body: {
        schema: Type.Partial(adminChangeShape.schema),
        example: { role: 'manager' },
        read: readChange,
      },
      answer,
      takesIfMatch: true,
      handle: async ({ params, body, by, assertUnchanged }) => ({
        result: adminView(await admins.change(params['adminId'] ?? '', body, { by, assertUnchanged })),
      }),
      tagOf: ({ result }) => adminTag(result),
    }),
    consoleEndpoint({
      method: 'PUT',
      path: '/administrators/:adminId/password',
      operationId: 'resetAdministratorPassword',
      summary: "Set an administrator's password; all the administrator's sessions end",
      permission: 'administrators.write',
      needsConfirmation: true,
      body: resetShape.body({ password: 'long and secret' }),
      answer,
      handle: async ({ params, body, by }) => ({
        result: adminView(await admins.setPassword(params['adminId'] ?? '', body.password, by)),
      }),
    }),
  ];
}
