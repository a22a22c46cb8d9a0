import { Button, Stack, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { Form } from '../../components/form/form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { FailureNote } from '../../components/page/blocks.tsx';
import { PageLoading } from '../../frame/page-states.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { sessionQuery, setupQuery } from '../../lib/data/queries.ts';
import { rich, t } from '../../lib/words/words.ts';
import { Front } from './front.tsx';
import { NewPasswordInput } from './new-password-input.tsx';

/** Creates the first administrator, with the token from the one-time link (after the #). */
export function SetUpPage() {
  const { data: setup, isPending } = useQuery(setupQuery);
  // From the router, so that a link that is pasted while this page is open works too.
  const token = useLocation({ select: ({ hash }) => hash });
  if (isPending) return <PageLoading />;
  if (setup && !setup.needed)
    return (
      <Front
        title={t('Already set up')}
        about={t('This service already has an administrator. The set-up link was used.')}
      >
        <Button variant="filled" component={Link} to="/sign-in" fullWidth>
          {t('Sign in')}
        </Button>
      </Front>
    );
  if (token === '')
    return (
      <Front
        title={t('Welcome to Pharos')}
        about={rich(
          'To begin, open the set-up link that the service printed when it first started. It looks like {code} and works once. If it is lost, create an administrator on the command line: {code2}',
          {
            code: <span className="mono">/console/setup#…</span>,
            code2: <span className="mono">npx pharos admin create</span>,
          },
        )}
      />
    );
  return <SetUpForm token={token} />;
}

function SetUpForm({ token }: { readonly token: string }) {
  const fields = useFields({ name: '', email: '', password: '' });
  const queries = useQueryClient();
  const navigate = useNavigate();
  const setUp = useAction({
    run: () => call('setUp', { body: { token, ...fields.values } }),
    showsError: true,
    after: async ({ result }) => {
      queries.setQueryData(sessionQuery.queryKey, result);
      await navigate({ to: '/apps', replace: true });
      await queries.invalidateQueries({ queryKey: setupQuery.queryKey });
    },
  });
  return (
    <Front title={t('Welcome to Pharos')} about={t('Create the first account, which owns this service.')}>
      <Form onSubmit={() => setUp.mutate(undefined, { onError: fields.setFailure })}>
        <Stack>
          <FailureNote message={fields.rest(['name', 'email', 'password'])} />
          <TextInput label={t('Your name')} autoComplete="name" autoFocus required {...fields.text('name')} />
          <TextInput label={t('E-mail')} type="email" autoComplete="username" required {...fields.text('email')} />
          <NewPasswordInput {...fields.text('password')} />
          <Button variant="filled" type="submit" loading={setUp.isPending} fullWidth mt="xs">
            {t('Create the account')}
          </Button>
        </Stack>
      </Form>
    </Front>
  );
}
