/** The bus that one test talks to: the system's NATS server, or Debian's package if there is none. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const candidates = [
  '/usr/sbin/nats-server',
  '/usr/bin/nats-server',
  '/usr/local/bin/nats-server',
  '/opt/homebrew/bin/nats-server',
];

const findNats = () => [process.env.PHAROS_TEST_NATS, ...candidates].find((path) => path && existsSync(path));

/** The server's path; undefined if there is none and it cannot be installed. The test that needs it then says so. */
export function ensureNats() {
  const found = findNats();
  if (found) return found;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    process.stderr.write('Installing the NATS server for the tests of several nodes (once) …\n');
    // Run level 1: the package does not start a service of its own.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    const run = (args) => spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 2], env });
    run(['update', '-qq']);
    run(['install', '-y', '-qq', '--no-install-recommends', 'nats-server']);
  }
  return findNats();
}
