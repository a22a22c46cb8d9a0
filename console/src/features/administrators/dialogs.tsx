import { NativeSelect, Text, TextInput } from '@mantine/core';
import { DialogForm } from '../../components/form/dialog-form.tsx';
import { PasswordField } from '../../components/form/password-field.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { useAction } from '../../lib/actions/use-action.ts';
import { type Role, roleOptions, roleTexts } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { administratorsQuery } from '../../lib/data/queries.ts';
import type { Administrator } from '../../lib/wire.ts';

interface NewProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function NewAdministratorDialog({ isOpen, onClose }: NewProps) {
  const fields = useFields({ name: '', email: '', role: 'editor' as Role, password: '' });
  const create = useAction({
    run: () => call('createAdministrator', { body: fields.values }),
    done: ({ result }) => `${result.name} can sign in now.`,
    refresh: [administratorsQuery.queryKey],
    showsError: true,
    after: onClose,
  });
  return (
    <DialogForm
      isOpen={isOpen}
      onClose={onClose}
      title="Add an administrator"
      form={fields}
      names={['name', 'email', 'role', 'password']}
      submit="Add"
      isBusy={create.isPending}
      onSubmit={() => create.mutate(undefined, { onError: fields.setFailure })}
    >
      <TextInput label="Name" autoComplete="off" data-autofocus required {...fields.text('name')} />
      <TextInput label="E-mail" type="email" autoComplete="off" required {...fields.text('email')} />
      <NativeSelect
        label="Role"
        description={roleTexts[fields.values.role].sentence}
        data={roleOptions}
        value={fields.values.role}
        onChange={(event) => fields.set('role', event.currentTarget.value as Role)}
      />
      <PasswordField
        label="First password"
        description="At least 10 characters. Hand it over in person; it can be changed after signing in."
        autoComplete="new-password"
        {...fields.text('password')}
      />
    </DialogForm>
  );
}

interface ResetProps {
  readonly target: Administrator | undefined;
  readonly onClose: () => void;
}

export function ResetPasswordDialog({ target, onClose }: ResetProps) {
  const fields = useFields({ password: '' });
  const reset = useAction({
    run: (adminId: string) => call('resetAdministratorPassword', { params: { adminId }, body: fields.values }),
    done: ({ result }) => `${result.name} has a new password.`,
    showsError: true,
    after: onClose,
  });
  return (
    <DialogForm
      isOpen={target !== undefined}
      onClose={onClose}
      title={`A new password for ${target?.name ?? ''}`}
      about={<Text size="sm">{target?.name} is signed out everywhere. Hand the new password over in person.</Text>}
      form={fields}
      names={['password']}
      submit="Set the password"
      isBusy={reset.isPending}
      onSubmit={() => target && reset.mutate(target.adminId, { onError: fields.setFailure })}
    >
      <PasswordField
        label="New password"
        description="At least 10 characters."
        autoComplete="new-password"
        data-autofocus
        {...fields.text('password')}
      />
    </DialogForm>
  );
}
