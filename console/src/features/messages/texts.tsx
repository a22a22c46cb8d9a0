import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { FileField } from '../../components/files/file-field.tsx';
import type { Fields } from '../../components/form/use-fields.ts';
import { LanguageTabs, OwnLanguage } from '../../components/message/language-tabs.tsx';
import { Icon } from '../../components/page/blocks.tsx';
import { t } from '../../lib/words/words.ts';
import { type MessageFields, translatedFields } from './message.ts';
import classes from './messages.module.css';

interface Props {
  readonly appId: string;
  readonly form: Fields<MessageFields>;
  /** The language whose texts are shown, here and in the preview; '' is the message itself. */
  readonly language: string;
  readonly onLanguage: (language: string) => void;
}

/** What visitors read, in one language after the other. */
export function Texts({ form, ...shown }: Props) {
  return (
    <LanguageTabs
      {...shown}
      value={form.values}
      fields={translatedFields}
      own={form.values as unknown as Readonly<Record<string, string>>}
      problem={form.problem}
      onChange={form.setAll}
    >
      <OwnWords appId={shown.appId} form={form} />
    </LanguageTabs>
  );
}

const attachments = [
  { name: 'urlImageIOS', add: t('Picture'), icon: 'picture' },
  { name: 'urlVideo', add: t('Video'), icon: 'play' },
  { name: 'urlPage', add: t('Page'), icon: 'link' },
] as const;

function OwnWords({ appId, form }: Pick<Props, 'appId' | 'form'>) {
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
        minRows={2}
        maxRows={8}
        {...form.text('alertMessage')}
        onChange={({ currentTarget }) => {
          form.set('alertMessage', currentTarget.value);
          // With words, the title is no longer missing.
          form.clearProblem('alertTitle');
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
        <OwnLanguage value={form.values} problem={form.problem} onChange={form.setAll} />
      </div>
    </Stack>
  );
}
