import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffectEvent, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { canUsePasskeys } from '../../lib/data/passkeys.ts';
import { presentSession, sessionQuery, waysQuery } from '../../lib/data/queries.ts';
import { signingIn } from '../../lib/data/signing-in.ts';
import { loadAnew, onReturn } from '../../lib/data/single-sign-on.ts';
import type { Session } from '../../lib/wire.ts';
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
  const { data: ways } = useQuery({ ...waysQuery, enabled: isAsked });
  const queries = useQueryClient();
  const { email = '', adminId } = session ?? {};
  function take(result: Session) {
    // Another administrator's, such as after another passkey: the dialog stays, and says so.
    if (result.adminId !== adminId) return;
    signIn.back();
    queries.setQueryData(sessionQuery.queryKey, result);
    signingIn.answer(true);
    // What failed without a session is read again; what is being typed stays.
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionQuery.queryKey[0] });
  }
  const [present, setPresent] = usePresent(isAsked, take);
  const signIn = useSignIn(email, ({ result }) => {
    setPresent(result);
    take(result);
  });
  const other = present && present.adminId !== adminId ? present : undefined;
  const isShown = isAsked && present !== undefined;
  const { fields, proofs } = signIn;
  function close() {
    signingIn.answer(false);
    signIn.back();
    // The page stays: it can be read, and does nothing in the other's name.
    if (other) return;
    queries.setQueryData(sessionQuery.queryKey, null);
    onSignedOut();
  }
  const title = other ? t('Somebody else has signed in') : t('Sign in again');
  const about = other ? <OfAnother email={email} other={other} /> : <Ended email={email} />;
  // Passwords are refused: there is only the organisation.
  if (ways?.only)
    return (
      <Modal opened={isShown} onClose={close} title={title} zIndex={above}>
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
      isOpen={isShown}
      onClose={close}
      title={title}
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
            label={other ? t('Password of {email}', { email }) : t('Your password')}
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

/**
 * The administrator who is signed in in this browser while the dialog is open: null for none, undefined until that is known. Calls `take`
 * when somebody signs in, also in another tab.
 */
function usePresent(isAsked: boolean, take: (session: Session) => void) {
  const [present, setPresent] = useState<Session | null>();
  const look = useEffectEvent(async () => {
    const now = await presentSession().catch(() => null);
    if (!signingIn.isAsked()) return;
    setPresent(now);
    if (now) take(now);
  });
  // Before it is shown: what was known when the dialog was last open may be outdated.
  useLayoutEffect(() => {
    if (!isAsked) return;
    setPresent(undefined);
    const again = () => void look();
    again();
    addEventListener('focus', again);
    const stop = onReturn(again);
    return () => {
      removeEventListener('focus', again);
      stop();
    };
  }, [isAsked]);
  return [present, setPresent] as const;
}

function Ended({ email }: { readonly email: string }) {
  return (
    <Text size="sm">
      {rich(
        'Your session has ended. This page stays as it is while you sign in as <b>{email}</b>. If you cancel, what you have typed is kept as a draft on this device.',
        { email, b: (inner) => <b>{inner}</b> },
      )}
    </Text>
  );
}

function OfAnother({ email, other }: { readonly email: string; readonly other: Session }) {
  return (
    <>
      <Text size="sm">
        {rich(
          'This page belongs to <b>{email}</b>, but <b>{other}</b> has signed in in this browser since. Nothing was done in the name of {name}.',
          { email, other: other.email, name: other.name, b: (inner) => <b>{inner}</b> },
        )}
      </Text>
      <Button variant="default" onClick={loadAnew}>
        {t('Continue as {name}', { name: other.name })}
      </Button>
      <Text size="sm" c="dimmed">
        {rich(
          'The page is loaded anew for {name}, and what was typed is kept as a draft of <b>{email}</b> on this device. Or sign in as <b>{email}</b> to go on here; {name} is then signed out in this browser.',
          { name: other.name, email, b: (inner) => <b>{inner}</b> },
        )}
      </Text>
    </>
  );
}
