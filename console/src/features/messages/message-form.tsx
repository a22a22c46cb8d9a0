import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { PageForm } from '../../components/form/page-form.tsx';
import type { Fields } from '../../components/form/use-fields.ts';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { MessageLayout } from '../../components/message/message-layout.tsx';
import { labelOfPart, translationParts } from '../../components/message/translation-parts.ts';
import { Icon } from '../../components/page/blocks.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { copyName } from '../../lib/text/copy-name.ts';
import { t } from '../../lib/words/words.ts';
import { MessageEffects } from './effects/message-effects.tsx';
import {
  fieldNames,
  isInSeries,
  type Message,
  type MessageFields,
  memberOf,
  messageProblems,
  nameOf,
  newMessage,
  translatedFields,
  triggerOf,
  withMembers,
} from './message.ts';
import { MessageAside } from './message-aside.tsx';
import { fieldLabels, shownFields } from './message-members.tsx';
import { changeMessage, createMessage, messageKeys, readMessage, switchMessage } from './message-store.ts';
import classes from './messages.module.css';
import { Sentence } from './sentence/sentence.tsx';
import { Texts } from './texts.tsx';
import { TrialDialog } from './trial-dialog.tsx';
import { useMessageStop } from './use-message-stop.ts';

interface Props {
  readonly appId: string;
  /** The message to edit; without it, a new one is created. */
  readonly message?: Message;
  /** A new one begins as a copy of this one. */
  readonly model?: Message;
  /** A new one begins at this beacon. */
  readonly beacon?: string;
  readonly isLocked?: boolean;
  readonly onDone: () => void;
  readonly onCancel: () => void;
}

type Form = Fields<MessageFields>;

/** Of one in a series the name is that of all. */
const copyOf = (model: Message): MessageFields => ({
  ...model.fields,
  name: copyName(isInSeries(model) ? nameOf({ ...model.fields, name: '' }) : model.name),
});

