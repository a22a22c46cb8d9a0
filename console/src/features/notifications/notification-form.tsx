import { NativeSelect, SegmentedControl, Stack, Switch, Textarea, TextInput } from '@mantine/core';
import type { Body, Notification } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { FileField } from '../../components/files/file-field.tsx';
import { BeaconSelect } from '../../components/form/beacon-select.tsx';
import { PageForm } from '../../components/form/page-form.tsx';
import type { Fields } from '../../components/form/use-fields.ts';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { MessageLayout } from '../../components/message/message-layout.tsx';
import { MessageRules } from '../../components/message/message-rules.tsx';
import { PhonePreview } from '../../components/message/phone-preview.tsx';
import { BeaconNames } from '../../components/page/beacon-names.tsx';
import { Block } from '../../components/page/block.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { RuleSentence } from '../../components/rules/rule-sentence.tsx';
import { appRules, effectiveRules, eventOptions, eventTexts } from '../../components/rules/rules.ts';
import { dataOf } from '../../lib/data/api.ts';
import { useBeaconNames } from '../../lib/data/beacon-names.ts';
import { ownFilePath } from '../../lib/data/own-files.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { useTimes } from '../../lib/time/times.ts';
import {
  type NotificationFields,
  notificationBody,
  notificationFieldNames,
  notificationFields,
  notificationLabels,
  notificationProblems,
  typeTexts,
} from './notification-fields.ts';
import { notificationKeys } from './queries.ts';

interface Props {
  readonly appId: string;
  /** The notification to edit; without it, a new one is created. */
  readonly notification?: Notification;
  readonly isLocked?: boolean;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

type Form = Fields<NotificationFields>;

export function NotificationForm({ appId, notification, isLocked = false, onDone, onCancel }: Props) {
  const { notifications } = dataOf(appId);
  const id = notification?.objectId ?? '';
  const shared = useRecordForm<Notification, NotificationFields, object>({
    name: `notification ${id || `new ${appId}`}`,
    record: notification,
    fieldsOf: notificationFields,
    bodyOf: notificationBody,
    check: notificationProblems,
    read: () => notifications.get(id),
    change: (members, ifMatch) => notifications.update(id, members, { ifMatch }),
    create: (body) => notifications.create(body as Body<'createNotification'>),
    done: (fields) => `${fields.description.trim()} is saved.`,
    refresh: notificationKeys(appId),
    after: onDone,
    labels: notificationLabels,
    show: {
      beaconId: (beaconId: string) => <BeaconNames appId={appId} beaconIds={beaconId ? [beaconId] : []} />,
      event: (event: Notification['event']) => eventTexts[event].verb,
      type: (type: Notification['type']) => typeTexts[type].label,
    },
  });
  const { form, submit, isBusy } = shared;
  return (
    <MessageLayout aside={<Aside appId={appId} form={form} />}>
      <PageForm
        form={form}
        names={notificationFieldNames}
        submit={notification ? 'Save' : 'Add the notification'}
        isBusy={isBusy}
        shared={shared}
        isLocked={isLocked}
        onSubmit={submit}
        onCancel={onCancel}
      >
        <MessageLayout.Fields isLocked={isLocked}>
          <Occasion appId={appId} form={form} />
          <Message appId={appId} form={form} />
          <MessageRules appId={appId} form={form} onChange={(delivery) => form.set('delivery', delivery)} />
        </MessageLayout.Fields>
      </PageForm>
    </MessageLayout>
  );
}

interface PartProps {
  readonly appId: string;
  readonly form: Form;
}

function Occasion({ appId, form }: PartProps) {
  const { beaconId, isEnabled } = form.values;
  const isGone = useBeaconNames(appId, beaconId ? [beaconId] : [])(beaconId) === null;
  return (
    <Block title="When">
      <Stack gap="md">
        <TextInput
          label="Name"
          description="For you: what the notification is about. Visitors never see it."
          required
          data-autofocus
          {...form.text('description')}
        />
        <FailureNote
          message={isGone ? 'Its beacon was deleted, so it is never shown. Choose another one.' : undefined}
        />
        <NativeSelect label="A visitor" data={eventOptions} {...form.text('event')} />
        <BeaconSelect
          appId={appId}
          label="Beacon"
          value={beaconId ? [beaconId] : []}
          error={form.problem('beaconId')}
          onChange={([id = '']) => form.set('beaconId', id)}
        />
        <Switch
          label="On"
          description="A notification that is off is a draft: it is kept, but never shown."
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
    <Block title="What visitors see">
      <Stack gap="md">
        <SegmentedControl
          aria-label="Type"
          data={Object.entries(typeTexts).map(([value, { label }]) => ({ value, label }))}
          value={type}
          onChange={(value) => form.set('type', value as NotificationFields['type'])}
        />
        <TextInput label="Title" {...form.text('message.alertTitle')} />
        <Textarea label="Text" autosize minRows={2} maxRows={8} {...form.text('message.alertMessage')} />
        {!isText && (
          <FileField
            key={type}
            appId={appId}
            kind={type === 'IMAGE' ? 'image' : 'video'}
            label={type === 'IMAGE' ? 'Picture' : 'Video'}
            description="Upload one, choose a file of the app, or enter an address."
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

function Aside({ appId, form }: PartProps) {
  const { data: app } = useQuery(appQuery(appId));
  const times = useTimes(appId);
  const { values } = form;
  const names = useBeaconNames(appId, values.beaconId ? [values.beaconId] : []);
  const title = values['message.alertTitle'].trim();
  const body = values['message.alertMessage'].trim();
  const url = values['message.url'].trim();
  const place = names(values.beaconId);
  return (
    <>
      <PhonePreview
        appName={app?.name ?? ''}
        title={title}
        body={body || (title ? '' : signs[values.type])}
        picture={values.type === 'IMAGE' ? ownFilePath(url, appId) : undefined}
        attachment={attachmentOf(values.type, url)}
        link={values.type === 'VIDEO' && url ? url : undefined}
        times={times}
      />
      <RuleSentence
        event={values.event}
        places={values.beaconId ? [place === undefined ? '…' : place] : []}
        shown={title || body || 'a message without words'}
        kind={typeTexts[values.type].kind}
        rules={effectiveRules(appRules(app?.policy), values.delivery)}
        times={times}
        isEnabled={values.isEnabled}
      />
    </>
  );
}

/** As the service sends a message without words. */
const signs = { TEXT: 'No words yet: a draft', IMAGE: '🖼', VIDEO: '▶' } as const;

function attachmentOf(type: NotificationFields['type'], url: string) {
  if (type === 'TEXT') return undefined;
  const host = URL.canParse(url) ? new URL(url).host : undefined;
  if (type === 'VIDEO') return { icon: 'play', text: host ? `Video from ${host}` : 'No video yet' } as const;
  return { icon: 'picture', text: host ? `Picture from ${host}` : 'No picture yet' } as const;
}
