import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { platform, tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly folder: string;
  remove(): void;
}

/** A separate disk; undefined if this user may not mount one. */
export function smallDisk(bytes: number): SmallDisk | undefined {
  if (platform() !== 'linux') return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'pharos-disk-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    remove();
    return undefined;
  }
  return {
    folder,
    remove() {
      execFileSync('umount', ['-l', folder]);
      remove();
    },
  };
}

export const canMount = (() => {
  const disk = smallDisk(1_000_000);
  disk?.remove();
  return disk !== undefined;
})();

/** What other programs do to the disk. The name of their file. */
export function fillUp(folder: string): string {
  const name = join(folder, 'somebody-elses');
  const file = openSync(name, 'w');
  const block = Buffer.alloc(4_096, 1);
  try {
    for (;;) writeSync(file, block);
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
  } finally {
    closeSync(file);
  }
  return name;
}
