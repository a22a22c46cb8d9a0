/**
 * What tests need of the machine beside npm's packages. Taken is what is there; what is not is told and installed before the first test,
 * with Debian's packages and as root only. `PHAROS_TEST_INSTALL=none` installs nothing: what it leaves out is told, and skipped.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { buildConsole } from '../build-console.mjs';
import { bundleProgram } from '../program/bundle.mjs';

const programs = (name, ...folders) => folders.map((folder) => `${folder}/${name}`);

/**
 * `word`: test files that need it end a string with it. `packages`: the first of these lists that there is. `variable` names the program,
 * also to the tests; it is empty if there is none.
 */
const needs = [
  {
    name: 'Chromium',
    reason: 'the tests in a browser',
    word: '/browser.ts',
    variable: 'PHAROS_TEST_BROWSER',
    // Debian's build without a window comes first: the same engine takes about a fifth less processor time in it.
    paths: [
      ...programs('chromium-headless-shell', '/usr/bin'),
      ...programs('chromium', '/usr/bin'),
      ...programs('chromium-browser', '/usr/bin'),
      ...programs('google-chrome', '/usr/bin'),
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    ],
    packages: [
      ['chromium-headless-shell', 'fonts-dejavu-core'],
      ['chromium', 'fonts-dejavu-core'],
    ],
    prepare() {
      buildConsole();
      process.env.PHAROS_TEST_CONSOLE = 'built';
    },
  },
  {
    name: 'Mosquitto',
    reason: 'the tests of pushes over MQTT',
    word: '/mosquitto.ts',
    variable: 'PHAROS_TEST_MOSQUITTO',
    paths: programs('mosquitto', '/usr/sbin', '/usr/bin', '/usr/local/sbin', '/opt/homebrew/bin', '/opt/homebrew/sbin'),
    packages: [['mosquitto']],
  },
  {
    name: 'the clients of Mosquitto',
    reason: 'the tests of devices that connect with them',
    word: 'mosquitto_pub',
    variable: 'PHAROS_TEST_MOSQUITTO_PUB',
    paths: programs('mosquitto_pub', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'),
    packages: [['mosquitto-clients']],
  },
  {
    name: 'the NATS server',
    reason: 'the tests of nodes that share a bus',
    word: '/nats.ts',
    variable: 'PHAROS_TEST_NATS',
    paths: programs('nats-server', '/usr/sbin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin'),
    packages: [['nats-server']],
  },
];

export const mayInstall = () => process.env.PHAROS_TEST_INSTALL !== 'none';
const canInstall = () => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

/** The path; undefined if there is none. */
function find({ variable, paths }) {
  const given = process.env[variable];
  if (given === undefined) return paths.find((path) => existsSync(path));
  if (given !== '' && !existsSync(given)) throw new Error(`${variable} names ${given}, which does not exist.`);
  return given || undefined;
}

const isNeeded = ({ word }, file) => readFileSync(file, 'utf8').includes(`${word}'`);

/** Whether it needs a program that is not there. */
export const lacksProgram = (file) => needs.some((need) => isNeeded(need, file) && find(need) === undefined);

/** Tests that start the service start what is shipped. */
export const startsProgram = (file) => /\/(server\/test\/e2e|sdk\/test|scripts)\//.test(file);

/**
 * Makes ready what these test files need.
 * @throws Error if something is missing, and nothing says that its tests are to be left out
 */
export async function makeReady(files) {
  if (files.some(startsProgram)) await bundleProgram();
  const wanted = needs.filter((need) => files.some((file) => isNeeded(need, file)));
  const missing = wanted.filter((need) => find(need) === undefined);
  for (const { name, reason } of missing)
    if (!mayInstall()) say(`Without ${name}: ${reason} are left out.`);
    else if (canInstall()) say(`Installing ${name} with apt-get (once), for ${reason}.`);
  if (missing.length > 0 && mayInstall() && canInstall()) install(missing);
  for (const need of wanted) {
    const path = find(need);
    process.env[need.variable] = path ?? '';
    if (path) need.prepare?.();
    else if (mayInstall())
      throw new Error(
        `For ${need.reason} install ${need.name}, name it in ${need.variable}, or leave them out with PHAROS_TEST_INSTALL=none.`,
      );
  }
}

function install(missing) {
  // Run level 1: a package does not start a service of its own.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const run = (...args) => spawnSync('apt-get', args, { stdio: ['ignore', 'ignore', 2], env, timeout: 300_000 });
  run('update', '-qq');
  for (const { packages } of missing)
    packages.some((names) => run('install', '-y', '-qq', '--no-install-recommends', ...names).status === 0);
}

const say = (line) => process.stderr.write(`${line}\n`);
