import { languageTag } from '@pharos/engine/decide';
import { Type } from 'typebox';
import { purposes } from '../../../access/consent.ts';
import { fail } from '../../../base/errors.ts';
import type { Database } from '../../../db/db.ts';
import { isoTime, recordAnswer, timestampSchema } from '../../../http/answers.ts';
import { type ConsoleEndpoint, consoleEndpoint } from '../../../http/console/console-endpoint.ts';
import { listDecisions } from './consents.ts';
import { countLocales, findHolder } from './store.ts';

const decision = Type.Object({
  purpose: Type.Enum([...purposes]),
  granted: Type.Boolean(),
  textVersion: Type.Optional(Type.String()),
  decidedBy: Type.Enum(['phone', 'user', 'manager', 'handover'], {
    description: 'handover: somebody else holds the installation since, and what was decided before ended',
  }),
  at: timestampSchema,
});
/** What the visitor of an installation has decided, for proof, and the languages of all. */
export function installationConsoleEndpoints(db: Database): readonly ConsoleEndpoint[] {
  return [
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/installations/:installationId/consents',
      operationId: 'listConsents',
      summary: 'List what the visitor has agreed to and refused, newest first',
      description: 'The last thousand decisions.',
      permission: 'installations.personal',
      locate: async ({ appId = '', installationId = '' }) => {
        if ((await findHolder(db, appId, installationId)) === undefined)
          throw fail('ObjectNotFound', 'There is no installation with this objectId.');
      },
      answer: recordAnswer(Type.Array(decision)),
      async handle({ params: { appId = '', installationId = '' } }) {
        const decisions = await listDecisions(db, appId, installationId);
        return { result: decisions.map(({ at, ...rest }) => ({ ...rest, at: isoTime(at) })) };
      },
    }),
    consoleEndpoint({
      method: 'GET',
      path: '/apps/:appId/languages',
      operationId: 'listLanguages',
      summary: 'Count the installations by the language of the phone, the commonest first',
      description:
        'From `localeIdentifier`. Phones that report none, or something that is no language, are left out and counted apart.',
      permission: 'content.read',
      answer: recordAnswer(languages),
      handle: async ({ params: { appId = '' } }) => ({ result: byLanguage(await countLocales(db, appId)) }),
    }),
  ];
}

const languages = Type.Object({
  languages: Type.Array(
    Type.Object({
      language: Type.String({
        description: 'Such as de; with a script where it is not the usual one, such as zh-Hant',
      }),
      count: Type.Integer({ minimum: 0 }),
      locales: Type.Array(Type.String(), { description: 'What phones report, the commonest first' }),
    }),
    { description: 'The 100 commonest' },
  ),
  unknown: Type.Integer({ minimum: 0, description: 'Phones whose language is not known' }),
});

const maxLanguages = 100;
const maxLocales = 20;

function byLanguage(counted: Awaited<ReturnType<typeof countLocales>>) {
  const found = new Map<string, { language: string; count: number; locales: string[] }>();
  let unknown = 0;
  for (const { locale, count } of counted) {
    const tag = locale === null ? undefined : languageTag(locale);
    if (tag === undefined) {
      unknown += count;
      continue;
    }
    const language = writtenLanguage(tag);
    const known = found.get(language) ?? { language, count: 0, locales: [] };
    known.count += count;
    if (known.locales.length < maxLocales && !known.locales.includes(tag)) known.locales.push(tag);
    found.set(language, known);
  }
  const languages = [...found.values()].sort((a, b) => b.count - a.count || (a.language < b.language ? -1 : 1));
  return { languages: languages.slice(0, maxLanguages), unknown };
}

/** The language in which somebody with this tag reads: `de`, and `zh-Hant` for Taiwan. */
function writtenLanguage(tag: string): string {
  const { language, script } = new Intl.Locale(tag).maximize();
  const usual = new Intl.Locale(language).maximize().script;
  return script === undefined || script === usual ? language : `${language}-${script}`;
}
