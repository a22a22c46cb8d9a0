import type { IdentityProvider, Operations } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';

export type ProviderKind = IdentityProvider['kind'];
export type NewProvider = Operations['createIdentityProvider']['body'];

export const kindTexts: Readonly<Record<ProviderKind, string>> = {
  google: 'Google',
  apple: 'Apple',
  oidc: t('Another provider (OpenID Connect)'),
};

export const kindOptions = (Object.keys(kindTexts) as ProviderKind[]).map((value) => ({
  value,
  label: kindTexts[value],
}));

/** What a client id is called there, and what it looks like. */
export const audienceTexts: Readonly<Record<ProviderKind, { readonly about: string; readonly example: string }>> = {
  google: {
    about: t('The OAuth client ids of your app in the Google Cloud console, one a line.'),
    example: '1234567890-abc.apps.googleusercontent.com',
  },
  apple: {
    about: t('The bundle id of your app, and the services id of your website, one a line.'),
    example: 'org.museum.guide',
  },
  oidc: { about: t('The client ids of your app at the provider, one a line.'), example: 'museum-guide' },
};

export interface ProviderFields {
  readonly kind: ProviderKind;
  readonly name: string;
  readonly issuer: string;
  readonly jwksUri: string;
  /** One a line. */
  readonly audiences: string;
  readonly claim: string;
  /** One a line. */
  readonly manager: string;
  readonly acceptsTokens: boolean;
}

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

export const fieldsOf = (provider?: IdentityProvider): ProviderFields => ({
  kind: provider?.kind ?? 'google',
  name: provider?.name ?? '',
  issuer: provider?.kind === 'oidc' ? provider.issuer : '',
  jwksUri: provider?.jwksUri ?? '',
  audiences: provider?.audiences.join('\n') ?? '',
  claim: provider?.roles?.claim ?? '',
  manager: provider?.roles?.manager.join('\n') ?? '',
  acceptsTokens: provider?.acceptsTokens ?? false,
});

/** What is empty is left out of a new record, and cleared of one that is there. */
export function bodyOf(fields: ProviderFields, known?: IdentityProvider): object {
  const { kind, name, issuer, jwksUri, audiences, claim, manager, acceptsTokens } = fields;
  const none = known ? null : undefined;
  const isOther = kind === 'oidc';
  return {
    ...(known ? {} : { kind, name: name.trim() || (isOther ? '' : kind) }),
    ...(isOther ? { ...(known ? {} : { issuer: issuer.trim() }), jwksUri: jwksUri.trim() || none } : {}),
    audiences: lines(audiences),
    roles: claim.trim() === '' ? none : { claim: claim.trim(), manager: lines(manager) },
    acceptsTokens,
  };
}
