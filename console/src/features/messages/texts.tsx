import { Button, Group, Select, Stack, Tabs, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { FileField } from '../../components/files/file-field.tsx';
import type { Fields } from '../../components/form/use-fields.ts';
import { Icon } from '../../components/page/icon.tsx';
import { useStanding } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';
import { languageName, languageOptions, textOf } from '../../lib/text/languages.ts';
import { t } from '../../lib/words/words.ts';
import { type MessageFields, translatedFields } from './message.ts';
import { languagesOf, languageText } from './message-words.ts';
import classes from './messages.module.css';

interface Props {
  readonly appId: string;
  readonly form: Fields<MessageFields>;
  /** The language whose texts are shown, here and in the preview; '' is the message itself. */
  readonly language: string;
  readonly onLanguage: (language: string) => void;
}

/** A tab has to have a name. */
const ownTab = 'own';

/** What visitors read, in one language after the other. */
export function Texts(props: Props) {
  const { form, language, onLanguage } = props;
  const { translations } = form.values;
  const addButton = useRef<HTMLButtonElement>(null);
  const [added, setAdded] = useState<string>();
  function add(tag: string) {
    form.set('translations', { ...translations, [tag]: translations[tag] ?? {} });
    setAdded(tag);
    onLanguage(tag);
  }
  function remove(tag: string) {
    // The button that was pressed goes, and the focus with it: it goes on where there is something to do.
    addButton.current?.focus();
    onLanguage('');
    form.set('translations', Object.fromEntries(Object.entries(translations).filter(([one]) => one !== tag)));
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
          {languagesOf(form.values).map((one) => (
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
          <OwnWords {...props} />
        ) : (
          <Translated {...props} key={language} isAdded={added === language} onRemove={() => remove(language)} />
        )}
      </Tabs.Panel>
      {form.problem('translations') && (
        <Text size="sm" c="var(--mantine-color-error)">
          {form.problem('translations')}
        </Text>
      )}
    </Tabs>
  );
}

/** Those that many of the visitors' phones speak and the message lacks, in one click. */
const maxMissing = 2;

interface AddProps extends Props {
  readonly button: React.Ref<HTMLButtonElement>;
  readonly onAdd: (tag: string) => void;
}

function AddLanguage({ appId, form, button, onAdd }: AddProps) {
  const [isOpen, setOpen] = useState(false);
  const { language, translations } = form.values;
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
        data={languageOptions().filter(({ value }) => !has(value))}
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

const attachments = [
  { name: 'urlImageIOS', add: t('Picture'), icon: 'picture' },
  { name: 'urlVideo', add: t('Video'), icon: 'play' },
  { name: 'urlPage', add: t('Page'), icon: 'link' },
] as const;

function OwnWords({ appId, form }: Props) {
  const [opened, setOpened] = useState<readonly string[]>([]);
  // Not for those who are limited to venues: a notification has no page.
  const isShown = (name: (typeof attachments)[number]['name']) =>
    form.values[name] !== '' || opened.includes(name) || form.problem(name) !== undefined;
  const closed = attachments.filter(({ name }) => !isShown(name));
  const file = (name: 'urlImageIOS' | 'urlVideo', label: string) => (
    <FileField
      appId={appId}
      kind={name === 'urlVideo' ? 'video' : 'image'}
      label={label}
      value={form.values[name]}
      error={form.problem(name)}
      onChange={(address) => form.set(name, address)}
    />
  );
  return (
    <Stack gap="sm">
      <TextInput label={t('Title')} data-autofocus {...form.text('alertTitle')} />
      <Textarea
        label={t('Text')}
        autosize
        minRows={2}
        maxRows={8}
        {...form.text('alertMessage')}
        onChange={({ currentTarget }) => {
          form.set('alertMessage', currentTarget.value);
          // With words, the title is no longer missing.
          form.forgive('alertTitle');
        }}
      />
      {isShown('urlImageIOS') && file('urlImageIOS', t('Picture'))}
      {form.values.urlImageAndroid !== '' && (
        <FileField
          appId={appId}
          kind="image"
          label={t('Picture on Android')}
          value={form.values.urlImageAndroid}
          error={form.problem('urlImageAndroid')}
          onChange={(address) => form.set('urlImageAndroid', address)}
        />
      )}
      {isShown('urlVideo') && file('urlVideo', t('Video'))}
      {isShown('urlPage') && (
        <TextInput
          label={t('Page')}
          description={t('What a tap opens.')}
          placeholder="https://"
          type="url"
          {...form.text('urlPage')}
        />
      )}
      <div className={classes.under}>
        <Group gap={4}>
          {closed.map(({ name, add, icon }) => (
            <Button
              key={name}
              size="compact-sm"
              variant="subtle"
              leftSection={<Icon name={icon} size={16} />}
              onClick={() => setOpened([...opened, name])}
            >
              {add}
            </Button>
          ))}
        </Group>
        <OwnLanguage form={form} />
      </div>
    </Stack>
  );
}

function OwnLanguage({ form }: Pick<Props, 'form'>) {
  const { language, translations } = form.values;
  return (
    <Select
      size="xs"
      aria-label={t('Language of this text')}
      placeholder={t('Language of this text')}
      searchable
      clearable
      data={languageOptions(language ? [language] : []).filter(({ value }) => !(value in translations))}
      value={language || null}
      error={form.problem('language')}
      onChange={(tag) => form.set('language', tag ?? '')}
    />
  );
}

interface TranslatedProps extends Props {
  readonly isAdded: boolean;
  readonly onRemove: () => void;
}

function Translated({ form, language: tag, isAdded, onRemove }: TranslatedProps) {
  const { translations } = form.values;
  const words = translations[tag] ?? {};
  const own = form.values as unknown as Readonly<Record<string, string>>;
  const name = languageName(tag);
  // An address of its own is rare: only where the message has one.
  const fields = translatedFields.filter((one) => one.kind !== 'address' || own[one.name] || textOf(words[one.name]));
  return (
    <Stack gap="sm">
      {fields.map(({ name: field, label, kind }, index) => {
        const shared = {
          autoFocus: isAdded && index === 0,
          lang: tag,
          label: t('{label} in {name}', { label, name }),
          placeholder: own[field] ?? '',
          value: textOf(words[field]),
          error: form.problem(`translations.${tag}.${field}`),
          onChange: ({ currentTarget }: { currentTarget: { value: string } }) =>
            form.set('translations', { ...translations, [tag]: { ...words, [field]: currentTarget.value } }),
        };
        if (kind === 'text') return <Textarea key={field} autosize minRows={2} maxRows={8} {...shared} />;
        return <TextInput key={field} {...shared} />;
      })}
      {form.problem(`translations.${tag}`) && (
        <Text size="sm" c="var(--mantine-color-error)">
          {form.problem(`translations.${tag}`)}
        </Text>
      )}
      <Group justify="space-between">
        <Text size="sm" c="dimmed">
          {t('What you leave empty is as in the message itself.')}
        </Text>
        <Button size="compact-sm" variant="subtle" color="red" onClick={onRemove}>
          {t('Remove {name}', { name })}
        </Button>
      </Group>
    </Stack>
  );
}
