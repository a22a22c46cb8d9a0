import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useFields } from '../../components/form/use-fields.ts';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { call } from '../../lib/data/api.ts';
import { sessionQuery } from '../../lib/data/queries.ts';
import { Front } from './front.tsx';

export function SignInPage() {
  const fields = useFields({ email: '', password: '' });
  const queries = useQueryClient();
  const router = useRouter();
  const signIn = useAction({
    run: () => call('signInToConsole', { body: fields.values }),
    showsError: true,
    after: async ({ result }) => {
      queries.setQueryData(sessionQuery.queryKey, result);
      // The guard of the route then redirects to the requested page.
      await router.invalidate();
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    signIn.mutate(undefined, { onError: fields.setFailure, onSuccess: () => fields.setFailure(null) });
  }
  return (
    <Front title="Sign in" about="To the management console.">
      <form onSubmit={submit}>
        <Stack>
          <FailureNote message={fields.rest(['email', 'password'])} />
          <TextInput label="E-mail" type="email" autoComplete="username" autoFocus required {...fields.text('email')} />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
            {...fields.text('password')}
          />
          <Button type="submit" loading={signIn.isPending} fullWidth mt="xs">
            Sign in
          </Button>
        </Stack>
      </form>
    </Front>
  );
}
