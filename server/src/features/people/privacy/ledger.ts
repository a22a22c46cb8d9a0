import { appendFile, open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { isObject } from '@pharos/query';

/**
 * The list of erasures beside the database: a backup older than an erasure does not contain it, and restoring one must not bring
 * back an erased person. It holds hashes and times only.
 */

export const ledgerName = 'erasures.ndjson';

/** user: an account with all that is hers. installation: one that was deleted. traces: what was recorded of one that stays. */
export type ErasureKind = 'user' | 'installation' | 'traces';

export interface Entry {
  readonly appId: string;
  readonly erasureId: string;
  readonly kind: ErasureKind;
  /** As in the receipt. */
  readonly subjects: readonly string[];
  /** Epoch ms. */
  readonly requestedAt: number;
}

/** Appends lines and waits until the disk has them. An entry may be added twice. */
export async function addToLedger(file: string, entries: readonly Entry[]): Promise<void> {
  const handle = await open(file, 'a', 0o600);
  try {
    await appendFile(handle, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The entries, each once. @throws Error for a file that is no such list */
export async function readLedger(file: string): Promise<Entry[]> {
  const entries = new Map<string, Entry>();
  const handle = await open(file);
  try {
    let number = 0;
    for await (const line of createInterface({ input: handle.createReadStream() })) {
      number++;
      if (line.trim() === '') continue;
      const entry = parse(line);
      if (!entry) throw new Error(`${file} is no list of erasures: line ${number} cannot be read.`);
      entries.set(`${entry.appId} ${entry.erasureId}`, entry);
    }
  } finally {
    await handle.close();
  }
  return [...entries.values()];
}

function parse(line: string): Entry | undefined {
  try {
    const entry = JSON.parse(line) as Entry;
    return isObject(entry) && Array.isArray(entry.subjects) ? entry : undefined;
  } catch {
    return undefined;
  }
}
