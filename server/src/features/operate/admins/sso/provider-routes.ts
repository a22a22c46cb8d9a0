import { Type } from 'typebox';
import { createdRecordAnswer, deletedAnswer, listAnswer, recordAnswer } from '../../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../../http/console/console-endpoint.ts';
import {
  ssoFieldsExample,
  ssoPolicySchema,
  ssoPolicyShape,
  ssoProviderRecord,
  ssoProviderShape,
  ssoTest,
} from './provider-schemas.ts';
import { type SsoProviders, ssoPolicyTag, ssoProviderTag } from './providers.ts';

const schema = ssoProviderRecord;
const policyAnswer = recordAnswer(ssoPolicySchema);
export function ssoProviderEndpoints(providers: SsoProviders): readonly ConsoleEndpoint[] {
  return [...listEndpoints(providers), ...recordEndpoints(providers), ...policyEndpoints(providers)];
}

function listEndpoints(providers: SsoProviders): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/sso-providers',
      operationId: 'listSsoProviders',
      summary: 'List the providers of single sign-on',
      permission: 'sso.manage',
      answer: listAnswer(schema),
      handle: async () => ({ results: await providers.list() }),
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/sso-providers',
      operationId: 'createSsoProvider',
      summary: 'Let administrators sign in through a provider of OpenID Connect',
      description:
        'The provider has to know the address `<address of the console>/console/sso/callback` as a redirect URI of this client.',
      permission: 'sso.manage',
      needsConfirmation: true,
      body: ssoProviderShape.body(ssoFieldsExample),
      answer: createdRecordAnswer(schema),
      handle: async ({ body, by }) => ({ result: await providers.create(body, by) }),
    }),
  ];
}

function recordEndpoints(providers: SsoProviders): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/sso-providers/:providerId',
      operationId: 'getSsoProvider',
      summary: 'One provider of single sign-on',
      permission: 'sso.manage',
      answer: recordAnswer(schema),
      handle: async ({ params }) => ({ result: await providers.get(params['providerId'] ?? '') }),
      tagOf: ({ result }) => ssoProviderTag(result),
    }),
    consoleEndpoint({
      method: 'PUT',
      path: '/sso-providers/:providerId',
      operationId: 'changeSsoProvider',
      summary: 'Change a provider of single sign-on, or switch it off or on',
      description: 'Its issuer stays. Switching it off ends every session that began with it.',
      permission: 'sso.manage',
      needsConfirmation: true,
      body: {
        schema: Type.Partial(ssoProviderShape.schema),
        example: { enabled: false },
        read: ssoProviderShape.readUpdate,
      },
      answer: recordAnswer(schema),
      takesIfMatch: true,
      handle: async ({ params, body, by, assertUnchanged }) => ({
        result: await providers.change(params['providerId'] ?? '', body, { by, assertUnchanged }),
      }),
      tagOf: ({ result }) => ssoProviderTag(result),
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/sso-providers/:providerId',
      operationId: 'deleteSsoProvider',
      summary: 'Delete a provider of single sign-on; every session that began with it ends',
      permission: 'sso.manage',
      needsConfirmation: true,
      answer: deletedAnswer,
      takesIfMatch: true,
      handle: ({ params, by, assertUnchanged }) =>
        providers.remove(params['providerId'] ?? '', { by, assertUnchanged }),
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/sso-providers/:providerId/test',
      operationId: 'testSsoProvider',
      summary: "Read a provider's configuration and keys now",
      permission: 'sso.manage',
      answer: recordAnswer(ssoTest),
      handle: async ({ params }) => ({ result: await providers.test(params['providerId'] ?? '') }),
    }),
  ];
}

function policyEndpoints(providers: SsoProviders): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/sso',
      operationId: 'getSsoPolicy',
      summary: 'Whether single sign-on is the only way to sign in, and how long its sessions last',
      permission: 'administrators.read',
      answer: policyAnswer,
      handle: async () => ({ result: await providers.policy() }),
      tagOf: ({ result }) => ssoPolicyTag(result),
    }),
    consoleEndpoint({
      method: 'PUT',
      path: '/sso',
      operationId: 'changeSsoPolicy',
      summary: 'Make single sign-on the only way to sign in, or no longer, and say how long its sessions last',
      description:
        'With `only`, sessions that began with a password or a passkey end; `pharos admin link` on the command line opens a way in for an ' +
        'owner. `sessionHours` applies to sessions that are open, too: those that have lasted longer end.',
      permission: 'sso.manage',
      needsConfirmation: true,
      body: ssoPolicyShape.body({ only: true }),
      answer: policyAnswer,
      takesIfMatch: true,
      handle: async ({ admin, body, by, assertUnchanged }) => ({
        result: await providers.changePolicy(body, signedIn(admin), { by, assertUnchanged }),
      }),
      tagOf: ({ result }) => ssoPolicyTag(result),
    }),
  ];
}