export function MessageForm({ appId, message, model, beacon, isLocked = false, onDone, onCancel }: Props) {
  const hasStorylines = useMayCall()('listStorylines');
  const stop = useMessageStop(appId);
  const latest = useRef(message);
  const part = message && triggerOf(message);
  const isOn = message?.isEnabled ?? false;
  const [isSwitching, setSwitching] = useState<'on' | 'look'>();
  const switchesOn = useRef(false);
  const [language, setLanguage] = useState('');
  const shared = useRecordForm<Message, MessageFields, object>({
    name: `message ${part ?? `new ${model?.objectId ?? appId}`}`,
    record: message,
    ...(model ? { start: copyOf(model) } : {}),
    fieldsOf: (known) => known?.fields ?? { ...newMessage(), beacons: beacon ? [beacon] : [] },
    bodyOf: memberOf,
    check: (fields) => messageProblems(fields, isOn || switchesOn.current),
    ...(isOn ? { stop } : {}),
    read: async () => {
      latest.current = await readMessage(appId, message?.objectId ?? '', hasStorylines, part);
      return latest.current;
    },
    change: async (members, ifMatch) => {
      const before = latest.current as Message;
      const saved = await changeMessage(appId, { before, fields: withMembers(before.fields, members), ifMatch });
      // What is undone begins with what is stored now.
      latest.current = await readMessage(appId, before.objectId, hasStorylines, part);
      if (!switchesOn.current) return saved;
      const switched = await switchMessage(appId, latest.current, true);
      return latest.current.stored.kind === 'notification' ? switched : saved;
    },
    create: async (_, again) => {
      const saved = await createMessage(appId, form.current(), again);
      if (switchesOn.current) await switchMessage(appId, await readMessage(appId, saved.objectId, hasStorylines), true);
      return saved;
    },
    done: (fields) =>
      switchesOn.current
        ? t('{name} is on.', { name: nameOf(fields) })
        : isOn
          ? t('{name} is saved.', { name: nameOf(fields) })
          : t('{name} is saved as a draft, which nobody is shown.', { name: nameOf(fields) }),
    refresh: messageKeys(appId),
    after: onDone,
    parts: translationParts<MessageFields>(),
    labels: labelOfPart(fieldLabels, translatedFields),
    show: shownFields(appId),
  });
  const { form, submit, isBusy } = shared;
  const switchOn = useAction<Message, unknown>({
    run: (unchanged) => switchMessage(appId, unchanged, true),
    done: t('{name} is on.', { name: nameOf(form.values) }),
    refresh: messageKeys(appId),
    after: onDone,
  });
  function askToSwitchOn() {
    const problems = messageProblems(form.current(), true);
    if (problems.length > 0) form.setProblems(problems);
    else setSwitching('on');
  }
  function save(isAlsoOn: boolean) {
    switchesOn.current = isAlsoOn;
    setSwitching(undefined);
    if (isAlsoOn && message && !form.isDirtyNow()) switchOn.mutate(message);
    else submit();
  }
  const aside = (
    <MessageAside
      appId={appId}
      fields={form.values}
      language={language}
      fallback={message?.stored.kind === 'storyline' ? form.values.name.trim() : ''}
      notificationId={message?.stored.kind === 'notification' ? message.objectId : undefined}
    />
  );
  return (
    <MessageLayout aside={aside}>
      <PageForm
        shared={shared}
        names={fieldNames}
        submit={isOn ? t('Save') : t('Save as a draft')}
        isBusy={isBusy || switchOn.isPending}
        isLocked={isLocked}
        onSubmit={() => save(false)}
        onCancel={onCancel}
        other={
          !isOn && (
            <Button variant="light" onClick={askToSwitchOn}>
              {t('Switch on …')}
            </Button>
          )
        }
      >
        <MessageLayout.Fields isLocked={isLocked}>
          <Stack gap="1rem">
            <Texts appId={appId} form={form} language={language} onLanguage={setLanguage} />
            <Sentence appId={appId} form={form} isLocked={isLocked} />
            <More
              appId={appId}
              form={form}
              isShared={message !== undefined && isInSeries(message)}
              onLook={() => setSwitching('look')}
            />
          </Stack>
        </MessageLayout.Fields>
      </PageForm>
      <TrialDialog
        appId={appId}
        fields={form.values}
        triggerId={isOn ? part : undefined}
        isOpen={isSwitching !== undefined}
        onClose={() => setSwitching(undefined)}
        onConfirm={isSwitching === 'on' ? () => save(true) : undefined}
      />
    </MessageLayout>
  );
}

interface MoreProps {
  readonly appId: string;
  readonly form: Form;
  /** Its name is that of several messages. */
  readonly isShared: boolean;
  readonly onLook: () => void;
}

/** What few messages need: closed, unless something in it is set or wrong. */
function More({ appId, form, isShared, onLook }: MoreProps) {
  const { values } = form;
  const mayTry = useMayCall()('simulateSightings');
  const inside = ['name', 'goal', 'holdout', 'variants'] as const;
  const isWrong = inside.some((name) => form.problemWithin(name) !== undefined);
  const isSet = values.goal !== null || values.holdout !== null || values.variants !== null;
  const [isOpen, setOpen] = useState(isSet);
  return (
    <div>
      <Group gap="xs" className={classes.tools ?? ''}>
        <Button
          size="compact-sm"
          variant="subtle"
          aria-expanded={isOpen || isWrong}
          onClick={() => setOpen(!isOpen)}
          rightSection={<Icon name={isOpen || isWrong ? 'up' : 'down'} size={14} />}
        >
          {t('Name, goal and comparison')}
        </Button>
        {mayTry && (
          <Button size="compact-sm" variant="subtle" disabled={values.beacons.length === 0} onClick={onLook}>
            {t('What it would have sent')}
          </Button>
        )}
      </Group>
      {(isOpen || isWrong) && (
        <Stack gap="lg" mt="0.75rem">
          <TextInput
            label={t('Name')}
            description={
              isShared
                ? t('Of the series: several messages share it, and are switched together.')
                : t('For you, in lists. Empty: the title.')
            }
            maxLength={50}
            {...form.text('name')}
          />
          <MessageEffects
            appId={appId}
            values={values}
            problem={form.problem}
            onChange={(name, value) => form.set(name, value as never)}
          />
        </Stack>
      )}
    </div>
  );
}
