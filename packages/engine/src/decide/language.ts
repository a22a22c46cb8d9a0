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
  try {
    return new Intl.Locale(bcp47).baseName;
  } catch {
    return undefined;
  }
}

/**
 * What is looked for, the most exact first: `de-AT`, `de`. A region implies the script: `zh-TW`, `zh-Hant-TW`, `zh-Hant`,
 * `zh`.
 */
export function languageRanges(locale: string): readonly string[] {
  const tag = languageTag(locale);
  if (tag === undefined) return [];
  const { language } = new Intl.Locale(tag);
  const withScript = new Intl.Locale(tag).maximize().baseName;
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
