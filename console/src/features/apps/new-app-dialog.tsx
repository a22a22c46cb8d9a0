import { Radio, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { SecretDialog } from '../../components/dialogs/shown-once.tsx';
import { DialogFields } from '../../components/form/dialog-form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { appsQuery } from '../../lib/data/queries.ts';
import type { CreateAppBody } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { type Credentials, CredentialsShownOnce, type OpenList } from './credentials.tsx';

type Made = Credentials & { readonly open: OpenList };

type Preset = NonNullable<CreateAppBody['preset']>;

const presets: readonly { readonly value: Preset; readonly label: string; readonly description: string }[] = [
  {
    value: 'visitors',
    label: t('An app for visitors'),
    description: t(
      'Everyone with the app can read beacons and messages. Visitors see only what is their own; managers see everybody. The app has to ask visitors for their consent, and to send a secret of each phone; older apps do neither.',
    ),
  },
  {
    value: 'specification',
    label: t('As the interface specification describes'),
    description: t(
      'Signed-in users read and write beacons, messages and records, and anyone with the app can list its users. For a team that trusts everyone who signs in.',
    ),
  },
];

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Creates an app, then shows its credentials once. */
export function NewAppDialog({ isOpen, onClose }: Props) {
  const [made, setMade] = useState<Made>();
  const navigate = useNavigate();
  function close() {
    onClose();
    if (made) void navigate({ to: '/apps/$appId', params: { appId: made.appId } });
  }
  return (
    <SecretDialog
      isOpen={isOpen}
      onClose={close}
      onClosed={() => setMade(undefined)}
      title={made ? t('Your app is ready') : t('Create an app')}
      hasSecret={made !== undefined}
      isWide={made !== undefined}
    >
      {made ? (
        <CredentialsShownOnce credentials={made} open={made.open} onClose={close} />
      ) : (
        <NameForm onCancel={onClose} onMade={setMade} />
      )}
    </SecretDialog>
  );
}

function NameForm({ onCancel, onMade }: { readonly onCancel: () => void; readonly onMade: (made: Made) => void }) {
  const fields = useFields<{ name: string; preset: Preset }>({ name: '', preset: 'visitors' });
  const create = useAction({
    run: () => call('createApp', { body: fields.values }),
    refresh: [appsQuery.queryKey],
    showsError: true,
    after: ({ result }) => onMade({ ...result, open: fields.values.preset === 'visitors' ? 'beacons' : 'users' }),
  });
  return (
    <DialogFields
      form={fields}
      submit={t('Create')}
      isBusy={create.isPending}
      onSubmit={() => create.mutate(undefined, { onError: fields.setFailure })}
      onClose={onCancel}
    >
      <TextInput
        label={t('Name')}
        description={t('It can be changed later.')}
        placeholder={t('Museum guide')}
        data-autofocus
        required
        {...fields.text('name')}
      />
      <Radio.Group
        label={t('Who may read and write what')}
        description={t('Each rule can be changed later.')}
        value={fields.values.preset}
        error={fields.problem('preset')}
        onChange={(value) => fields.set('preset', value as Preset)}
      >
        <Stack gap="sm" mt="xs">
          {presets.map((preset) => (
            <Radio key={preset.value} {...preset} />
          ))}
        </Stack>
      </Radio.Group>
      <Text c="dimmed">{t('The credentials of the app are shown next, only once.')}</Text>
    </DialogFields>
  );
}
