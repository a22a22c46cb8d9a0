import { Alert, Button, Group, NativeSelect, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { entityTag } from '@pharos/sdk';
import { useState } from 'react';
import { Form } from '../../components/form/form.tsx';
import { LeaveGuard } from '../../components/form/leave-guard.tsx';
import { type Fields, useFields } from '../../components/form/use-fields.ts';
import { FailureNote, Icon } from '../../components/page/blocks.tsx';
import { type TestAnswer, TestNote } from '../../components/page/test-note.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import type { Sender } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { CredentialFacts } from './credential-facts.tsx';
import { initialSettings, type SenderField, senderForms, settingsOf } from './sender-forms.ts';
import { TextFileField } from './text-file-field.tsx';

interface Props {
  readonly appId: string;
  readonly sender: Sender;
  readonly onDone: () => void;
  readonly onCancel: () => void;
  readonly refresh: readonly (readonly string[])[];
}

type Credentials = Fields<Record<string, string>>;

/** Either the saved credentials, or those that somebody else saved first. */
interface Saved {
  readonly saved?: Sender;
  readonly replaced?: boolean;
  readonly theirs?: Sender;
}

/** The credentials of a provider, which can be tested before saving. */
export function SenderForm({ appId, sender, onDone, onCancel, refresh }: Props) {
  // As it was when the form was opened: the page may read it again later.
  const [{ kind, name, summary, updatedAt: opened }] = useState(sender);
  const [theirs, setTheirs] = useState<Sender>();
  const { fields } = senderForms[kind];
  const form = useFields<Record<string, string>>({ ...initialSettings(kind, summary) });
  const params = { appId, kind };
  const test = useAction<void, TestAnswer>({
    run: async () => (await call('testSender', { params, body: { settings: settingsOf(kind, form.values) } })).result,
    showsError: true,
  });
  const save = useAction({
    run: async (): Promise<Saved> => {
      const now = (await call('getSender', { params })).result;
      if (now.updatedAt !== (theirs ?? { updatedAt: opened }).updatedAt) return { theirs: now };
      const body = { settings: settingsOf(kind, form.values) };
      const saved = (await call('saveSender', { params, body, ifMatch: entityTag(now) })).result;
      return { saved, replaced: now.isSetUp };
    },
    done: ({ saved }) => saved && t('The {name} credentials are saved.', { name }),
    undo: ({ saved, replaced }) =>
      replaced
        ? call('restoreSender', { params, body: { updatedAt: saved?.updatedAt ?? null } })
        : call('deleteSender', { params, ifMatch: saved && entityTag(saved) }),
    refresh,
    showsError: true,
    after: ({ theirs: found }) => {
      if (found) return setTheirs(found);
      // Nothing is left to save, so leaving the page needs no confirmation.
      form.reset(form.current());
      onDone();
    },
  });
  function send() {
    save.mutate(undefined, { onError: form.setFailure });
  }
  function tryOut() {
    form.setFailure(null);
    test.mutate(undefined, { onError: form.setFailure });
  }
  return (
    <Form onSubmit={send} aria-label={t('Credentials of {name}', { name })}>
      <LeaveGuard form={form} />
      <Stack gap="md" maw={560}>
        <FailureNote message={form.rest(fields.flatMap(({ name: field }) => [field, `${field}.`]))} />
        {fields.map((field) => (
          <Field key={field.name} field={field} form={form} />
        ))}
        {test.data && <TestNote answer={test.data} />}
        {theirs && (
          <Theirs
            appId={appId}
            theirs={theirs}
            isBusy={save.isPending}
            onReplace={send}
            onKeep={() => {
              form.reset(form.current());
              onCancel();
            }}
          />
        )}
        <Group>
          <Button variant="filled" type="submit" loading={save.isPending}>
            {t('Save')}
          </Button>
          <Button loading={test.isPending} onClick={tryOut}>
            {t('Test before saving')}
          </Button>
          <Button variant="subtle" color="gray" onClick={onCancel}>
            {t('Cancel')}
          </Button>
        </Group>
      </Stack>
    </Form>
  );
}

function Field({ field, form }: { readonly field: SenderField; readonly form: Credentials }) {
  const { name, label, about, kind, accept = '', choices = [], placeholder } = field;
  const shared = {
    label,
    description: about,
    placeholder,
    value: form.values[name] ?? '',
    error: form.problemWithin(name),
    autoComplete: 'off',
    spellCheck: false,
  };
  const set = ({ currentTarget }: { currentTarget: { value: string } }) => form.set(name, currentTarget.value);
  if (kind === 'file')
    return (
      <TextFileField
        label={label}
        description={about}
        accept={accept}
        value={shared.value}
        error={shared.error}
        onChange={(text) => form.set(name, text)}
      />
    );
  if (kind === 'choice')
    return <NativeSelect label={label} data={[...choices]} value={shared.value} error={shared.error} onChange={set} />;
  return kind === 'secret' ? (
    <PasswordInput {...shared} autoComplete="new-password" onChange={set} />
  ) : (
    <TextInput {...shared} onChange={set} />
  );
}

interface TheirsProps {
  readonly appId: string;
  /** What is stored now. */
  readonly theirs: Sender;
  readonly isBusy: boolean;
  readonly onReplace: () => void;
  readonly onKeep: () => void;
}

/**
 * Shows that somebody else has entered or removed credentials while others were being typed here, and asks which to keep. Secrets are never
 * shown.
 */
export function Theirs({ appId, theirs, isBusy, onReplace, onKeep }: TheirsProps) {
  const { isSetUp } = theirs;
  return (
    <Alert color="yellow" icon={<Icon name="warning" />} title={t('Somebody else has saved this meanwhile')}>
      <Text mb="sm">
        {isSetUp
          ? t('Yours are not saved yet. These are the credentials that are there now:')
          : t('Yours are not saved yet. The credentials that were there have been removed.')}
      </Text>
      {isSetUp && <CredentialFacts appId={appId} sender={theirs} />}
      <Group gap="xs">
        <Button onClick={onKeep}>{t('Leave it as it is')}</Button>
        <Button variant="filled" loading={isBusy} onClick={onReplace}>
          {t('Save mine')}
        </Button>
      </Group>
    </Alert>
  );
}
