import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import type { FormEvent } from 'react';
import { useFields } from '../components/form/use-fields.ts';
import { FailureNote } from '../components/page/failure-note.tsx';
import { useAction } from '../lib/actions/use-action.ts';
import { call } from '../lib/data/api.ts';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** One's own password. */
export function PasswordDialog({ isOpen, onClose }: Props) {
  const fields = useFields({ currentPassword: '', password: '' });
  const change = useAction({
    run: () => call('changeOwnPassword', { body: fields.values }),
    done: 'Your password is changed.',
    showsError: true,
    after: onClose,
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    change.mutate(undefined, { onError: fields.setFailure });
  }
  const show = { 'aria-label': 'Show the password' };
  return (
    <Modal opened={isOpen} onClose={onClose} onExitTransitionEnd={() => fields.reset()} title="Change password">
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm" c="dimmed">
            You stay signed in here. Everywhere else you sign in again.
          </Text>
          <FailureNote message={fields.rest(['currentPassword', 'password'])} />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            visibilityToggleButtonProps={show}
            data-autofocus
            {...fields.text('currentPassword')}
          />
          <PasswordInput
            label="New password"
            description="At least 10 characters."
            autoComplete="new-password"
            visibilityToggleButtonProps={show}
            {...fields.text('password')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={change.isPending}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
