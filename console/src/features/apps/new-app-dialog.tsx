import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useFields } from '../../components/form/use-fields.ts';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { appsQuery } from '../../lib/data/queries.ts';
import { type Credentials, CredentialsShownOnce } from './credentials.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks for a name, then shows the credentials until one says that they are stored. */
export function NewAppDialog({ isOpen, onClose }: Props) {
  const [made, setMade] = useState<Credentials>();
  const navigate = useNavigate();
  function close() {
    onClose();
    if (made) void navigate({ to: '/apps/$appId', params: { appId: made.appId } });
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      onExitTransitionEnd={() => setMade(undefined)}
      title={made ? 'Your app is ready' : 'Create an app'}
      size={made ? 'lg' : 'md'}
      closeOnClickOutside={!made}
      closeOnEscape={!made}
      withCloseButton={!made}
    >
      {made ? (
        <Stack>
          <CredentialsShownOnce {...made} />
          <Group justify="flex-end">
            <Button onClick={close}>I have stored the key</Button>
          </Group>
        </Stack>
      ) : (
        <NameForm onCancel={onClose} onMade={setMade} />
      )}
    </Modal>
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
  function submit(event: FormEvent) {
    event.preventDefault();
    create.mutate(undefined, { onError: fields.setFailure });
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <FailureNote message={fields.rest(['name'])} />
        <TextInput
          label="Name"
          description="For people only; it can be changed later."
          placeholder="Museum guide"
          data-autofocus
          required
          {...fields.text('name')}
        />
        <Text size="sm" c="dimmed">
          Next you see the app's credentials, once.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
