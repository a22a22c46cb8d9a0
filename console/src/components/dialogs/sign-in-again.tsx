import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { canUsePasskeys } from '../../lib/data/passkeys.ts';
import { sessionQuery } from '../../lib/data/queries.ts';
import { signingIn } from '../../lib/data/signing-in.ts';
import { rich, t } from '../../lib/words/words.ts';
import { DialogForm } from '../form/dialog-form.tsx';
import { PasswordField } from '../form/password-field.tsx';
import { ProviderButtons } from '../sign-in/provider-buttons.tsx';
import { PasskeyButton, SecondStep } from '../sign-in/second-step.tsx';
import { useSignIn } from '../sign-in/use-sign-in.ts';

/** Above all other dialogs: the session may end while one is open. */
const above = 400;

/** Signs the same administrator in again, over the page, so that nothing on it is lost. */
export function SignInAgain({ onSignedOut }: { readonly onSignedOut: () => void }) {
  const isAsked = useSyncExternalStore(signingIn.subscribe, signingIn.isAsked);
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  const queries = useQueryClient();
  const email = session?.email ?? '';
  const signIn = useSignIn(email, ({ result }) => {
    if (result.email !== email) {
      // A passkey of somebody else: nothing of this page is hers.
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, result);
      signingIn.answer(false);
      onSignedOut();
      return;
    }
    queries.setQueryData(sessionQuery.queryKey, result);
    signingIn.answer(true);
    signIn.back();
    // What failed without a session is read again; what is being typed stays.
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  });
  const { fields, proofs } = signIn;
  function close() {
    signingIn.answer(false);
    signIn.back();
    queries.setQueryData(sessionQuery.queryKey, null);
    onSignedOut();
  }
  return (
    <DialogForm
      isOpen={isAsked}
      onClose={close}
      title={t('Sign in again')}
      zIndex={above}
      about={
        <Text size="sm">
          {rich(
            'Your session has ended. This page stays as it is while you sign in as <b>{email}</b>. If you cancel, what you have typed is kept as a draft on this device.',
            { email, b: (inner) => <b>{inner}</b> },
          )}
        </Text>
      }
      form={fields}
      names={['email', 'password', 'code', 'recoveryCode']}
      submit={signIn.submitText}
      isBusy={signIn.isBusy}
      onSubmit={signIn.submit}
    >
      {proofs ? (
        <SecondStep signIn={signIn} />
      ) : (
        <>
          <PasswordField
            label={t('Your password')}
            autoComplete="current-password"
            data-autofocus
            {...fields.text('password')}
          />
          {canUsePasskeys() && <PasskeyButton signIn={signIn} />}
          <ProviderButtons />
        </>
      )}
    </DialogForm>
  );
}
