import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DialogForm } from '../components/form/dialog-form.tsx';
import { PasswordField } from '../components/form/password-field.tsx';
import { useFields } from '../components/form/use-fields.ts';
import { useAction } from '../lib/actions/use-action.ts';
import { call } from '../lib/data/api.ts';
import { factorsQuery, ownSessionsQuery } from '../lib/data/queries.ts';
import { t } from '../lib/words/words.ts';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Changes the password of the signed-in administrator. */
export function PasswordDialog({ isOpen, onClose }: Props) {
  const { data: factors } = useQuery({ ...factorsQuery, enabled: isOpen });
  const isFirst = factors?.hasPassword === false;
  const fields = useFields({ currentPassword: '', password: '' });
  const change = useAction({
    run: () => {
      const { currentPassword, password } = fields.values;
      return call('changeOwnPassword', { body: { password, ...(isFirst ? {} : { currentPassword }) } });
    },
    done: t('Your password was changed.'),
    showsError: true,
    refresh: [factorsQuery.queryKey, ownSessionsQuery.queryKey],
    after: onClose,
  });
  return (
    <DialogForm
      isOpen={isOpen}
      onClose={onClose}
      title={isFirst ? t('Set a password') : t('Change password')}
      about={<Text c="dimmed">{t('You stay signed in here and are signed out everywhere else.')}</Text>}
      form={fields}
      submit={isFirst ? t('Set the password') : t('Change password')}
      isBusy={change.isPending}
      onSubmit={() => change.mutate(undefined, { onError: fields.setFailure })}
    >
      {!isFirst && (
        <PasswordField
          label={t('Current password')}
          autoComplete="current-password"
          data-autofocus
          required={false}
          {...fields.text('currentPassword')}
        />
      )}
      <PasswordField
        label={t('New password')}
        description={t('At least 10 characters.')}
        autoComplete="new-password"
        required={false}
        {...fields.text('password')}
      />
    </DialogForm>
  );
}
