import { fail } from '../../../../base/errors.ts';
import { createdRecordAnswer, deletedAnswer, recordAnswer } from '../../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint, signedIn } from '../../../../http/console/console-endpoint.ts';
import {
  beginShape,
  confirmThroughShape,
  departureSchema,
  ownIdentitiesSchema,
  waysSchema,
} from './provider-schemas.ts';
import type { SessionPort } from './session-port.ts';
import type { SingleSignOn } from './single-sign-on.ts';

interface Deps {
  readonly singleSignOn: SingleSignOn;
  readonly sessions: SessionPort;
}

/** Where the browser has to go, within ten minutes. The answer comes back to this browser only. */
const departure = createdRecordAnswer(departureSchema);

/** Signing in through a provider, confirming with it, and connecting an existing account. */
export function singleSignOnEndpoints(deps: Deps): readonly ConsoleEndpoint[] {
  return [...signingEndpoints(deps), ...ownEndpoints(deps)];
}

function signingEndpoints({ singleSignOn, sessions }: Deps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/session/sso',
      operationId: 'listSignInProviders',
      summary: 'Through whom one can sign in',
      permission: 'public',
      answer: recordAnswer(waysSchema),
      handle: async () => ({ result: await singleSignOn.ways() }),
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/session/sso',
      operationId: 'startSingleSignOn',
      summary: 'Begin to sign in through a provider',
      permission: 'public',
      body: beginShape.body({ providerId: 'none', next: '/apps' }),
      answer: departure,
      async handle({ body: { providerId, next }, origin, address, bindBrowser }) {
        sessions.throttleAddress(address);
        const began = await singleSignOn.begin({ providerId, next, origin, purpose: 'sign in' });
        bindBrowser(began.browser);
        return { result: { address: began.address } };
      },
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/session/confirm/sso',
      operationId: 'startSsoConfirmation',
      summary: 'Begin to confirm by signing in again through the provider with which the session began',
      permission: 'session.own',
      body: confirmThroughShape.body({ next: '/apps' }),
      answer: departure,
      async handle({ admin, body: { next }, origin, address, bindBrowser }) {
        const { provider, sessionHash } = signedIn(admin);
        if (!provider) throw fail('OperationForbidden', 'You have signed in with a password or a passkey. Use that.');
        sessions.throttleAddress(address);
        const { providerId } = provider;
        const began = await singleSignOn.begin({ providerId, next, origin, purpose: 'confirm', sessionHash });
        bindBrowser(began.browser);
        return { result: { address: began.address } };
      },
    }),
  ];
}

function ownEndpoints({ singleSignOn, sessions }: Deps): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/session/identities',
      operationId: 'listOwnIdentities',
      summary: "Through whom one signs in oneself, and with whom one's account is connected",
      permission: 'session.own',
      answer: recordAnswer(ownIdentitiesSchema),
      handle: async ({ admin }) => ({ result: await singleSignOn.identitiesOf(signedIn(admin)) }),
    }),
    consoleEndpoint({
      method: 'POST',
      path: '/session/identities',
      operationId: 'startConnection',
      summary: "Begin to connect one's account with a provider",
      permission: 'session.own',
      needsConfirmation: true,
      body: beginShape.body({ providerId: 'none', next: '/account' }),
      answer: departure,
      async handle({ admin, body: { providerId, next }, origin, address, bindBrowser }) {
        const { sessionHash } = signedIn(admin);
        sessions.throttleAddress(address);
        const began = await singleSignOn.begin({ providerId, next, origin, purpose: 'connect', sessionHash });
        bindBrowser(began.browser);
        return { result: { address: began.address } };
      },
    }),
    consoleEndpoint({
      method: 'DELETE',
      path: '/session/identities/:providerId',
      operationId: 'disconnectIdentity',
      summary: "End the connection of one's account with a provider",
      permission: 'session.own',
      needsConfirmation: true,
      answer: deletedAnswer,
      handle: ({ admin, params, address }) =>
        singleSignOn.disconnect(signedIn(admin), params['providerId'] ?? '', address),
    }),
  ];
}
