import type { Problem } from '../base/errors.ts';
import type { AppPolicy } from './policy.ts';

/** A host name as WebAuthn wants it: at least two labels, or this machine. */
const hostForm = /^(?:localhost|(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?)$/;
/** The SHA-256 of the certificate with which an Android app is signed, base64url. */
const androidForm = /^android:apk-key-hash:[\w-]{43}$/;

/** What is wrong with the relying party of an app's passkeys. */
export function passkeyProblems(passkeys: AppPolicy['passkeys'] | undefined): Problem[] {
  if (!passkeys?.enabled) return [];
  const { rpId, origins } = passkeys;
  if (!hostForm.test(rpId))
    return [{ field: 'passkeys.rpId', problem: 'must be a host name in small letters, such as museum.example' }];
  if (origins.length === 0) return [{ field: 'passkeys.origins', problem: 'must have at least one origin' }];
  return origins.flatMap((origin, index) =>
    isOriginOf(rpId, origin)
      ? []
      : [
          {
            field: `passkeys.origins.${index}`,
            problem: `must be https:// with ${rpId} or a name below it and nothing behind it, or android:apk-key-hash: with 43 characters`,
          },
        ],
  );
}

function isOriginOf(rpId: string, origin: string): boolean {
  if (androidForm.test(origin)) return true;
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname, origin: plain } = new URL(origin);
  const isSafe = protocol === 'https:' || (protocol === 'http:' && hostname === 'localhost');
  return isSafe && plain === origin && (hostname === rpId || hostname.endsWith(`.${rpId}`));
}
