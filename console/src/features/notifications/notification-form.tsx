import { NativeSelect, SegmentedControl, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import type { Body, Notification } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { FileField } from '../../components/files/file-field.tsx';
import { BeaconSelect } from '../../components/form/beacon-select.tsx';
import { PageForm } from '../../components/form/page-form.tsx';
import type { Fields } from '../../components/form/use-fields.ts';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { drawn } from '../../components/message/effects.ts';
import { LanguageBlock } from '../../components/message/language-block.tsx';
import { MessageEffects } from '../../components/message/message-effects.tsx';
import { MessageLayout } from '../../components/message/message-layout.tsx';
import { MessageRules } from '../../components/message/message-rules.tsx';
import { MyPhone } from '../../components/message/my-phone.tsx';
import { PastTrial } from '../../components/message/past-trial.tsx';
import { PhonePreview } from '../../components/message/phone-preview.tsx';
import { PreviewLanguage } from '../../components/message/preview-language.tsx';
import { labelOfPart, translationParts } from '../../components/message/translation-parts.ts';
import { BeaconNames } from '../../components/names/beacon-names.tsx';
import { Block } from '../../components/page/block.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { RuleSentence } from '../../components/rules/rule-sentence.tsx';
import { appRules, effectiveRules, eventOptions, eventTexts } from '../../components/rules/rules.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { useBeaconNames } from '../../lib/data/beacon-names.ts';
import { ownFilePath } from '../../lib/data/own-files.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { copyName } from '../../lib/text/copy-name.ts';
import { inWords } from '../../lib/text/languages.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import {
  type NotificationFields,
  notificationBody,
  notificationFieldNames,
  notificationFields,
  notificationLabels,
  notificationProblems,
  translatedFields,
  typeTexts,
} from './notification-fields.ts';
import { useNotificationStop } from './notification-stop.ts';
import { notificationKeys } from './queries.ts';

