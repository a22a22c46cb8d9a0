import { Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { PasskeyButton, SecondStep } from '../../components/sign-in/second-step.tsx';
import { useSignIn } from '../../components/sign-in/use-sign-in.ts';
import { canUsePasskeys } from '../../lib/data/passkeys.ts';
import { sessionQuery } from '../../lib/data/queries.ts';
import { Front } from './front.tsx';

export function SignInPage() {
  const queries = useQueryClient();
  const router = useRouter();
  const signIn = useSignIn(undefined, async ({ result }) => {
    queries.setQueryData(sessionQuery.queryKey, result);
    // The guard of the route then redirects to the requested page.
    await router.invalidate();
  });
  const { fields, proofs } = signIn;
  function submit(event: FormEvent) {
    event.preventDefault();
    signIn.submit();
  }
  return (
    <Front
      title={proofs ? 'Second step' : 'Sign in'}
      about={proofs ? 'Your account is protected with a second factor.' : 'To the management console.'}
    >
      <form onSubmit={submit}>
        <Stack>
          <FailureNote message={fields.rest(['email', 'password', 'code', 'recoveryCode'])} />
          {proofs ? (
            <SecondStep signIn={signIn} />
          ) : (
            <>
              <TextInput
                label="E-mail"
                type="email"
                autoComplete="username"
                autoFocus
                required
                {...fields.text('email')}
              />
              <PasswordInput
                label="Password"
                autoComplete="current-password"
                required
                visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
                {...fields.text('password')}
              />
            </>
          )}
          <Button type="submit" loading={signIn.isBusy} fullWidth mt="xs">
            Sign in
          </Button>
          {!proofs && canUsePasskeys() && <PasskeyButton signIn={signIn} />}
          {!proofs && (
            <Anchor component={Link} to="/forgotten" size="sm">
              Forgot your password?
            </Anchor>
          )}
        </Stack>
      </form>
    </Front>
  );
}
