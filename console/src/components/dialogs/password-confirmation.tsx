import { Button, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { useAction } from '../../lib/actions/use-action.ts';
import { call, callAsAnybody } from '../../lib/data/api.ts';
import { canUsePasskeys, confirmWithPasskey } from '../../lib/data/passkeys.ts';
import { factorsQuery, ownIdentitiesQuery, sessionQuery } from '../../lib/data/queries.ts';
import { confirmation, signingIn } from '../../lib/data/signing-in.ts';
import { confirmThrough, onReturn } from '../../lib/data/single-sign-on.ts';
import { listed, t } from '../../lib/words/words.ts';
import { DialogForm } from '../form/dialog-form.tsx';
import { PasswordField } from '../form/password-field.tsx';
import { useFields } from '../form/use-fields.ts';
import { Icon } from '../page/blocks.tsx';

/** Above all other dialogs: the password may be asked for while another one is open. */
const above = 300;

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Asks for the administrator's own password or passkey before keys, administrators or passwords are changed. */
export function ConfirmationDialog({ isOpen, onClose }: Props) {
  const { data: factors } = useQuery({ ...factorsQuery, enabled: isOpen });
  const fields = useFields({ password: '' });
  const after = () => confirmation.answer(true);
  const confirm = useAction({
    run: () => call('confirmSession', { body: fields.values }),
    showsError: true,
    after,
  });
  const sign = useAction({ run: confirmWithPasskey, showsError: true, after });
  const { data: identities } = useQuery({ ...ownIdentitiesQuery, enabled: isOpen });
  const through = useAction({ run: confirmThrough, showsError: true });
  const queries = useQueryClient();
  // The window may have been another page's, in which somebody else has signed in.
  const look = useEffectEvent(async () => {
    const now = await callAsAnybody('getSession').catch(() => undefined);
    if (!now) return;
    const isSame = now.result.adminId === queries.getQueryData(sessionQuery.queryKey)?.adminId;
    confirmation.answer(isSame);
    if (!isSame) void signingIn.ask();
  });
  useEffect(() => (isOpen ? onReturn(() => void look()) : undefined), [isOpen]);
  const onError = fields.setFailure;
  const hasPassword = factors?.hasPassword !== false;
  const canSign = factors !== undefined && factors.passkeys.length > 0 && canUsePasskeys();
  const provider = identities?.current;
  /** What the button of the form does. */
  const main = hasPassword ? confirm : provider && !canSign ? through : sign;
  const ways = listed(
    [
      ...(hasPassword ? [t('enter your password')] : []),
      ...(canSign ? [t('use your passkey')] : []),
      ...(provider ? [t('sign in again with {name}', { name: provider.name })] : []),
    ],
    'or',
  );
  return (
    <DialogForm
      isOpen={isOpen}
      onClose={onClose}
      title={t('Confirm that it is you')}
      zIndex={above}
      about={
        <Text>
          {t(
            '{ways} to change keys, administrators or how you sign in, to erase somebody, or to save all about somebody. You will not be asked again for five minutes.{hasProvider, select, true { {name} opens in a window of its own, and this page stays as it is.} other {}}',
            {
              ways: ways.slice(0, 1).toUpperCase() + ways.slice(1),
              name: provider?.name,
              hasProvider: Boolean(provider),
            },
          )}
        </Text>
      }
      form={fields}
      submit={main === through ? t('Sign in with {name}', { name: provider?.name }) : t('Confirm')}
      isBusy={main.isPending}
      onSubmit={() => main.mutate(undefined, { onError })}
    >
      {hasPassword && (
        <PasswordField
          label={t('Your password')}
          autoComplete="current-password"
          data-autofocus
          {...fields.text('password')}
        />
      )}
      {hasPassword && canSign && (
        <Button
          leftSection={<Icon name="key" />}
          loading={sign.isPending}
          onClick={() => sign.mutate(undefined, { onError })}
        >
          {t('Use a passkey')}
        </Button>
      )}
      {provider && main !== through && (
        <Button
          leftSection={<Icon name="shield" />}
          loading={through.isPending}
          onClick={() => through.mutate(undefined, { onError })}
        >
          {t('Sign in with {name}', { name: provider.name })}
        </Button>
      )}
    </DialogForm>
  );
}
