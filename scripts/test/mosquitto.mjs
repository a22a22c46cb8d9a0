/** The MQTT broker that one test talks to: the system's Mosquitto, or Debian's package if there is none. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const candidates = [
  '/usr/sbin/mosquitto',
  '/usr/bin/mosquitto',
  '/usr/local/sbin/mosquitto',
  '/opt/homebrew/sbin/mosquitto',
];

function findMosquitto() {
  return [process.env.PHAROS_TEST_MOSQUITTO, ...candidates].find((path) => path && existsSync(path));
}

/** The clients `mosquitto_sub` and `mosquitto_pub`, a separate package in Debian. */
const hasClients = () =>
  ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'].some((at) => existsSync(`${at}/mosquitto_sub`));

/** The broker's path; undefined if there is none and it cannot be installed. The test that needs it then says so. */
export function ensureMosquitto() {
  const found = findMosquitto();
  if (found && hasClients()) return found;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    process.stderr.write('Installing Mosquitto for the tests of MQTT brokers (once) …\n');
    // Run level 1: the package does not start a service of its own.
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
    const run = (args) => spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 2], env });
    run(['update', '-qq']);
    run(['install', '-y', '-qq', '--no-install-recommends', 'mosquitto', 'mosquitto-clients']);
  }
  return findMosquitto();
}
