import { languageTag, type Members, type Translations, type Worded } from '@pharos/engine/decide';
import { isObject } from '@pharos/query';
import { type TProperties, Type } from 'typebox';
import type { Problem } from '../../base/errors.ts';

/** A message in several languages: as clients send it. */

const maxLanguages = 30;
const maxBytes = 65_536;

/** The optional members of a message that has `members` in each language. */
export function translatedMembers<P extends TProperties>(members: P, what: string) {
  return {
    language: Type.Optional(
      Type.String({
        maxLength: 35,
        description: `The language of ${what} itself, a tag of BCP 47 such as en; who reads none of the translations gets it`,
      }),
    ),
    translations: Type.Optional(
      Type.Record(Type.String({ maxLength: 35 }), Type.Object(members), {
        description:
          `${what[0]?.toUpperCase()}${what.slice(1)} in other languages, by tag: what a translation has replaces the member of the same ` +
          "name. The visitor's localeIdentifier chooses (de-AT, then de). At most 30 languages",
      }),
    ),
  };
}

/** The rules that the schema cannot express. `texts` are the members of which at least one must not be empty. */
export function translationProblems({ language, translations }: Worded, texts: readonly string[]): Problem[] {
  const entries = Object.entries(translations ?? {});
  return [
    ...(typeof language === 'string' ? tagProblems('language', language) : []),
    ...(entries.length > maxLanguages
      ? [{ field: 'translations', problem: `has ${entries.length} languages; at most ${maxLanguages} are possible` }]
      : []),
    ...sizeProblems(translations),
    ...entries.flatMap(([tag, members]) => [
      ...tagProblems(`translations.${tag}`, tag),
      ...(tag === language
        ? [{ field: `translations.${tag}`, problem: 'is the language of the message itself: write it there' }]
        : []),
      ...(isEmpty(members, texts)
        ? [{ field: `translations.${tag}`, problem: 'is empty: write something, or leave this language out' }]
        : []),
    ]),
  ];
}

function tagProblems(field: string, tag: string): Problem[] {
  const canonical = tag.includes('_') ? undefined : languageTag(tag);
  if (canonical === tag) return [];
  const problem = canonical === undefined ? 'is no language tag such as de or pt-BR' : `must be written ${canonical}`;
  return [{ field, problem }];
}

function sizeProblems(translations: Translations | null | undefined): Problem[] {
  const bytes = translations ? Buffer.byteLength(JSON.stringify(translations)) : 0;
  if (bytes <= maxBytes) return [];
  return [{ field: 'translations', problem: `have ${bytes} bytes as JSON; at most ${maxBytes} are possible` }];
}

function isEmpty(members: Members, texts: readonly string[]): boolean {
  if (!isObject(members)) return false;
  const said = Object.entries(members).filter(([, value]) => typeof value !== 'string' || value.trim() !== '');
  // An empty title is a decision only together with a text.
  return said.length === 0 && Object.keys(members).every((name) => texts.includes(name));
}
