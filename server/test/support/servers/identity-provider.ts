import { createHash, generateKeyPairSync, type JsonWebKey, type KeyObject, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { type Configuration, type KoaContextWithOIDC, Provider } from 'oidc-provider';

/** What the provider knows of somebody. */
export interface ProviderAccount {
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly given_name?: string;
  readonly family_name?: string;
  readonly groups?: readonly string[];
}

export interface TokenRequest {
  readonly account: string;
  readonly nonce?: string;
  readonly clientId?: string;
}

export interface Forged {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
}

/** A provider of OpenID Connect on this machine, which tests configure. */
export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  /** By their subject. */
  readonly accounts: Map<string, ProviderAccount>;
  /** The paths that were asked for. */
  readonly requests: string[];
  /** How it answers at present: by itself, with an error, or not at all. */
  condition: 'up' | 'failing' | 'silent';
  /** Who signs in when the request does not say whom it expects; undefined: somebody who refuses. */
  visitor: string | undefined;
  /** How that was proven (`amr`). */
  amr: readonly string[];
  /** The client of the console, which has a secret. */
  readonly consoleClient: { readonly clientId: string; readonly clientSecret: string };
  /** Registers where the console is. */
  registerConsole(origin: string): void;
  /** Signs somebody in, as an app would with a browser, and returns the ID token. */
  idToken(request: TokenRequest): Promise<string>;
  /** A token that the provider would not have issued, signed with its key. */
  forge(forged: Forged): Promise<string>;
  /** The public key as PEM, which everybody knows. */
  publicPem(): string;
  /** Signs with a new key from now on; the former one is withdrawn. */
  rotate(): void;
  close(): Promise<void>;
}

const clientIds = ['museum-guide', 'another-app'] as const;
const consoleClient = Object.freeze({ clientId: 'pharos-console', clientSecret: 'known to both: a+b/c=d' });
const redirectUri = 'example.museum.guide:/signed-in';

interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

function newKey(): SigningKey {
  return { kid: randomBytes(6).toString('hex'), ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  let key = newKey();
  let consoleOrigin = 'http://pharos.test';
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  const server = createServer((request, response) => {
    provider.requests.push(request.url ?? '');
    if (provider.condition === 'failing') response.writeHead(500).end();
    else if (provider.condition === 'up') handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const accounts = new Map<string, ProviderAccount>();
  const provider: IdentityProvider = {
    issuer,
    clientId: clientIds[0],
    accounts,
    requests: [],
    condition: 'up',
    visitor: undefined,
    amr: [],
    consoleClient,
    registerConsole(origin) {
      consoleOrigin = origin;
      begin();
    },
    idToken: (request) => authorize(issuer, request),
    forge: ({ claims = {}, header = {} }) => {
      const now = Math.floor(Date.now() / 1000);
      const usual = { iss: issuer, aud: clientIds[0], sub: 'forged', iat: now, exp: now + 3600 };
      return new SignJWT({ ...usual, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: key.kid, ...header })
        .sign(key.privateKey);
    },
    publicPem: () => key.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    rotate() {
      key = newKey();
      begin();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const begin = () => {
    handle = serve(provider, key, consoleOrigin);
  };
  begin();
  return provider;
}

function serve(served: IdentityProvider, key: SigningKey, consoleOrigin: string) {
  const provider = new Provider(served.issuer, configurationOf(served.accounts, key, consoleOrigin));
  const answer = provider.callback();
  return (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
    // Whoever is named signs in and agrees.
    void provider.interactionDetails(request, response).then(({ params, prompt }) => {
      const accountId = (params['login_hint'] as string | undefined) ?? served.visitor;
      const refusal = { error: 'access_denied', error_description: 'nobody signed in' };
      const login = { accountId: accountId ?? '', amr: [...served.amr] };
      const done = accountId === undefined ? refusal : prompt.name === 'login' ? { login } : { consent: {} };
      return provider.interactionFinished(request, response, done);
    });
  };
}

function configurationOf(
  accounts: ReadonlyMap<string, ProviderAccount>,
  { privateKey, kid }: SigningKey,
  consoleOrigin: string,
): Configuration {
  const jwk = { ...(privateKey.export({ format: 'jwk' }) as JsonWebKey), kid, use: 'sig', alg: 'RS256' };
  return {
    clients: [
      ...clientIds.map((client_id) => ({
        client_id,
        application_type: 'native' as const,
        token_endpoint_auth_method: 'none' as const,
        redirect_uris: [redirectUri],
      })),
      {
        client_id: consoleClient.clientId,
        client_secret: consoleClient.clientSecret,
        redirect_uris: [`${consoleOrigin}/console/sso/callback`],
      },
    ],
    jwks: { keys: [jwk as never] },
    cookies: { keys: ['only a test'] },
    claims: {
      openid: ['sub', 'amr'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name', 'groups'],
    },
    conformIdTokenClaims: false,
    features: { devInteractions: { enabled: false } },
    ttl: { Session: 3600, Interaction: 600, Grant: 3600, IdToken: 3600, AccessToken: 3600 },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, ...accounts.get(sub) }) as never }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    loadExistingGrant,
  };
}

async function loadExistingGrant({ oidc }: KoaContextWithOIDC) {
  const grant = new oidc.provider.Grant({
    clientId: oidc.client?.clientId ?? '',
    accountId: oidc.session?.accountId ?? '',
  });
  grant.addOIDCScope('openid email profile');
  await grant.save();
  return grant;
}

/** The authorization code flow with PKCE, by hand. */
async function authorize(issuer: string, { account, nonce, clientId = clientIds[0] }: TokenRequest): Promise<string> {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    login_hint: account,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(nonce === undefined ? {} : { nonce }),
  });
  const cookies = new Map<string, string>();
  let url = `${issuer}/auth?${query}`;
  while (!url.startsWith(redirectUri)) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
      cookies.set(name, value);
    }
    const next = answer.headers.get('location');
    if (next === null) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
    url = new URL(next, url).href;
  }
  const code = new URL(url).searchParams.get('code') ?? '';
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  });
  const answer = await fetch(`${issuer}/token`, { method: 'POST', body });
  const { id_token: idToken } = (await answer.json()) as { readonly id_token?: string };
  if (!idToken) throw new Error(`no ID token: ${answer.status}`);
  return idToken;
}
