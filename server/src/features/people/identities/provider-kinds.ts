import type { TrustedIssuer } from '../../../sign-in/oidc/id-token.ts';
import type { KeySource } from '../../../sign-in/oidc/issuer-keys.ts';

export const providerKinds = ['google', 'apple', 'oidc'] as const;
export type ProviderKind = (typeof providerKinds)[number];

interface KnownIssuer {
  readonly issuer: string;
  readonly jwksUri: string;
  /** What its tokens have named it as. */
  readonly issuers: readonly string[];
}

const google = 'https://accounts.google.com';
const apple = 'https://appleid.apple.com';

/** Issuers that need not be looked up. */
export const knownIssuers: Readonly<Record<ProviderKind, KnownIssuer | undefined>> = {
  google: {
    issuer: google,
    jwksUri: 'https://www.googleapis.com/oauth2/v3/certs',
    issuers: [google, 'accounts.google.com'],
  },
  apple: { issuer: apple, jwksUri: `${apple}/auth/keys`, issuers: [apple] },
  oidc: undefined,
};

/** What is stored of whom to trust. `audiences` is JSON. */
interface StoredTrust {
  readonly kind: ProviderKind;
  readonly issuer: string;
  readonly jwks_uri: string | null;
  readonly audiences: string;
}

/** Whose tokens an app accepts by this provider, and where the keys are. */
export function trustOf(row: StoredTrust): TrustedIssuer & KeySource {
  const known = knownIssuers[row.kind];
  return {
    issuer: row.issuer,
    issuers: known?.issuers ?? [row.issuer],
    jwksUri: row.jwks_uri ?? known?.jwksUri,
    audiences: JSON.parse(row.audiences) as string[],
  };
}
