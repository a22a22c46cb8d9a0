import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Form } from '../../components/form/form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { FailureNote, Icon } from '../../components/page/blocks.tsx';
import { PageLoading } from '../../frame/page-states.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { roleTexts } from '../../lib/data/access.ts';
import { call } from '../../lib/data/api.ts';
import { canUsePasskeys, createPasskey } from '../../lib/data/passkeys.ts';
import { sessionQuery } from '../../lib/data/queries.ts';
import { inSentence, rich, t } from '../../lib/words/words.ts';
import { Front } from './front.tsx';
import { NewPasswordInput } from './new-password-input.tsx';

type Opened = Awaited<ReturnType<typeof openLink>>;

const openLink = async (token: string) => (await call('openLink', { body: { token } })).result;

/** Behind a one-time link (its token is after the #): an invitation, or a new password. */
export function LinkPage() {
  const token = useLocation({ select: ({ hash }) => hash });
  const { data, error, isPending } = useQuery({
    queryKey: ['link', token],
    queryFn: () => openLink(token),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (isPending) return <PageLoading />;
  if (error)
    return (
      <Front title={t('This link does not work')} about={error.message}>
        <Button component={Link} to="/sign-in" fullWidth>
          {t('Go to signing in')}
        </Button>
      </Front>
    );
  return data.kind === 'invitation' ? (
    <Join token={token} invitation={data} />
  ) : (
    <NewPassword token={token} email={data.email} />
  );
}

function Join({ token, invitation }: { readonly token: string; readonly invitation: Opened }) {
  const fields = useFields({ name: '', password: '' });
  const queries = useQueryClient();
  const navigate = useNavigate();
  const after = async ({ result }: Awaited<ReturnType<typeof join>>) => {
    // Somebody else may have been signed in here.
    queries.clear();
    queries.setQueryData(sessionQuery.queryKey, result);
    await navigate({ to: '/apps', replace: true });
  };
  const { name, password } = fields.values;
  const join = (proof: object) => call('acceptInvitation', { body: { token, name, ...proof } });
  const withPassword = useAction({ run: () => join({ password }), showsError: true, after });
  const withPasskey = useAction({
    run: async () => {
      const { result } = await call('startInvitedPasskey', { body: { token } });
      return join({ passkey: await createPasskey(result) });
    },
    showsError: true,
    after,
  });
  const onError = fields.setFailure;
  function askPasskey() {
    // The browser's dialog comes first; a missing name would be told only after it.
    if (name.trim() === '') fields.setProblems([{ field: 'name', problem: t('is needed first') }]);
    else withPasskey.mutate(undefined, { onError });
  }
  const { label, sentence } = roleTexts[invitation.role];
  return (
    <Front
      title={t('Welcome to Pharos')}
      about={rich('You are invited as <b>{role}</b>. {sentence}', {
        role: inSentence(label),
        sentence,
      })}
    >
      <Form onSubmit={() => withPassword.mutate(undefined, { onError })}>
        <Stack>
          <FailureNote message={fields.rest(['name', 'password'])} />
          <TextInput label={t('E-mail')} autoComplete="username" readOnly value={invitation.email} />
          <TextInput label={t('Your name')} autoComplete="name" autoFocus required {...fields.text('name')} />
          <NewPasswordInput {...fields.text('password')} />
          <Button variant="filled" type="submit" loading={withPassword.isPending} fullWidth mt="xs">
            {t('Create the account')}
          </Button>
          {canUsePasskeys() && (
            <>
              <Text c="dimmed" ta="center">
                {t('or without a password')}
              </Text>
              <Button fullWidth leftSection={<Icon name="key" />} loading={withPasskey.isPending} onClick={askPasskey}>
                {t('Use a passkey')}
              </Button>
            </>
          )}
        </Stack>
      </Form>
    </Front>
  );
}

function NewPassword({ token, email }: { readonly token: string; readonly email: string }) {
  const fields = useFields({ password: '' });
  const queries = useQueryClient();
  const [isDone, setDone] = useState(false);
  const set = useAction({
    run: () => call('setPasswordByLink', { body: { token, ...fields.values } }),
    showsError: true,
    after: () => {
      // Every session has ended, also one in this browser.
      queries.removeQueries({ queryKey: sessionQuery.queryKey });
      setDone(true);
    },
  });
  if (isDone)
    return (
      <Front
        title={t('Your new password is set')}
        about={t('You are signed out everywhere. Sign in with the new password.')}
      >
        <Button variant="filled" component={Link} to="/sign-in" fullWidth>
          {t('Sign in')}
        </Button>
      </Front>
    );
  return (
    <Front title={t('Choose a new password')} about={t('For {email}.', { email })}>
      <Form onSubmit={() => set.mutate(undefined, { onError: fields.setFailure })}>
        <Stack>
          <FailureNote message={fields.rest(['password'])} />
          {/* For password managers, which store the password under this name. */}
          <input
            className="off-screen"
            type="text"
            autoComplete="username"
            readOnly
            tabIndex={-1}
            value={email}
            aria-hidden
          />
          <NewPasswordInput label={t('New password')} autoFocus {...fields.text('password')} />
          <Button variant="filled" type="submit" loading={set.isPending} fullWidth mt="xs">
            {t('Set the password')}
          </Button>
        </Stack>
      </Form>
    </Front>
  );
}
