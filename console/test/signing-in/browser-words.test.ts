import assert from 'node:assert/strict';
import { test } from 'vitest';
import { browserWords } from '../../src/lib/text/browser-words.ts';

test('a browser is called by its name and system, and an unknown one as it calls itself', () => {
  const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  const cases: readonly (readonly [string | null, string])[] = [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [
      `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
      'Edge on Windows',
    ],
    [`Mozilla/5.0 (Linux; Android 16; Pixel) ${webKit} Chrome/140.0.0.0 Mobile Safari/537.36`, 'Chrome on Android'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605 Version/19.0 Mobile Safari/604',
      'Safari on iPhone',
    ],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 Version/19.0 Safari/605', 'Safari on Mac'],
    ['curl/8.15.0', 'curl/8.15.0'],
    [null, 'Unknown browser'],
  ];
  for (const [userAgent, words] of cases) assert.equal(browserWords(userAgent), words);
});
