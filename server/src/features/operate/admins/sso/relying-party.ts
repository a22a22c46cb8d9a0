import * as client from 'openid-client';
import { BoundedMap } from '../../../../base/caches/bounded-map.ts';
import type { TargetRules } from '../../../../delivery/provider/target-rules.ts';
import { addressIn, discover, type IssuerMetadata } from '../../../../sign-in/oidc/discovery.ts';
import { TokenRefused, type VerifiedToken, verifyIdToken } from '../../../../sign-in/oidc/id-token.ts';
import type { IssuerKeys } from '../../../../sign-in/oidc/issuer-keys.ts';
import { ask, Unreadable } from '../../../../sign-in/oidc/read-json.ts';
import type { Context } from '../../../context.ts';
import type { AttemptRow } from './store.ts';

export interface ClientRegistration {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly scopes: string;
}

export interface RelyingPartyDeps extends Pick<Context, 'targets' | 'now'> {
  readonly keys: IssuerKeys;
}

/** What a browser is sent to the provider with; the rest stays here. */
export interface AuthorizationRequest {
  readonly address: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** Why the provider sent somebody back without signing them in, or its answer does not count. */
export class AnswerRefused extends Error {
  readonly reason: 'denied' | 'clock' | 'provider';

  constructor(reason: AnswerRefused['reason'], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'AnswerRefused';
    this.reason = reason;
  }
}

const timeoutMs = 5_000;
const toleranceSeconds = 30;
/** How long an issuer's metadata, which hardly changes, is kept. */
const freshMs = 600_000;
const maxKept = 50;

/** The authorization code flow of OpenID Connect with PKCE, from the side of this service. */
export class RelyingParty {
  readonly #deps: RelyingPartyDeps;
  readonly #metadata = new BoundedMap<string, { readonly metadata: IssuerMetadata; readonly readAt: number }>(maxKept);

  constructor(deps: RelyingPartyDeps) {
    this.#deps = deps;
  }

  /** `isAgain`: the provider has to ask who it is, even of somebody whom it knows. @throws Unreadable */
  async depart(registration: ClientRegistration, redirectUri: string, isAgain: boolean): Promise<AuthorizationRequest> {
    const configuration = await this.#configuration(registration);
    const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()];
    const address = client.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: registration.scopes,
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(isAgain ? { prompt: 'login', max_age: '0' } : {}),
    });
    return { address: address.href, state, nonce, verifier };
  }

  /**
   * Exchanges the code for an ID token and verifies it. `query` is what the provider has sent the browser back with.
   *
   * @throws AnswerRefused, Unreadable
   */
  async arrive(
    registration: ClientRegistration,
    { redirect_uri: redirectUri, nonce, verifier }: AttemptRow,
    { query, state }: { readonly query: string; readonly state: string },
  ): Promise<VerifiedToken> {
    const { keys, now } = this.#deps;
    const { issuer, clientId } = registration;
    const configuration = await this.#configuration(registration);
    try {
      const { id_token: token } = await client.authorizationCodeGrant(
        configuration,
        new URL(`${redirectUri}?${query}`),
        { pkceCodeVerifier: verifier, expectedNonce: nonce, expectedState: state, idTokenExpected: true },
      );
      // The library reads the token; its signature is verified here, with the keys that are kept for all.
      return await verifyIdToken(token ?? '', {
        issuer: { issuers: [issuer], audiences: [clientId] },
        keys: keys.of({ issuer, jwksUri: undefined }),
        now: now(),
        nonce,
      });
    } catch (error) {
      throw refusalOf(error);
    }
  }

  async #configuration({ issuer, clientId, clientSecret }: ClientRegistration): Promise<client.Configuration> {
    const { targets, now } = this.#deps;
    const metadata = await this.#metadataOf(issuer);
    const skew = Math.round((now() - Date.now()) / 1000);
    const settings = { [client.clockSkew]: skew, [client.clockTolerance]: toleranceSeconds };
    const authentication = authenticationOf(metadata, clientSecret);
    const configuration = new client.Configuration(
      metadata as client.ServerMetadata,
      clientId,
      settings,
      authentication,
    );
    // Only the tests and an operator's own network have such an issuer: see `addressProblem`.
    if (issuer.startsWith('http:')) client.allowInsecureRequests(configuration);
    configuration[client.customFetch] = (url, { method, headers, body }) =>
      guardedFetch(url, { method, headers, body: body == null ? '' : String(body), targets });
    return configuration;
  }

  async #metadataOf(issuer: string): Promise<IssuerMetadata> {
    const { targets, now } = this.#deps;
    const kept = this.#metadata.get(issuer);
    if (kept && now() - kept.readAt < freshMs && now() >= kept.readAt) return kept.metadata;
    const metadata = await discover(issuer, { targets, timeoutMs });
    addressIn(metadata, 'authorization_endpoint');
    addressIn(metadata, 'token_endpoint');
    this.#metadata.set(issuer, { metadata, readAt: now() });
    return metadata;
  }
}

/** Basic unless the provider lists others only (OpenID Connect Discovery 1.0, section 3). */
function authenticationOf(metadata: IssuerMetadata, secret: string | undefined): client.ClientAuth {
  if (secret === undefined) return client.None();
  const methods = metadata['token_endpoint_auth_methods_supported'];
  const takesBasic = !Array.isArray(methods) || methods.includes('client_secret_basic');
  return takesBasic ? client.ClientSecretBasic(secret) : client.ClientSecretPost(secret);
}

interface Sending {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly targets: TargetRules;
}

async function guardedFetch(url: string, sending: Sending): Promise<Response> {
  const length = String(Buffer.byteLength(sending.body));
  const headers = { ...sending.headers, 'content-length': length };
  const { status, headers: said, text } = await ask(url, { ...sending, headers, timeoutMs });
  const type = said['content-type'];
  return new Response(text, { status, headers: type === undefined ? {} : { 'content-type': type } });
}

function refusalOf(error: unknown): unknown {
  if (error instanceof TokenRefused)
    return new AnswerRefused(error.isAboutTime ? 'clock' : 'provider', error.message, error);
  if (error instanceof client.AuthorizationResponseError) {
    const reason = error.error === 'access_denied' ? 'denied' : 'provider';
    return new AnswerRefused(reason, `The provider answered ${error.error}.`, error);
  }
  if (error instanceof client.ResponseBodyError)
    return new AnswerRefused('provider', `The provider refused the code: ${error.error}.`, error);
  if (!(error instanceof client.ClientError)) return error;
  if (error.cause instanceof Unreadable) return error.cause;
  const isClock = error.code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED';
  const { message = '' } = (error.cause ?? {}) as { readonly message?: string };
  return new AnswerRefused(isClock ? 'clock' : 'provider', `${error.message}. ${message}`.trim(), error);
}
