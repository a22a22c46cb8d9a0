import { isIP } from 'node:net';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { fail } from '../../base/errors.ts';
import type { PasskeyRow } from './factor-store.ts';

export type { AuthenticationResponseJSON, RegistrationResponseJSON };
export type CreationOptions = PublicKeyCredentialCreationOptionsJSON;
export type RequestOptions = PublicKeyCredentialRequestOptionsJSON;

/** How long somebody may take to find the key or the phone. */
export const challengeMs = 5 * 60_000;

/** Loaded when it is first needed: it takes 27 MB. */
const library = () => import('@simplewebauthn/server');

/** Where passkeys are used: the relying party. */
export interface Site {
  /** The host name to which they are bound. */
  readonly rpId: string;
  /** What the person reads. */
  readonly rpName: string;
  /** Of the pages, and `android:apk-key-hash:…` of the apps, that may ask for a signature. */
  readonly origins: readonly string[];
}

/** A site that is one page's own. @throws Failure OperationForbidden where it has no name */
export function siteOf(origin: string): Site {
  const { hostname } = new URL(origin);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) === 0) return { rpId: hostname, rpName: 'Pharos', origins: [origin] };
  throw fail(
    'OperationForbidden',
    `Passkeys are bound to a host name, and ${hostname} is an address. Open the console under its name, or as localhost.`,
  );
}

export interface PasskeyOwner {
  /** The authenticator replaces a passkey of the same owner. */
  readonly id: string;
  /** What tells accounts apart in the list of the authenticator. */
  readonly email: string;
  readonly name: string;
}

/** It verifies the person (PIN, finger, face) and is found without a user name: it is two factors in one. */
export async function creationOptions(
  { rpId, rpName }: Site,
  owner: PasskeyOwner,
  known: readonly PasskeyRow[],
): Promise<CreationOptions> {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName,
    rpID: rpId,
    userID: new TextEncoder().encode(owner.id),
    userName: owner.email,
    userDisplayName: owner.name,
    timeout: challengeMs,
    attestationType: 'none',
    excludeCredentials: known.map(allowed),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  });
}

/** Without `known` any passkey of this site may answer. */
export async function requestOptions({ rpId }: Site, known: readonly PasskeyRow[] = []): Promise<RequestOptions> {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: rpId,
    timeout: challengeMs,
    userVerification: 'required',
    allowCredentials: known.map(allowed),
  });
}

const allowed = (row: PasskeyRow) => ({ id: row.credential_id, transports: readTransports(row) });

const readTransports = ({ transports }: PasskeyRow): string[] => JSON.parse(transports) as string[];

/** Undefined when the answer is no answer to a challenge. */
export function challengeOf({ response }: AuthenticationResponseJSON | RegistrationResponseJSON): string | undefined {
  try {
    const { challenge } = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString()) as {
      challenge?: unknown;
    };
    return typeof challenge === 'string' && challenge.length <= 128 ? challenge : undefined;
  } catch {
    return undefined;
  }
}

interface Asked {
  readonly challenge: string;
  readonly site: Site;
}

export type NewPasskey = Pick<
  PasskeyRow,
  'credential_id' | 'public_key' | 'counter' | 'transports' | 'rp_id' | 'is_synced'
>;

/** @throws Failure ValidationError */
export async function readRegistration(
  response: RegistrationResponseJSON,
  { challenge, site }: Asked,
): Promise<NewPasskey> {
  const { verifyRegistrationResponse } = await library();
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: [...site.origins],
      expectedRPID: site.rpId,
      requireUserVerification: true,
    });
    if (!verified) throw new Error('not verified');
    const { credential, credentialDeviceType } = registrationInfo;
    return {
      credential_id: credential.id,
      public_key: Buffer.from(credential.publicKey).toString('base64url'),
      counter: credential.counter,
      transports: JSON.stringify(knownTransports(credential.transports)),
      rp_id: site.rpId,
      is_synced: credentialDeviceType === 'multiDevice' ? 1 : 0,
    };
  } catch (cause) {
    throw unusable(cause);
  }
}

/** The browser says them; only what WebAuthn knows is kept. */
function knownTransports(given: readonly string[] = []): string[] {
  const known = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];
  return known.filter((transport) => given.includes(transport));
}

export function unusable(cause?: unknown) {
  const problem = 'does not answer this request; start again';
  return fail('ValidationError', {
    message: `The passkey ${problem}.`,
    details: [{ field: 'passkey', problem }],
    cause,
  });
}

/** The new count of signatures. @throws Error when the answer is not a valid signature of this passkey */
export async function verifySignature(
  row: PasskeyRow,
  response: AuthenticationResponseJSON,
  { challenge, site }: Asked,
): Promise<number> {
  const { verifyAuthenticationResponse } = await library();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: [...site.origins],
    expectedRPID: site.rpId,
    credential: {
      id: row.credential_id,
      publicKey: new Uint8Array(Buffer.from(row.public_key, 'base64url')),
      counter: Number(row.counter),
    },
    requireUserVerification: true,
  });
  if (!verified) throw new Error('the signature is wrong');
  return authenticationInfo.newCounter;
}
