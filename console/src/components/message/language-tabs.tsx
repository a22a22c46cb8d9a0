import { Button, Group, Select, Stack, Tabs, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type Ref, useRef, useState } from 'react';
import { useStanding } from '../../lib/data/access.ts';
import { call, dataKey } from '../../lib/data/api.ts';
import {
  type LanguageValues,
  languageName,
  languageOptions,
  languagesOf,
  languageText,
  type TranslatedField,
  textOf,
} from '../../lib/text/languages.ts';
import { t } from '../../lib/words/words.ts';
import { Icon } from '../page/blocks.tsx';
import classes from './language-tabs.module.css';

interface Props {
  readonly appId: string;
  readonly value: LanguageValues;
  /** The texts and addresses that a translation may replace. */
  readonly fields: readonly TranslatedField[];
  /** What the message itself has in each field. */
  readonly own: Readonly<Record<string, string>>;
  readonly problem: (name: string) => string | undefined;
  readonly onChange: (value: Partial<LanguageValues>) => void;
  /** The language whose texts are shown, here and in the preview; '' is the message itself. */
  readonly language: string;
  readonly onLanguage: (language: string) => void;
  /** The fields of the message itself. */
  readonly children: ReactNode;
}

/** A tab has to have a name. */
const ownTab = 'own';

/** What visitors read, in one language after the other. */
export function LanguageTabs(props: Props) {
  const { value, own, fields, problem, onChange, language, onLanguage, children } = props;
  const { translations } = value;
  const addButton = useRef<HTMLButtonElement>(null);
  const [added, setAdded] = useState<string>();
  function add(tag: string) {
    onChange({ translations: { ...translations, [tag]: translations[tag] ?? {} } });
    setAdded(tag);
    onLanguage(tag);
  }
  function remove(tag: string) {
    // The button that was pressed goes, and the focus with it: it goes on where there is something to do.
    addButton.current?.focus();
    onLanguage('');
    onChange({ translations: Object.fromEntries(Object.entries(translations).filter(([one]) => one !== tag)) });
  }
  return (
    <Tabs
      value={language || ownTab}
      onChange={(tag) => onLanguage(tag === ownTab ? '' : (tag ?? ''))}
      variant="pills"
      aria-label={t('Texts')}
    >
      <div className={classes.languages}>
        <Tabs.List aria-label={t('Languages')}>
          {languagesOf(value, own, fields).map((one) => (
            <Tabs.Tab
              key={one.tag}
              value={one.tag || ownTab}
              className={classes.language ?? ''}
              data-lacks={one.lacks.length > 0 || undefined}
            >
              {languageText(one)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <AddLanguage {...props} button={addButton} onAdd={add} />
      </div>
      <Tabs.Panel value={language || ownTab}>
        {language === '' ? (
          children
        ) : (
          <Translated {...props} key={language} isAdded={added === language} onRemove={() => remove(language)} />
        )}
      </Tabs.Panel>
      {problem('translations') && <Text c="var(--mantine-color-error)">{problem('translations')}</Text>}
    </Tabs>
  );
}

/** Those that many of the visitors' phones speak and the message lacks, in one click. */
const maxMissing = 2;

interface AddProps extends Props {
  readonly button: Ref<HTMLButtonElement>;
  readonly onAdd: (tag: string) => void;
}

function AddLanguage({ appId, value, button, onAdd }: AddProps) {
  const [isOpen, setOpen] = useState(false);
  const { language, translations } = value;
  // Phones belong to no venue.
  const hasPhones = useStanding()?.venues === undefined;
  const { data: spoken } = useQuery({
    enabled: hasPhones,
    queryKey: dataKey(appId, 'listInstallations', 'languages'),
    queryFn: async ({ signal }) => (await call('listLanguages', { params: { appId }, signal })).result,
    staleTime: 60_000,
  });
  const has = (tag: string) => tag in translations || language === tag || language.startsWith(`${tag}-`);
  const missing = (spoken?.languages ?? []).filter(({ language: tag }) => !has(tag)).slice(0, maxMissing);
  if (isOpen)
    return (
      <Select
        size="xs"
        aria-label={t('Add a language')}
        placeholder={t('Type its name')}
        searchable
        autoFocus
        data={languageOptions().filter((one) => !has(one.value))}
        value={null}
        nothingFoundMessage={t('No such language here')}
        onBlur={() => setOpen(false)}
        onChange={(tag) => {
          setOpen(false);
          if (tag) onAdd(tag);
        }}
      />
    );
  return (
    <Group gap={4}>
      {missing.map(({ language: tag, count }) => (
        <Button
          key={tag}
          size="compact-sm"
          variant="subtle"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => onAdd(tag)}
        >
          {t('{languageName} ({count, plural, one {# phone} other {# phones}})', {
            languageName: languageName(tag),
            count,
          })}
        </Button>
      ))}
      <Button
        ref={button}
        size="compact-sm"
        variant="subtle"
        leftSection={<Icon name="plus" size={14} />}
        onClick={() => setOpen(true)}
      >
        {t('Add a language')}
      </Button>
    </Group>
  );
}

/** In which language the message itself is. */
export function OwnLanguage({ value, problem, onChange }: Pick<Props, 'value' | 'problem' | 'onChange'>) {
  const { language, translations } = value;
  return (
    <Select
      size="xs"
      aria-label={t('Language of this text')}
      placeholder={t('Language of this text')}
      searchable
      clearable
      data={languageOptions(language ? [language] : []).filter((one) => !(one.value in translations))}
      value={language || null}
      error={problem('language')}
      onChange={(tag) => onChange({ language: tag ?? '' })}
    />
  );
}

interface TranslatedProps extends Props {
  readonly isAdded: boolean;
  readonly onRemove: () => void;
}

function Translated(props: TranslatedProps) {
  const { value, own, problem, onChange, language: tag, isAdded, onRemove } = props;
  const { translations } = value;
  const words = translations[tag] ?? {};
  const name = languageName(tag);
  // An address of its own is rare: only where the message has one.
  const fields = props.fields.filter((one) => one.kind !== 'address' || own[one.name] || textOf(words[one.name]));
  return (
    <Stack gap="sm">
      {fields.map(({ name: field, label, kind }, index) => {
        const shared = {
          autoFocus: isAdded && index === 0,
          lang: tag,
          label: t('{label} in {name}', { label, name }),
          placeholder: own[field] ?? '',
          value: textOf(words[field]),
          error: problem(`translations.${tag}.${field}`),
          onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
            onChange({ translations: { ...translations, [tag]: { ...words, [field]: currentTarget.value } } }),
        };
        if (kind === 'text') return <Textarea key={field} minRows={2} maxRows={8} {...shared} />;
        return <TextInput key={field} {...shared} />;
      })}
      {problem(`translations.${tag}`) && <Text c="var(--mantine-color-error)">{problem(`translations.${tag}`)}</Text>}
      <Group justify="space-between">
        <Text c="dimmed">{t('What you leave empty stays as in the first language.')}</Text>
        <Button size="compact-sm" variant="subtle" color="red" onClick={onRemove}>
          {t('Remove {name}', { name })}
        </Button>
      </Group>
    </Stack>
  );
}
