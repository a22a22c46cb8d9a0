import { Button, Group, Modal, NativeSelect, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { useFields } from '../../components/form/use-fields.ts';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { type Role, roleTexts } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { administratorsQuery } from '../../lib/data/queries.ts';
import type { Administrator } from '../../lib/wire.ts';

const roleOptions = Object.entries(roleTexts).map(([value, { label }]) => ({ value, label }));
const show = { 'aria-label': 'Show the password' };

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
  function submit(event: FormEvent) {
    event.preventDefault();
    create.mutate(undefined, { onError: fields.setFailure });
  }
  return (
    <Modal opened={isOpen} onClose={onClose} onExitTransitionEnd={() => fields.reset()} title="Add an administrator">
      <form onSubmit={submit} noValidate>
        <Stack>
          <FailureNote message={fields.rest(['name', 'email', 'role', 'password'])} />
          <TextInput label="Name" autoComplete="off" data-autofocus required {...fields.text('name')} />
          <TextInput label="E-mail" type="email" autoComplete="off" required {...fields.text('email')} />
          <NativeSelect
            label="Role"
            description={roleTexts[fields.values.role].sentence}
            data={roleOptions}
            value={fields.values.role}
            onChange={(event) => fields.set('role', event.currentTarget.value as Role)}
          />
          <PasswordInput
            label="First password"
            description="At least 10 characters. Hand it over in person; it can be changed after signing in."
            autoComplete="new-password"
            visibilityToggleButtonProps={show}
            required
            {...fields.text('password')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Add
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
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
  function submit(event: FormEvent) {
    event.preventDefault();
    if (target) reset.mutate(target.adminId, { onError: fields.setFailure });
  }
  return (
    <Modal
      opened={target !== undefined}
      onClose={onClose}
      onExitTransitionEnd={() => fields.reset()}
      title={`A new password for ${target?.name ?? ''}`}
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm">All sessions of {target?.name} end. Hand the new password over in person.</Text>
          <FailureNote message={fields.rest(['password'])} />
          <PasswordInput
            label="New password"
            description="At least 10 characters."
            autoComplete="new-password"
            visibilityToggleButtonProps={show}
            data-autofocus
            required
            {...fields.text('password')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={reset.isPending}>
              Set the password
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
