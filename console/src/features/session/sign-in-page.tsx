import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { Form } from '../../components/form/form.tsx';
import { FailureNote } from '../../components/page/blocks.tsx';
import { ProviderButtons } from '../../components/sign-in/provider-buttons.tsx';
import { PasskeyButton, SecondStep } from '../../components/sign-in/second-step.tsx';
import { type SignIn, useSignIn } from '../../components/sign-in/use-sign-in.ts';
import { PageLoading } from '../../frame/page-states.tsx';
import { canUsePasskeys } from '../../lib/data/passkeys.ts';
import { sessionQuery, waysQuery } from '../../lib/data/queries.ts';
import { problemText } from '../../lib/data/single-sign-on.ts';
import { rich, t } from '../../lib/words/words.ts';
import { Front } from './front.tsx';

const route = getRouteApi('/sign-in');
/** The fields that show their own problems. */
const shown = ['email', 'password', 'code', 'recoveryCode'];

export function SignInPage() {
  const queries = useQueryClient();
  const router = useRouter();
  const signIn = useSignIn(undefined, async ({ result }) => {
    queries.setQueryData(sessionQuery.queryKey, result);
    // The guard of the route then redirects to the requested page.
    await router.invalidate();
  });
  const { fields, proofs } = signIn;
  const { problem, next } = route.useSearch();
  const { data: ways } = useQuery(waysQuery);
  const [isLocal, setLocal] = useState(false);
  if (!ways) return <PageLoading />;
  const isOnly = ways.only && !isLocal;
  const notes = <FailureNote message={fields.rest(shown) ?? problemText(problem)} />;
  const providers = <ProviderButtons next={next ?? '/apps'} isMain={isOnly} />;
  if (isOnly)
    return (
      <Front title={t('Sign in')} about={t('To the management console, with the account of your organisation.')}>
        <Stack>
          {notes}
          {providers}
          <Anchor component="button" type="button" size="sm" onClick={() => setLocal(true)}>
            {t('Sign in as an owner without your organisation')}
          </Anchor>
        </Stack>
      </Front>
    );
  return (
    <Front
      title={proofs ? t('Second step') : t('Sign in')}
      about={proofs ? t('Your account is protected with a second factor.') : t('To the management console.')}
    >
      <Form onSubmit={signIn.submit} noValidate={false}>
        <Stack>
          {notes}
          {proofs ? <SecondStep signIn={signIn} /> : <NameAndPassword fields={fields} />}
          {ways.only && (
            <Text c="dimmed">
              {rich('Only after {code} on the command line.', {
                code: <span className="mono">pharos admin link</span>,
              })}
            </Text>
          )}
          <Button variant="filled" type="submit" loading={signIn.isBusy} fullWidth mt="xs">
            {signIn.submitText}
          </Button>
          {!proofs && canUsePasskeys() && <PasskeyButton signIn={signIn} />}
          {!proofs && providers}
          {!proofs && (
            <Anchor component={Link} to="/forgotten" size="sm">
              {t('Forgot your password?')}
            </Anchor>
          )}
        </Stack>
      </Form>
    </Front>
  );
}

function NameAndPassword({ fields }: { readonly fields: SignIn['fields'] }) {
  return (
    <>
      <TextInput
        label={t('E-mail')}
        type="email"
        autoComplete="username"
        autoFocus
        required
        {...fields.text('email')}
      />
      <PasswordInput
        label={t('Password')}
        autoComplete="current-password"
        required
        visibilityToggleButtonProps={{ 'aria-label': t('Show the password') }}
        {...fields.text('password')}
      />
    </>
  );
}
