import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { confirmation } from '../../lib/data/confirmation.ts';
import { canUsePasskeys, confirmWithPasskey } from '../../lib/data/passkeys.ts';
import { factorsQuery } from '../../lib/data/queries.ts';
import { DialogForm } from '../form/dialog-form.tsx';
import { PasswordField } from '../form/password-field.tsx';
import { useFields } from '../form/use-fields.ts';
import { Icon } from '../page/icon.tsx';

/** Above all other dialogs: the password may be asked for while another one is open. */
const above = 300;

/** Asks for the administrator's own password or passkey before keys, administrators or passwords are changed. */
export function ConfirmationDialog() {
  const isAsked = useSyncExternalStore(confirmation.subscribe, confirmation.isAsked);
  const { data: factors } = useQuery({ ...factorsQuery, enabled: isAsked });
  const fields = useFields({ password: '' });
  const after = () => confirmation.answer(true);
  const confirm = useAction({
    run: () => call('confirmSession', { body: fields.values }),
    showsError: true,
    after,
  });
  const sign = useAction({ run: confirmWithPasskey, showsError: true, after });
  const onError = fields.setFailure;
  const hasPassword = factors?.hasPassword !== false;
  const canSign = factors !== undefined && factors.passkeys.length > 0 && canUsePasskeys();
  return (
    <DialogForm
      isOpen={isAsked}
      onClose={() => confirmation.answer(false)}
      title="Confirm that it is you"
      zIndex={above}
      about={
        <Text size="sm">
          {hasPassword ? 'Enter your password' : 'Use your passkey'}
          {hasPassword && canSign && ' or use a passkey'} to change keys, administrators or how you sign in. You will
          not be asked again for five minutes.
        </Text>
      }
      form={fields}
      names={['password']}
      submit="Confirm"
      isBusy={confirm.isPending || (sign.isPending && !hasPassword)}
      onSubmit={() => (hasPassword ? confirm : sign).mutate(undefined, { onError })}
    >
      {hasPassword && (
        <PasswordField
          label="Your password"
          autoComplete="current-password"
          data-autofocus
          {...fields.text('password')}
        />
      )}
      {hasPassword && canSign && (
        <Button
          variant="default"
          leftSection={<Icon name="key" />}
          loading={sign.isPending}
          onClick={() => sign.mutate(undefined, { onError })}
        >
          Use a passkey
        </Button>
      )}
    </DialogForm>
  );
}
