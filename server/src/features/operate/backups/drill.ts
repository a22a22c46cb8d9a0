import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeFolder } from '../../../base/disk/make-folder.ts';

const program = fileURLToPath(new URL('../../../../bin/pharos.mjs', import.meta.url));
/** A large backup takes minutes; one that takes longer than this hangs. */
const maxMs = 6 * 3_600_000;

/**
 * Restores a backup as a trial in a separate process, so that requests do not wait for it, into a folder that is removed
 * afterwards.
 *
 * @throws Error that says what is wrong with the backup
 */
export async function tryBackup(backup: string, within: string, signal: AbortSignal): Promise<void> {
  await makeFolder(within, 0o700);
  const target = await mkdtemp(join(within, 'drill-'));
  try {
    const args = [program, 'drill', '--from', backup, '--in', target, '--json'];
    // Nothing of this service's settings: the trial touches neither its database nor its files.
    const env = { PATH: process.env['PATH'] ?? '', PHAROS_DATA: target };
    const running = promisify(execFile)(process.execPath, args, { env, signal, timeout: maxMs });
    // With the lowest, it would take hours on a busy machine.
    if (running.child.pid !== undefined) setPriority(running.child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    await running;
  } catch (error) {
    throw new Error(sayingWhy(error), { cause: error });
  } finally {
    await rm(target, { recursive: true, force: true });
  }
}

function sayingWhy(error: unknown): string {
  const { stdout = '', stderr = '', message } = error as { stdout?: string; stderr?: string; message: string };
  const { error: said } = readJson<{ error?: string }>(stderr);
  if (said !== undefined) return said;
  // It was restored, without files of which the backup itself says that it lacks them.
  const { lost } = readJson<{ lost?: { readonly count: number } }>(stdout);
  if (lost)
    return `It can be restored, but ${lost.count} of its files ${lost.count === 1 ? 'is' : 'are'} missing: the storage had lost ${lost.count === 1 ? 'it' : 'them'} when the backup was made.`;
  return stderr.trim().split('\n').at(-1) || message;
}

function readJson<T extends object>(text: string): T | Partial<Record<keyof T, undefined>> {
  try {
    return JSON.parse(text) as T;
  } catch {
    return {};
  }
}
