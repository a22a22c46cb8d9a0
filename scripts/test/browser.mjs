/**
 * The Chromium that browser tests drive. Debian's build without a window comes first: the same engine takes about a fifth
 * less processor time in it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const headlessShell = '/usr/bin/chromium-headless-shell';
/** Of Debian's package `chromium`; where it can be installed, so can the headless shell. */
const debians = '/usr/lib/chromium/chromium';
const candidates = [
  headlessShell,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

function findBrowser() {
  const given = process.env.PHAROS_TEST_BROWSER;
  if (given === 'none') return undefined;
  if (given && !existsSync(given)) throw new Error(`PHAROS_TEST_BROWSER names ${given}, which does not exist.`);
  return given || candidates.find((path) => existsSync(path));
}

/**
 * The browser's path; undefined if there is none and it cannot be installed. Installs Debian's packages when run as
 * root: without the headless shell any other Chromium does. `PHAROS_TEST_BROWSER=none` does without one.
 */
export function ensureBrowser() {
  const found = findBrowser();
  if (process.env.PHAROS_TEST_BROWSER || found === headlessShell || (found && !existsSync(debians))) return found;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    process.stderr.write('Installing Chromium for the browser tests (once) …\n');
    const run = (args) =>
      spawnSync('apt-get', args, {
        stdio: ['ignore', 'ignore', 2],
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
        timeout: 300_000,
      });
    const install = (...names) =>
      run(['install', '-y', '-qq', '--no-install-recommends', ...names, 'fonts-dejavu-core']);
    run(['update', '-qq']);
    // Older releases of Debian do not have the first.
    if (install('chromium-headless-shell').status !== 0 && !found) install('chromium');
  }
  return findBrowser();
}
