import { Text } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { confirmation } from '../../lib/data/confirmation.ts';
import { DialogForm } from '../form/dialog-form.tsx';
import { PasswordField } from '../form/password-field.tsx';
import { useFields } from '../form/use-fields.ts';

/** Above all other dialogs: the password may be asked for while another one is open. */
const above = 300;

/** Asks for the administrator's own password before keys, administrators or passwords are changed. */
export function ConfirmationDialog() {
  const isAsked = useSyncExternalStore(confirmation.subscribe, confirmation.isAsked);
  const fields = useFields({ password: '' });
  const confirm = useAction({
    run: () => call('confirmSession', { body: fields.values }),
    showsError: true,
    after: () => confirmation.answer(true),
  });
  return (
    <DialogForm
      isOpen={isAsked}
      onClose={() => confirmation.answer(false)}
      title="Confirm that it is you"
      zIndex={above}
      about={
        <Text size="sm">
          Enter your password to change keys, administrators or passwords. You will not be asked again for five minutes.
        </Text>
      }
      form={fields}
      names={['password']}
      submit="Confirm"
      isBusy={confirm.isPending}
      onSubmit={() => confirm.mutate(undefined, { onError: fields.setFailure })}
    >
      <PasswordField
        label="Your password"
        autoComplete="current-password"
        data-autofocus
        {...fields.text('password')}
      />
    </DialogForm>
  );
}
