import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react';
import { call } from '../../lib/data/api.ts';
import { canUsePasskeys } from '../../lib/data/passkeys.ts';
import { sessionQuery, waysQuery } from '../../lib/data/queries.ts';
import { signingIn } from '../../lib/data/signing-in.ts';
import { onReturn } from '../../lib/data/single-sign-on.ts';
import type { Session } from '../../lib/wire.ts';
import { rich, t } from '../../lib/words/words.ts';
import { DialogForm } from '../form/dialog-form.tsx';
import { PasswordField } from '../form/password-field.tsx';
import { ProviderButtons } from '../sign-in/provider-buttons.tsx';
import { PasskeyButton, SecondStep } from '../sign-in/second-step.tsx';
import { useSignIn } from '../sign-in/use-sign-in.ts';
import { useSamePerson } from './use-same-person.ts';

/** Above all other dialogs: the session may end while one is open. */
const above = 400;

/** Signs the same administrator in again, over the page, so that nothing on it is lost. */
export function SignInAgain({ onSignedOut }: { readonly onSignedOut: () => void }) {
  const isAsked = useSyncExternalStore(signingIn.subscribe, signingIn.isAsked);
  const { data: session } = useQuery({ ...sessionQuery, enabled: false });
  const queries = useQueryClient();
  const email = session?.email ?? '';
  const isSamePerson = useSamePerson();
  function take(result: Session) {
    if (!isSamePerson(result)) {
      signingIn.answer(false);
      onSignedOut();
      return;
    }
    signingIn.answer(true);
    signIn.back();
    // What failed without a session is read again; what is being typed stays.
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  }
  const signIn = useSignIn(email, ({ result }) => take(result));
  const look = useEffectEvent(async () => {
    const now = await call('getSession').catch(() => undefined);
    if (now) take(now.result);
  });
  useEffect(() => (isAsked ? onReturn(() => void look()) : undefined), [isAsked]);
  const { fields, proofs } = signIn;
  const { data: ways } = useQuery({ ...waysQuery, enabled: isAsked });
  function close() {
    signingIn.answer(false);
    signIn.back();
    queries.setQueryData(sessionQuery.queryKey, null);
    onSignedOut();
  }
  const about = (
    <Text size="sm">
      {rich(
        'Your session has ended. This page stays as it is while you sign in as <b>{email}</b>. If you cancel, what you have typed is kept as a draft on this device.',
        { email, b: (inner) => <b>{inner}</b> },
      )}
    </Text>
  );
  // Passwords are refused: there is only the organisation.
  if (ways?.only)
    return (
      <Modal opened={isAsked} onClose={close} title={t('Sign in again')} zIndex={above}>
        <Stack>
          {about}
          <ProviderButtons isAgain isMain />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('Cancel')}
            </Button>
          </Group>
        </Stack>
      </Modal>
    );
  return (
    <DialogForm
      isOpen={isAsked}
      onClose={close}
      title={t('Sign in again')}
      zIndex={above}
      about={about}
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
          <ProviderButtons isAgain />
        </>
      )}
    </DialogForm>
  );
}
