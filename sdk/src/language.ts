/** The language of a message, for apps that read messages and decide for themselves what to show; the service chooses likewise. */

/** A notification, a scenario or a push, as far as its languages go. */
export interface Worded {
  readonly language?: string;
  readonly translations?: Readonly<Record<string, object>>;
}

/** The closest of the message's languages for a locale such as `de-AT` or `de_AT`; its own where none fits. */
export function languageOf({ language, translations = {} }: Worded, locale: string | undefined): string | undefined {
  const tags = [...(language === undefined ? [] : [language]), ...Object.keys(translations)];
  const known = new Map(tags.map((tag) => [tag.toLowerCase(), tag]));
  for (const range of rangesOf(locale ?? '')) {
    const found = known.get(range.toLowerCase());
    if (found !== undefined) return found;
  }
  return language;
}

/** `members` (of a notification its `message`, of a scenario itself, of a push its `data`) with what the translation has. */
export function inLanguage<M extends object>(members: M, worded: Worded, locale: string | undefined): M {
  const language = languageOf(worded, locale);
  const translated = language === undefined ? undefined : worded.translations?.[language];
  return translated ? { ...members, ...translated } : members;
}

function rangesOf(locale: string): readonly string[] {
  const [plain = ''] = locale.trim().split(/[@.]/, 1);
  const written = plain.replace(/_/g, '-');
  if (!/^[a-z]{2,3}(-|$)/i.test(written)) return [];
  const { tag, full } = canonical(written);
  const [language = tag] = tag.split('-');
  const ranges = [...shortened(tag), ...shortened(full)].filter((range) => range !== language);
  return [...ranges, language];
}

/** Some engines for phones have no `Intl.Locale`: there a region says nothing about the script. */
function canonical(tag: string): { readonly tag: string; readonly full: string } {
  try {
    const { baseName } = new Intl.Locale(tag);
    return { tag: baseName, full: new Intl.Locale(baseName).maximize().baseName };
  } catch {
    return { tag, full: tag };
  }
}

function shortened(tag: string): string[] {
  const parts = tag.split('-');
  return parts
    .map((_part, index) => parts.slice(0, parts.length - index))
    .filter((kept) => kept[kept.length - 1]?.length !== 1)
    .map((kept) => kept.join('-'));
}
