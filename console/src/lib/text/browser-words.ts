import { t } from '../words/words.ts';

const browsers = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;

const systems = [
  [/\b(?:iPhone|iPod)\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, t('Android')],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
] as const;

const found = (known: readonly (readonly [RegExp, string])[], text: string) =>
  known.find(([form]) => form.test(text))?.[1];

/** `MuseumGuide/3.1`, or as a browser: what an app says about itself comes first. */
export function clientWords(userAgent: string | null): string {
  if (userAgent === null) return t('Unknown app or browser');
  const [product = ''] = userAgent.split(' ');
  return userAgent.startsWith('Mozilla/') || product === '' ? browserWords(userAgent) : product.slice(0, 60);
}

/** `Firefox on Linux`, from what a browser says about itself. Good enough to recognise your own. */
export function browserWords(userAgent: string | null): string {
  if (userAgent === null) return t('Unknown browser');
  const [browser, system] = [found(browsers, userAgent), found(systems, userAgent)];
  if (browser && system) return t('{browser} on {system}', { browser, system });
  return browser ?? system ?? userAgent.slice(0, 40);
}
