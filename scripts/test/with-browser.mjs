/** Before the tests in the browser: there is one, and the console is built. */
import { buildConsole } from '../build-console.mjs';
import { ensureBrowser } from './browser.mjs';

export default function setup() {
  const browser = ensureBrowser();
  if (!browser)
    throw new Error(
      'Tests of the console need Chromium. Install it, name one in PHAROS_TEST_BROWSER, or leave these tests out with PHAROS_TEST_BROWSER=none.',
    );
  buildConsole();
  process.env.PHAROS_TEST_BROWSER = browser;
  process.env.PHAROS_TEST_CONSOLE = 'built';
}
