import { Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { SecretDialog } from '../../components/dialogs/shown-once.tsx';
import { DialogFields } from '../../components/form/dialog-form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { appsQuery } from '../../lib/data/queries.ts';
import { type Credentials, CredentialsShownOnce } from './credentials.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Creates an app, then shows its credentials once. */
export function NewAppDialog({ isOpen, onClose }: Props) {
  const [made, setMade] = useState<Credentials>();
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
      title={made ? 'Your app is ready' : 'Create an app'}
      hasSecret={made !== undefined}
      isWide={made !== undefined}
    >
      {made ? (
        <CredentialsShownOnce credentials={made} onClose={close} />
      ) : (
        <NameForm onCancel={onClose} onMade={setMade} />
      )}
    </SecretDialog>
  );
}

function NameForm({
  onCancel,
  onMade,
}: {
  readonly onCancel: () => void;
  readonly onMade: (made: Credentials) => void;
}) {
  const fields = useFields({ name: '' });
  const create = useAction({
    run: () => call('createApp', { body: fields.values }),
    refresh: [appsQuery.queryKey],
    showsError: true,
    after: ({ result }) => onMade(result),
  });
  return (
    <DialogFields
      form={fields}
      names={['name']}
      submit="Create"
      isBusy={create.isPending}
      onSubmit={() => create.mutate(undefined, { onError: fields.setFailure })}
      onClose={onCancel}
    >
      <TextInput
        label="Name"
        description="It can be changed later."
        placeholder="Museum guide"
        data-autofocus
        required
        {...fields.text('name')}
      />
      <Text size="sm" c="dimmed">
        The credentials of the app are shown next, only once.
      </Text>
    </DialogFields>
  );
}
