import { Type } from 'typebox';
import { deletedAnswer, listAnswer, recordAnswer } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../http/console/console-endpoint.ts';
import type { IssuerKeys } from '../../../sign-in/oidc/issuer-keys.ts';
import { providerFieldsExample, providerRecord, providerShape, providerTest } from './provider-schemas.ts';
import { type ProviderService, providerTag } from './provider-service.ts';

interface Deps {
  readonly providers: ProviderService;
  readonly keys: IssuerKeys;
}

type Params = Readonly<Record<string, string>>;
const all = '/apps/:appId/identity-providers';
const one = `${all}/:providerId`;
const schema = providerRecord;

/** The identity providers of an app, in the management console. */
export function providerConsoleEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  return [...collectionEndpoints(deps), ...recordEndpoints(deps), testEndpoint(deps)];
}

const locator =
  ({ providers }: Deps) =>
  ({ appId = '', providerId = '' }: Params) =>
    providers.get(appId, providerId);

function collectionEndpoints({ providers }: Deps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: all,
      operationId: 'listIdentityProviders',
      summary: 'List the identity providers of an app',
      permission: 'signin.read',
      answer: listAnswer(schema),
      handle: async ({ params: { appId = '' } }) => ({ results: await providers.list(appId) }),
    }),
    consoleEndpoint({
      method: 'POST',
      path: all,
      operationId: 'createIdentityProvider',
      summary: 'Let users sign in through an identity provider',
      permission: 'signin.write',
      needsConfirmation: true,
      body: providerShape.body(providerFieldsExample),
      answer: {
        status: 201,
        schema: Type.Object({ result: schema }),
      },
      handle: async ({ params: { appId = '' }, body, by }) => ({ result: await providers.create(appId, body, by) }),
      tagOf: ({ result }) => providerTag(result),
    }),
  ];
}

function recordEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  const { providers } = deps;
  const locate = locator(deps);
  return [
    consoleEndpoint({
      method: 'GET',
      path: one,
      operationId: 'getIdentityProvider',
      summary: 'Get an identity provider',
      permission: 'signin.read',
      locate,
      answer: recordAnswer(schema),
      handle: async ({ params: { appId = '', providerId = '' } }) => ({
        result: await providers.get(appId, providerId),
      }),
      tagOf: ({ result }) => providerTag(result),
    }),
    consoleEndpoint({
      method: 'PUT',
      path: one,
      operationId: 'changeIdentityProvider',
      summary: 'Change an identity provider, or switch it off or on; its name, kind and issuer stay',
      description:
        'Switched off, nobody can sign in through it, and its tokens are refused at once. Sessions here go on.',
      permission: 'signin.write',
      needsConfirmation: true,
      locate,
      body: {
        schema: Type.Partial(providerShape.schema),
        example: { enabled: false },
        read: providerShape.readUpdate,
      },
      answer: recordAnswer(schema),
      takesIfMatch: true,
      handle: async ({ params: { appId = '', providerId = '' }, body, by, assertUnchanged }) => ({
        result: await providers.change(appId, providerId, body, { by, assertUnchanged }),
      }),
      tagOf: ({ result }) => providerTag(result),
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: one,
      operationId: 'deleteIdentityProvider',
      summary: 'Delete an identity provider; accounts stay',
      permission: 'signin.write',
      locate,
      answer: deletedAnswer,
      takesIfMatch: true,
      handle: async ({ params: { appId = '', providerId = '' }, by, assertUnchanged }) => {
        await providers.remove(appId, providerId, { by, assertUnchanged });
        return { result: {} };
      },
    }),
  ];
}

function testEndpoint(deps: Deps): ConsoleEndpoint {
  return consoleEndpoint({
    method: 'POST',
    path: `${one}/test`,
    operationId: 'testIdentityProvider',
    summary: "Read the issuer's configuration and keys now",
    permission: 'signin.write',
    locate: locator(deps),
    answer: recordAnswer(providerTest),
    handle: async ({ params: { appId = '', providerId = '' } }) => ({
      result: await deps.providers.test(appId, providerId, deps.keys),
    }),
  });
}
