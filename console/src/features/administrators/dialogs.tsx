import { Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { DialogForm, SharedDialogForm } from '../../components/form/dialog-form.tsx';
import { PasswordField } from '../../components/form/password-field.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { useAction } from '../../lib/actions/use-action.ts';
import type { Role } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { administratorsQuery, appsQuery } from '../../lib/data/queries.ts';
import type { Administrator } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { readAdministrator } from './queries.ts';
import { type Reach, ReachFields, RoleFields, reachNames } from './reach-fields.tsx';

interface NewProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function NewAdministratorDialog({ isOpen, onClose }: NewProps) {
  const fields = useFields({ name: '', email: '', role: 'editor' as Role, apps: null as Reach, password: '' });
  const create = useAction({
    run: () => call('createAdministrator', { body: createBody(fields.values) }),
    done: ({ result }) => t('{name} can sign in now.', { name: result.name }),
    refresh: [administratorsQuery.queryKey],
    showsError: true,
    after: onClose,
  });
  return (
    <DialogForm
      isOpen={isOpen}
      onClose={onClose}
      title={t('Add an administrator')}
      form={fields}
      names={['name', 'email', 'role', 'apps', 'apps.', 'password']}
      submit={t('Add')}
      isBusy={create.isPending}
      onSubmit={() => create.mutate(undefined, { onError: fields.setFailure })}
    >
      <TextInput label={t('Name')} autoComplete="off" data-autofocus required {...fields.text('name')} />
      <TextInput label={t('E-mail')} type="email" autoComplete="off" required {...fields.text('email')} />
      <RoleFields fields={fields} />
      <PasswordField
        label={t('First password')}
        description={t('At least 10 characters. Hand it over in person; it can be changed after signing in.')}
        autoComplete="new-password"
        {...fields.text('password')}
      />
    </DialogForm>
  );
}

/** What is said of apps; nothing where the role holds everywhere. */
export function createBody<T extends { readonly role: Role; readonly apps: Reach }>({ apps, ...rest }: T) {
  return { ...rest, ...(apps === null || rest.role === 'owner' ? {} : { apps }) };
}

interface ReachProps {
  readonly target: Administrator | undefined;
  readonly onClose: () => void;
}

/** Where somebody's role applies. */
export function ReachDialog({ target, onClose }: ReachProps) {
  return target ? <OpenReachDialog key={target.adminId} target={target} onClose={onClose} /> : null;
}

function OpenReachDialog({ target, onClose }: { readonly target: Administrator; readonly onClose: () => void }) {
  const { adminId, name, role } = target;
  const { data: apps = [] } = useQuery(appsQuery);
  const nameOf = (appId: string) => apps.find((app) => app.appId === appId)?.name ?? appId;
  const shared = useRecordForm<Administrator, Pick<Administrator, 'apps'>, Administrator>({
    name: `reach:${adminId}`,
    record: target,
    isBrief: true,
    fieldsOf: (admin = target) => ({ apps: admin.apps }),
    bodyOf: ({ apps }) => ({ apps }),
    read: () => readAdministrator(adminId),
    change: async (body, ifMatch) => (await call('changeAdministrator', { params: { adminId }, body, ifMatch })).result,
    done: t('What {name} may do holds there from now on.', { name }),
    refresh: [administratorsQuery.queryKey],
    after: onClose,
    labels: { apps: t('Where it holds') },
    show: { apps: (reach: Reach) => reachNames(reach, nameOf) },
  });
  const { form: fields } = shared;
  return (
    <SharedDialogForm
      shared={shared}
      onClose={onClose}
      title={t('Apps of {name}', { name })}
      about={<Text>{t('It counts from the next thing that {name} does.', { name })}</Text>}
      names={['apps', 'apps.']}
      submit={t('Save')}
    >
      <ReachFields
        value={fields.values.apps}
        role={role}
        error={fields.problemWithin('apps')}
        onChange={(apps) => fields.set('apps', apps)}
      />
    </SharedDialogForm>
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
    done: ({ result }) => t('{name} has a new password.', { name: result.name }),
    showsError: true,
    after: onClose,
  });
  return (
    <DialogForm
      isOpen={target !== undefined}
      onClose={onClose}
      title={t('A new password for {name}', { name: target?.name ?? '' })}
      about={
        <Text>
          {t('{name} is signed out everywhere. Hand the new password over in person.', { name: target?.name })}
        </Text>
      }
      form={fields}
      names={['password']}
      submit={t('Set the password')}
      isBusy={reset.isPending}
      onSubmit={() => target && reset.mutate(target.adminId, { onError: fields.setFailure })}
    >
      <PasswordField
        label={t('New password')}
        description={t('At least 10 characters.')}
        autoComplete="new-password"
        data-autofocus
        {...fields.text('password')}
      />
    </DialogForm>
  );
}
