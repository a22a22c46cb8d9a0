import { PharosError } from './error.ts';
import { inTime, locked, type TextStorage } from './storage-lock.ts';

/**
 * Reads the secret of this installation, or makes one and stores it before it is ever sent: a phone that lost it could not
 * prove itself any more.
 */
export function createInstallationSecret(storage: TextStorage): () => Promise<string> {
  let known: Promise<string> | undefined;
  // The same one at each try: a storage that was given up may still save it.
  let made: string | undefined;
  const readOrMake = async (time: { readonly isUp: boolean }): Promise<string> => {
    const stored = await storage.load();
    if (stored) return stored;
    made ??= randomSecret();
    if (!time.isUp) await storage.save(made);
    return made;
  };
  return () => {
    known ??= locked(() => inTime(readOrMake)).catch((cause: unknown) => {
      // A keychain may be locked for a while.
      known = undefined;
      const message =
        "The storage of the installation's secret does not work, so nothing can be sent for this phone now.";
      throw new PharosError(message, { name: 'StorageFailed', code: 0, status: 0, cause });
    });
    return known;
  };
}

/** 256 random bits. */
function randomSecret(): string {
  const { crypto } = globalThis as { crypto?: { getRandomValues?: (bytes: Uint8Array) => Uint8Array } };
  if (typeof crypto?.getRandomValues !== 'function')
    throw new Error('crypto.getRandomValues is missing; on React Native import react-native-get-random-values first.');
  return [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
