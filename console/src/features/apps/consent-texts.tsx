import { Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { LanguageTabs, OwnLanguage } from '../../components/message/language-tabs.tsx';
import { cleanTranslations, type TranslatedField } from '../../lib/text/languages.ts';
import { t } from '../../lib/words/words.ts';
import type { Policy, PolicyProps } from './rule-parts.tsx';

type Texts = Policy['consentTexts'];

const purposes = [
  { name: 'messages', label: t('Messages'), kind: 'text' },
  { name: 'analytics', label: t('Analytics'), kind: 'text' },
  { name: 'identity', label: t('Link to an account'), kind: 'text' },
] as const satisfies readonly TranslatedField[];
const names = purposes.map(({ name }) => name);

interface Props extends PolicyProps {
  readonly appId: string;
}

/** What the app asks visitors, which phones get with the bundle. */
export function ConsentTexts({ appId, fields }: Props) {
  const texts = fields.values.consentTexts;
  const [language, setLanguage] = useState('');
  const set = (change: Partial<Texts>) => fields.set('consentTexts', { ...texts, ...change });
  const problem = (name: string) => fields.problem(`consentTexts.${name}`);
  const value = { language: texts.language ?? '', translations: texts.translations ?? {} };
  const inOwn = { value, problem, onChange: set };
  return (
    <Stack gap="sm" maw={640}>
      <LanguageTabs
        {...inOwn}
        appId={appId}
        fields={purposes}
        own={Object.fromEntries(names.map((name) => [name, texts[name] ?? '']))}
        language={language}
        onLanguage={setLanguage}
      >
        <Stack gap="sm">
          {purposes.map(({ name, label }) => (
            <Textarea
              key={name}
              label={label}
              minRows={2}
              maxRows={8}
              value={texts[name] ?? ''}
              error={problem(name)}
              onChange={({ currentTarget }) => set({ [name]: currentTarget.value })}
            />
          ))}
          <OwnLanguage {...inOwn} />
        </Stack>
      </LanguageTabs>
      <TextInput
        label={t('Name of this version')}
        description={t('Kept with each answer as proof of what was asked. Change it when the meaning changes.')}
        placeholder="2026-10"
        maw={480}
        value={texts.version}
        error={problem('version')}
        onChange={({ currentTarget }) => set({ version: currentTarget.value })}
      />
    </Stack>
  );
}

/** Without what was left empty, as it is stored. */
export function cleanConsentTexts({ version, language, translations, ...own }: Texts): Texts {
  const written = cleanTranslations(translations ?? {}, names);
  return {
    version: version.trim(),
    ...Object.fromEntries(Object.entries(own).filter(([, text]) => text.trim() !== '')),
    ...(language ? { language } : {}),
    ...(written ? { translations: written } : {}),
  };
}
