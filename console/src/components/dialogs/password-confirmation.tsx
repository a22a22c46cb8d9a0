import { Button, Group, Modal, PasswordInput, Stack, Text } from '@mantine/core';
import { type FormEvent, useSyncExternalStore } from 'react';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { answerConfirmation, confirmation } from '../../lib/data/confirmation.ts';
import { useFields } from '../form/use-fields.ts';
import { FailureNote } from '../page/failure-note.tsx';

/** Above every other dialog: the password is asked for while another dialog is at work. */
const above = 300;

/** Asks administrators for their own password before keys, administrators or passwords are changed. */
export function ConfirmationDialog() {
  const isAsked = useSyncExternalStore(confirmation.subscribe, confirmation.isAsked);
  const fields = useFields({ password: '' });
  const confirm = useAction({
    run: () => call('confirmSession', { body: fields.values }),
    showsError: true,
    after: () => answerConfirmation(true),
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    confirm.mutate(undefined, { onError: fields.setFailure });
  }
  return (
    <Modal
      opened={isAsked}
      onClose={() => answerConfirmation(false)}
      onExitTransitionEnd={() => fields.reset()}
      title="Confirm that it is you"
      zIndex={above}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm">
            Enter your password to change keys, administrators or passwords. You will not be asked again for five
            minutes.
          </Text>
          <FailureNote message={fields.rest(['password'])} />
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
            data-autofocus
            required
            {...fields.text('password')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => answerConfirmation(false)}>
              Cancel
            </Button>
            <Button type="submit" loading={confirm.isPending}>
              Confirm
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
