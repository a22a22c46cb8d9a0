import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from './errors.ts';

/**
 * Keeps credentials in the database encrypted (AES-256-GCM, NIST SP 800-38D). `context` says where a text belongs; a
 * sealed text that was copied to another place does not open there.
 */
export interface SecretBox {
  /** @throws Failure OperationForbidden when no key is configured; the message says what to do */
  seal(text: string, context: string): string;
  /** @throws Error when it was sealed with an unknown key, or was changed */
  open(sealed: string, context: string): string;
}

export interface SecretBoxOptions {
  /** 32 bytes each. The first one seals and all of them open, so that a key can be replaced. */
  readonly keys: readonly Buffer[];
  /** The folder for a generated key when none is configured; undefined where several nodes must share one. */
  readonly folder: string | undefined;
}

const ivBytes = 12;
const tagBytes = 16;

const idOf = (key: Buffer) => createHash('sha256').update('key id').update(key).digest('hex').slice(0, 8);

export function createSecretBox({ keys, folder }: SecretBoxOptions): SecretBox {
  let known: readonly Buffer[] = keys;
  const load = (isNeeded: boolean): readonly Buffer[] => {
    if (known.length === 0 && folder !== undefined) known = ownKey(folder, isNeeded);
    return known;
  };
  return {
    seal(text, context) {
      const [key] = load(true);
      if (!key)
        throw fail(
          'OperationForbidden',
          'Credentials are stored encrypted, but no key is configured. Set PHAROS_SECRET_KEY to 32 random bytes in base64 (openssl rand -base64 32), the same on every node, and restart.',
        );
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `v1.${idOf(key)}.${sealed.toString('base64url')}`;
    },
    open(sealed, context) {
      const [version, keyId, text = ''] = sealed.split('.');
      const key = load(false).find((candidate) => idOf(candidate) === keyId);
      if (version !== 'v1' || !key)
        throw new Error(
          'sealed with a key that is not configured here (PHAROS_SECRET_KEY, or secret.key in the data folder)',
        );
      const bytes = Buffer.from(text, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-tagBytes));
      return decipher.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

/** The key in the data folder, created when it is first needed. */
function ownKey(folder: string, isNeeded: boolean): readonly Buffer[] {
  const file = join(folder, 'secret.key');
  if (!existsSync(file)) {
    if (!isNeeded) return [];
    createKeyFile(file);
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64');
  if (key.length !== 32) throw new Error(`${file} does not contain a key of 32 bytes in base64.`);
  return [key];
}

/**
 * All or nothing: it is written to a temporary file and linked, so that of two processes one key wins and both read
 * that one.
 */
function createKeyFile(file: string): void {
  const fresh = `${file}.${randomBytes(6).toString('hex')}`;
  const handle = openSync(fresh, 'wx', 0o600);
  try {
    writeSync(handle, `${randomBytes(32).toString('base64')}\n`);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  try {
    linkSync(fresh, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(fresh);
  }
}
