import { type JsonReading, readJson, Unreadable } from './read-json.ts';

/** What an issuer says about itself. */
export type IssuerMetadata = Readonly<Record<string, unknown>> & { readonly issuer: string };

/** OpenID Connect Discovery 1.0, section 4. @throws Unreadable */
export async function discover(issuer: string, reading: JsonReading): Promise<IssuerMetadata> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const metadata = await readJson(url, reading);
  if (metadata['issuer'] !== issuer)
    throw new Unreadable(`${url} is the configuration of another issuer, ${String(metadata['issuer'])}`);
  return { ...metadata, issuer };
}

/** An address that the metadata names. @throws Unreadable */
export function addressIn(metadata: IssuerMetadata, member: string): string {
  const { issuer, [member]: address } = metadata;
  const isAddress = typeof address === 'string' && URL.canParse(address);
  // What travels unprotected could be exchanged on the way, and with it everybody's identity.
  const isProtected = isAddress && (address.startsWith('https:') || issuer.startsWith('http:'));
  if (!isProtected) throw new Unreadable(`the configuration of ${issuer} names no ${member} with https`);
  return address;
}
