/** The Chromium that browser tests drive: the system's, or Debian's package where there is none. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const candidates = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export function findBrowser() {
  const given = process.env.PHAROS_TEST_BROWSER;
  return [given, ...candidates].find((path) => path && existsSync(path));
}

/** The browser's path. Installs Debian's package when there is none and this is root. */
export function ensureBrowser() {
  const found = findBrowser();
  if (found) return found;
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
  const installed = findBrowser();
  if (!installed) throw new Error('The browser tests need Chromium. Install it, or name one in PHAROS_TEST_BROWSER.');
  return installed;
}
