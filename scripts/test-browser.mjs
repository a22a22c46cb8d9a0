/** The Chromium that browser tests drive: the system's, or Debian's package if there is none. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const candidates = [
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
 * The browser's path; undefined if there is none and it cannot be installed. Installs Debian's package when run as
 * root. `PHAROS_TEST_BROWSER=none` does without one.
 */
export function ensureBrowser() {
  const found = findBrowser();
  if (found || process.env.PHAROS_TEST_BROWSER === 'none') return found;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    process.stderr.write('Installing Chromium for the browser tests (once) …\n');
    const run = (args) =>
      spawnSync('apt-get', args, {
        stdio: ['ignore', 'ignore', 2],
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
    run(['update', '-qq']);
    run(['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-dejavu-core']);
  }
  return findBrowser();
}
