/** Where tests keep databases and files that nobody needs afterwards. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
/** A whole run takes 2 GB at most; the rest is for the tests themselves and whatever else the machine does. */
const roomyBytes = 8e9;

/**
 * Lets temporary files be in memory where there is plenty of it, until the process ends. Hundreds of databases are made and dropped
 * in a run, and in memory that costs a tenth less processor time. Where TMPDIR is set, it stays.
 */
export function keepFilesInMemory() {
  if (process.env.TMPDIR || !existsSync(memory)) return;
  const { bavail, bsize } = statfsSync(memory);
  if (bavail * bsize < roomyBytes || freemem() < roomyBytes || !runsPrograms()) return;
  const path = mkdtempSync(join(memory, 'pharos-tests-'));
  // PostgreSQL runs as a user of its own when root starts it.
  chmodSync(path, 0o755);
  process.env.TMPDIR = path;
  // A process that was told to stop may still write for a moment.
  process.on('exit', () => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }));
}

/** Some systems mount it so that no program in it runs; PostgreSQL's are copied to where temporary files are. */
function runsPrograms() {
  const mount = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, place]) => place === memory);
  return mount !== undefined && !mount[3].split(',').includes('noexec');
}