interface Props {
  readonly appId: string;
  /** The notification to edit; without it, a new one is created. */
  readonly notification?: Notification;
  /** A new one begins as a copy of this one. */
  readonly model?: Notification;
  readonly isLocked?: boolean;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

type Form = Fields<NotificationFields>;

/** The values of fields in words. */
export const showNotification = (appId: string) => ({
  beaconId: (beaconId: string) => <BeaconNames appId={appId} beaconIds={beaconId ? [beaconId] : []} />,
  event: (event: Notification['event']) => eventTexts[event].verb,
  type: (type: Notification['type']) => typeTexts[type].label,
});

/** Off, so that visitors do not get the same message twice. */
const copyOf = (model: Notification): NotificationFields => ({
  ...notificationFields(model),
  description: copyName(model.description),
  isEnabled: false,
});

export function NotificationForm({ appId, notification, model, isLocked = false, onDone, onCancel }: Props) {
  const { notifications } = dataOf(appId);
  const id = notification?.objectId ?? '';
  const shared = useRecordForm<Notification, NotificationFields, object>({
    name: `notification ${id || `new ${model?.objectId ?? appId}`}`,
    record: notification,
    ...(model ? { start: copyOf(model) } : {}),
    fieldsOf: notificationFields,
    bodyOf: notificationBody,
    check: notificationProblems,
    stop: useNotificationStop(appId),
    read: () => notifications.get(id),
    change: (members, ifMatch) => notifications.update(id, members, { ifMatch }),
    create: (body, again) => notifications.create(body as Body<'createNotification'>, again),
    done: (fields) => t('{description} is saved.', { description: fields.description.trim() }),
    refresh: notificationKeys(appId),
    after: onDone,
    parts: translationParts<NotificationFields>(),
    labels: labelOfPart(notificationLabels, translatedFields('IMAGE')),
    show: showNotification(appId),
  });
  const { form, submit, isBusy } = shared;
  return (
    <MessageLayout aside={<Aside appId={appId} form={form} notificationId={notification?.objectId} />}>
      <PageForm
        form={form}
        names={notificationFieldNames}
        submit={notification ? t('Save') : t('Add the notification')}
        isBusy={isBusy}
        shared={shared}
        isLocked={isLocked}
        onSubmit={submit}
        onCancel={onCancel}
      >
        <MessageLayout.Fields isLocked={isLocked}>
          <Occasion appId={appId} form={form} />
          <Message appId={appId} form={form} />
          <LanguageBlock
            appId={appId}
            value={form.values}
            fields={translatedFields(form.values.type)}
            own={wordsOf(form.values)}
            problem={(name) => form.problem(name)}
            onChange={form.setAll}
          />
          <MessageRules appId={appId} form={form} onChange={(delivery) => form.set('delivery', delivery)} />
          <MessageEffects
            appId={appId}
            values={form.values}
            problem={form.problem}
            onChange={(name, value) => form.set(name, value as never)}
          />
          <PastTrial
            appId={appId}
            triggerId={notification?.objectId}
            draft={{
              beacons: form.values.beaconId ? [form.values.beaconId] : [],
              event: form.values.event,
              delivery: form.values.delivery,
              ...drawn(form.values),
            }}
          />
        </MessageLayout.Fields>
      </PageForm>
    </MessageLayout>
  );
}

const wordsOf = (values: NotificationFields) => ({
  alertTitle: values['message.alertTitle'],
  alertMessage: values['message.alertMessage'],
  url: values['message.url'],
});

interface PartProps {
  readonly appId: string;
  readonly form: Form;
}

function Occasion({ appId, form }: PartProps) {
  const { beaconId, isEnabled } = form.values;
  // Not for those who are limited to venues.
  const hasStorylines = useMayCall()('createStoryline');
  const isGone = useBeaconNames(appId, beaconId ? [beaconId] : [])(beaconId) === null;
  return (
    <Block title={t('When')}>
      <Stack gap="md">
        <TextInput
          label={t('Name')}
          description={t('For you: what the notification is about. It is never part of the message.')}
          required
          data-autofocus
          {...form.text('description')}
        />
        <FailureNote
          message={isGone ? t('Its beacon was deleted, so it is never shown. Choose another one.') : undefined}
        />
        <NativeSelect label={t('A visitor')} data={eventOptions} {...form.text('event')} />
        <BeaconSelect
          appId={appId}
          label={t('Beacon')}
          description={
            hasStorylines
              ? t('For a room with several beacons, write a storyline: it takes all beacons of a zone.')
              : ''
          }
          value={beaconId ? [beaconId] : []}
          error={form.problem('beaconId')}
          onChange={([id = '']) => form.set('beaconId', id)}
        />
        <Switch
          label={t('On')}
          description={t('A notification that is off is a draft: it is kept, but never shown.')}
          checked={isEnabled}
          onChange={({ currentTarget }) => form.set('isEnabled', currentTarget.checked)}
        />
      </Stack>
    </Block>
  );
}

function Message({ appId, form }: PartProps) {
  const { type } = form.values;
  const isText = type === 'TEXT';
  return (
    <Block title={t('What visitors see')}>
      <Stack gap="md">
        <SegmentedControl
          aria-label={t('Type')}
          data={Object.entries(typeTexts).map(([value, { label }]) => ({ value, label }))}
          value={type}
          onChange={(value) => form.set('type', value as NotificationFields['type'])}
        />
        <TextInput label={t('Title')} {...form.text('message.alertTitle')} />
        <Textarea label={t('Text')} autosize minRows={2} maxRows={8} {...form.text('message.alertMessage')} />
        {!isText && (
          <FileField
            key={type}
            appId={appId}
            kind={type === 'IMAGE' ? 'image' : 'video'}
            label={type === 'IMAGE' ? t('Picture') : t('Video')}
            description={t('Upload one, choose a file of the app, or enter an address.')}
            required
            value={form.values['message.url']}
            error={form.problem('message.url')}
            onChange={(address) => form.set('message.url', address)}
          />
        )}
      </Stack>
    </Block>
  );
}

function Aside({ appId, form, notificationId }: PartProps & { readonly notificationId: string | undefined }) {
  const { data: app } = useQuery(appQuery(appId));
  const times = useTimes(appId);
  const { values } = form;
  const [language, setLanguage] = useState<string>();
  const names = useBeaconNames(appId, values.beaconId ? [values.beaconId] : []);
  const words = inWords(wordsOf(values), values.translations[language ?? '']);
  const [title, body, url] = [words.alertTitle.trim(), words.alertMessage.trim(), words.url.trim()];
  const place = names(values.beaconId);
  return (
    <>
      <PreviewLanguage {...values} value={language} onChange={setLanguage} />
      <PhonePreview
        appName={app?.name ?? ''}
        title={title}
        body={body || (title ? '' : signs[values.type])}
        picture={values.type === 'IMAGE' ? ownFilePath(url, appId) : undefined}
        attachment={attachmentOf(values.type, url)}
        link={values.type === 'VIDEO' && url ? url : undefined}
        times={times}
      />
      <MyPhone
        appId={appId}
        about={{ notificationId, beaconId: values.beaconId }}
        data={{
          ...(title ? { title } : {}),
          ...(body ? { alert: body } : {}),
          ...(values.type === 'IMAGE' && url ? { image: url } : {}),
          ...(values.type === 'VIDEO' && url ? { uri: url } : {}),
        }}
      />
      <RuleSentence
        event={values.event}
        places={values.beaconId ? [place === undefined ? '…' : place] : []}
        shown={title || body || t('a message without words')}
        kind={typeTexts[values.type].kind}
        rules={effectiveRules(appRules(app?.policy), values.delivery)}
        times={times}
        isEnabled={values.isEnabled}
      />
    </>
  );
}

/** As the service sends a message without words. */
const signs = { TEXT: t('No words yet: a draft'), IMAGE: '🖼', VIDEO: '▶' } as const;

function attachmentOf(type: NotificationFields['type'], url: string) {
  if (type === 'TEXT') return undefined;
  const host = URL.canParse(url) ? new URL(url).host : undefined;
  if (type === 'VIDEO')
    return { icon: 'play', text: host ? t('Video from {host}', { host }) : t('No video yet') } as const;
  return { icon: 'picture', text: host ? t('Picture from {host}', { host }) : t('No picture yet') } as const;
}
