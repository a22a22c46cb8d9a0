import { NativeSelect, NumberInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { FileField } from '../../components/files/file-field.tsx';
import { LanguageTabs, OwnLanguage } from '../../components/message/language-tabs.tsx';
import { MyPhone } from '../../components/message/my-phone.tsx';
import { PhonePreview } from '../../components/message/phone-preview.tsx';
import { Block, Folded, TechnicalDetails } from '../../components/page/blocks.tsx';
import { ownFilePath } from '../../lib/data/own-files.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { inWords } from '../../lib/text/languages.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import classes from './push.module.css';
import { byteSize, type ComposeForm, dataOfPush, maxBytes, type PushFields, translatedFields } from './push-fields.ts';

interface ContentProps {
  readonly appId: string;
  readonly form: ComposeForm;
  /** The language that is written; '' is the message itself. */
  readonly language: string;
  readonly onLanguage: (language: string) => void;
}

export function PushContent({ form, ...shown }: ContentProps) {
  return (
    <Block title={t('The message')}>
      <LanguageTabs
        {...shown}
        value={form.values}
        fields={translatedFields}
        own={wordsOf(form.values)}
        problem={form.problem}
        onChange={form.setAll}
      >
        <OwnContent appId={shown.appId} form={form} />
      </LanguageTabs>
    </Block>
  );
}

function OwnContent({ appId, form }: Pick<ContentProps, 'appId' | 'form'>) {
  const data = dataOfPush(form.values);
  const size = data ? byteSize(data) : undefined;
  return (
    <Stack gap="md">
      <TextInput label={t('Title')} data-autofocus {...form.text('data.title')} />
      <Textarea label={t('Text')} minRows={2} maxRows={8} {...form.text('data.alert')} />
      <TextInput
        label={t('Link')}
        description={t('What a tap opens: a web page or a deep link into the app.')}
        placeholder="https://"
        {...form.text('data.uri')}
      />
      <FileField
        appId={appId}
        kind="image"
        label={t('Picture')}
        description={t('Shown on phones that support pictures.')}
        value={form.values['data.image']}
        error={form.problem('data.image')}
        onChange={(address) => form.set('data.image', address)}
      />
      {size !== undefined && size > maxBytes && (
        <Text c="var(--mantine-color-error)">
          {t('{size, number} of {maxBytes, number} bytes', { size, maxBytes })}
        </Text>
      )}
      <OwnLanguage value={form.values} problem={form.problem} onChange={form.setAll} />
      <HowItAppears form={form} />
    </Stack>
  );
}

/** Most messages need none of it. */
function HowItAppears({ form }: Pick<ContentProps, 'form'>) {
  const level = form.values['options.level'];
  const problem = form.problem('extra') ?? form.problem('data');
  return (
    <Folded title={t('How it appears')} isOpen={problem !== undefined}>
      <Stack gap="md">
        <NativeSelect
          label={t('Importance')}
          data={levels.filter(({ value }) => value !== 'critical' || level === value)}
          {...form.text('options.level')}
        />
        <TextInput
          label={t('Takes the place of earlier ones called')}
          description={t(
            'A name of your own, such as “queue”: the phone then shows only the latest message of this name.',
          )}
          maxLength={64}
          {...form.text('options.replaces')}
        />
        <div className={classes.pair}>
          <NumberInput
            label={t('Number on the icon')}
            description={t('0 removes it; empty leaves it unchanged.')}
            min={0}
            allowDecimal={false}
            hideControls
            {...form.number('data.badge')}
          />
          <TextInput
            label={t('Sound')}
            description={t('The name of a sound in the app.')}
            {...form.text('data.sound')}
          />
        </div>
        <TechnicalDetails isOpen={problem !== undefined}>
          <Textarea
            label={t('Additional data for the app')}
            description={t('A JSON object that the app receives with the message.')}
            placeholder='{"hall": 2}'
            minRows={2}
            spellCheck={false}
            classNames={{ input: 'mono' }}
            value={form.values.extra}
            error={problem}
            onChange={({ currentTarget }) => form.set('extra', currentTarget.value)}
          />
        </TechnicalDetails>
      </Stack>
    </Folded>
  );
}

const levels = [
  { value: '', label: t('As usual') },
  { value: 'passive', label: t('Quiet: without a sound, into the list') },
  { value: 'active', label: t('Normal') },
  { value: 'timeSensitive', label: t('Urgent: also while the phone holds notifications back') },
  { value: 'critical', label: t('Critical: also while the phone is muted') },
];

/** What translations replace. */
const wordsOf = (values: PushFields) => ({
  title: values['data.title'],
  alert: values['data.alert'],
  uri: values['data.uri'],
});

interface PreviewProps {
  readonly appId: string;
  readonly values: PushFields;
  readonly language: string;
}

/** The message on a phone, in the language that is written just now. */
export function PushPreview({ appId, values, language }: PreviewProps) {
  const { data: app } = useQuery(appQuery(appId));
  const times = useTimes(appId);
  const translation = values.translations[language];
  const { title, alert, uri } = inWords(wordsOf(values), translation);
  const image = values['data.image'].trim();
  const host = URL.canParse(image) ? new URL(image).host : undefined;
  return (
    <>
      <PhonePreview
        appName={app?.name ?? ''}
        title={title}
        body={alert || (title ? '' : t('Your message appears here.'))}
        picture={ownFilePath(image, appId)}
        attachment={host ? { icon: 'picture', text: t('Picture from {host}', { host }) } : undefined}
        link={uri.trim() || undefined}
        badge={typeof values['data.badge'] === 'number' ? values['data.badge'] : undefined}
        times={times}
      />
      <MyPhone appId={appId} data={inWords(dataOfPush(values) ?? {}, translation)} />
    </>
  );
}
