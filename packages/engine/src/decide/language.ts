/** Which language of a message somebody reads: the lookup of RFC 4647, section 3.4. Pure functions. */

/** Java's older form of a locale with a script: `zh_TW_#Hant`. */
const javaScript = /^([a-z]{2,3})_(?:([A-Z]{2}|\d{3})?_)?#([A-Z][a-z]{3})(?:_.*)?$/;

/**
 * A language tag in its canonical form (`de-AT`, `zh-Hant`), from BCP 47 or from what phones report (`de_AT`,
 * `zh_TW_#Hant`, `de_DE@currency=EUR`, `in_ID`). Undefined for anything else, such as `POSIX`.
 */
export function languageTag(text: string): string | undefined {
  const [plain = ''] = text.trim().split(/[@.]/, 1);
  const bcp47 = plain
    .replace(javaScript, (_all, language, region, script) => [language, script, region].filter(Boolean).join('-'))
    .replaceAll('_', '-');
  // Longer first parts are reserved: `english` is well-formed, but not a language.
  if (!/^[a-z]{2,3}(-|$)/i.test(bcp47)) return undefined;
  return localeOf(bcp47)?.baseName;
}

interface Locale {
  readonly baseName: string;
  readonly language: string;
  maximize(): { readonly baseName: string };
}

function localeOf(bcp47: string): Locale | undefined {
  if (Intl.Locale === undefined) return plainLocale(bcp47);
  try {
    return new Intl.Locale(bcp47);
  } catch {
    return undefined;
  }
}

/** A language, perhaps a script, a region, variants; extensions are left out. RFC 5646, section 2.1. */
const wellFormed =
  /^([a-z]{2,3})(?:-([a-z]{4}))?(?:-([a-z]{2}|\d{3}))?((?:-(?:\d[a-z\d]{3}|[a-z\d]{5,8}))*)(?:-[a-z\d](?:-[a-z\d]{2,8})+)*$/i;
/** What phones report for others, since Java has kept the names of 1988. */
const renamed: Readonly<Record<string, string>> = { in: 'id', iw: 'he', ji: 'yi' };
/** Where a language is written in more than one script: what it is without a region, and in some regions (CLDR, likelySubtags). */
const scripts: Readonly<Record<string, string>> = {
  ...{ zh: 'Hans', 'zh-HK': 'Hant', 'zh-MO': 'Hant', 'zh-TW': 'Hant', sr: 'Cyrl', 'sr-ME': 'Latn', bs: 'Latn' },
  ...{
    az: 'Latn',
    'az-IR': 'Arab',
    kk: 'Cyrl',
    'kk-CN': 'Arab',
    ky: 'Cyrl',
    'ky-CN': 'Arab',
    mn: 'Cyrl',
    'mn-CN': 'Mong',
  },
  ...{ pa: 'Guru', 'pa-PK': 'Arab', uz: 'Latn', 'uz-AF': 'Arab', ku: 'Latn', tg: 'Cyrl', ms: 'Latn' },
};

/** Parses a locale without `Intl.Locale`, which Hermes (React Native) lacks. */
function plainLocale(bcp47: string): Locale | undefined {
  const [, first, scriptName, regionName, variants = ''] = wellFormed.exec(bcp47) ?? [];
  if (first === undefined) return undefined;
  const language = renamed[first.toLowerCase()] ?? first.toLowerCase();
  const script = scriptName && scriptName.charAt(0).toUpperCase() + scriptName.slice(1).toLowerCase();
  const region = regionName?.toUpperCase();
  const named = (written: string | undefined) =>
    [language, written, region].filter(Boolean).join('-') + variants.toLowerCase();
  const likely = script ?? scripts[`${language}-${region}`] ?? scripts[language];
  return { baseName: named(script), language, maximize: () => ({ baseName: named(likely) }) };
}

/**
 * What is looked for, the most exact first: `de-AT`, `de`. A region implies the script: `zh-TW`, `zh-Hant-TW`, `zh-Hant`,
 * `zh`.
 */
export function languageRanges(locale: string): readonly string[] {
  const tag = languageTag(locale);
  const read = tag === undefined ? undefined : localeOf(tag);
  if (tag === undefined || read === undefined) return [];
  const { language } = read;
  const withScript = read.maximize().baseName;
  const ranges = [...shortened(tag), ...shortened(withScript)].filter((range) => range !== language);
  return [...new Set([...ranges, language])];
}

/** `zh-Hant-TW`, `zh-Hant`, `zh`. A part of one character belongs to the one after it. */
function shortened(tag: string): string[] {
  const parts = tag.split('-');
  return parts
    .map((_part, index) => parts.slice(0, parts.length - index))
    .filter((kept) => kept.at(-1)?.length !== 1)
    .map((kept) => kept.join('-'));
}

/** The tag that fits a locale; undefined if none does. */
export function lookUpLanguage(locale: string | null | undefined, tags: readonly string[]): string | undefined {
  if (!locale || tags.length === 0) return undefined;
  const known = new Map(tags.map((tag) => [tag.toLowerCase(), tag]));
  for (const range of languageRanges(locale)) {
    const found = known.get(range.toLowerCase());
    if (found !== undefined) return found;
  }
  return undefined;
}
