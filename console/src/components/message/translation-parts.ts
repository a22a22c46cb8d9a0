import { languageName, type TranslatedField, type Translations } from '../../lib/text/languages.ts';
import { t } from '../../lib/words/words.ts';
import type { Parts } from '../form/differences.ts';

interface Translated {
  readonly translations: Translations;
}

/** `translations.de.alertTitle`; without the field a language in which nothing is written yet. */
const start = 'translations.';

function partsOf(translations: Translations): Parts {
  const entries = Object.entries(translations).flatMap(([tag, words]) => {
    const written = Object.entries(words).filter(([, text]) => text !== '');
    if (written.length === 0) return [[start + tag, '']];
    return written.map(([field, text]) => [`${start}${tag}.${field}`, text]);
  });
  return Object.fromEntries(entries);
}

function joined(parts: Parts): Translations {
  const translations: Record<string, Record<string, unknown>> = {};
  for (const [name, text] of Object.entries(parts)) {
    if (!name.startsWith(start)) continue;
    const [tag = '', field] = name.slice(start.length).split('.');
    const words = { ...translations[tag], ...(field === undefined ? {} : { [field]: text }) };
    translations[tag] = words;
  }
  return translations;
}

/** Each text in each language by itself: two people who translate one message into different languages both keep what they wrote. */
export const translationParts = <Values extends Translated>() => ({
  of({ translations, ...others }: Values): Parts {
    return { ...others, ...partsOf(translations) };
  },
  join(parts: Parts): Values {
    const others = Object.entries(parts).filter(([name]) => !name.startsWith(start));
    return { ...Object.fromEntries(others), translations: joined(parts) } as unknown as Values;
  },
});

/** Names the parts where a person chooses between them. */
export function labelOfPart(labels: Readonly<Record<string, string>>, fields: readonly TranslatedField[]) {
  return (part: string): string | undefined => {
    if (!part.startsWith(start)) return labels[part];
    const [tag = '', field] = part.slice(start.length).split('.');
    const { label } = fields.find(({ name }) => name === field) ?? {};
    const name = languageName(tag);
    return label === undefined ? name : t('{label} in {name}', { label, name });
  };
}
