import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffectEvent, useLayoutEffect, useState } from 'react';
import { canUsePasskeys } from '../../lib/data/passkeys.ts';
import { presentSession, sessionQuery, waysQuery } from '../../lib/data/queries.ts';
import { onSignedIn, signingIn } from '../../lib/data/signing-in.ts';
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

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onSignedOut: () => void;
}

/** Signs the same administrator in again, over the page, so that nothing on it is lost. */
export function SignInAgain({ isOpen: isAsked, onClose, onSignedOut }: Props) {
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
  const { present, setPresent, look } = usePresent(isAsked, take);
  const signIn = useSignIn(email, ({ result }) => {
    setPresent(result);
    take(result);
  });
  const other = present && present.adminId !== adminId ? present : undefined;
  const isShown = isAsked && present !== undefined;
  const { fields, proofs } = signIn;
  function close() {
    onClose();
    signIn.back();
    // The page stays: it can be read, and does nothing in the other's name.
    if (other) return;
    // Whoever signs in here next does not see what this person saw.
    queries.clear();
    queries.setQueryData(sessionQuery.queryKey, null);
    onSignedOut();
  }
  /** Only for the one whom the dialog names: by now it may be a third, whom it names then. */
  async function goOn() {
    const now = await look();
    if (now && now.adminId === other?.adminId) loadAnew();
  }
  const title = other ? t('Somebody else has signed in') : t('Sign in again');
  const about = other ? (
    <OfAnother email={email} other={other} onContinue={() => void goOn()} />
  ) : (
    <Ended email={email} />
  );
  // Passwords are refused: there is only the organisation.
  if (ways?.only)
    return (
      <Modal opened={isShown} onClose={close} title={title} zIndex={above}>
        <Stack>
          {about}
          <ProviderButtons isAgain isMain />
          <Group justify="flex-end">
            <Button onClick={close}>{t('Cancel')}</Button>
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
 * Who is signed in in this browser while the dialog is open: null for nobody, undefined until that is known. It looks again when another page
 * tells that somebody has signed in there, and when somebody comes back to this one, and calls `take` with whoever it is.
 */
function usePresent(isAsked: boolean, take: (session: Session) => void) {
  const [present, setPresent] = useState<Session | null>();
  const look = async () => {
    const now = await presentSession().catch(() => null);
    if (!signingIn.isAsked()) return undefined;
    setPresent(now);
    if (now) take(now);
    return now;
  };
  const lookAgain = useEffectEvent(() => void look());
  // Before it is shown: what was known when the dialog was open the last time is no longer so.
  useLayoutEffect(() => {
    if (!isAsked) return;
    setPresent(undefined);
    const again = () => lookAgain();
    again();
    addEventListener('focus', again);
    const stops = [onReturn(again), onSignedIn(again)];
    return () => {
      removeEventListener('focus', again);
      for (const stop of stops) stop();
    };
  }, [isAsked]);
  return { present, setPresent, look };
}

function Ended({ email }: { readonly email: string }) {
  return (
    <Text>
      {rich(
        'Your session has ended. This page stays as it is while you sign in as <b>{email}</b>. If you cancel, what you have typed is kept as a draft on this device.',
        { email },
      )}
    </Text>
  );
}

interface OfAnotherProps {
  readonly email: string;
  readonly other: Session;
  readonly onContinue: () => void;
}

function OfAnother({ email, other, onContinue }: OfAnotherProps) {
  return (
    <>
      <Text>
        {rich(
          'This page belongs to <b>{email}</b>, but <b>{other}</b> has signed in in this browser since. Nothing was done in the name of {name}.',
          { email, other: other.email, name: other.name },
        )}
      </Text>
      <Button onClick={onContinue}>{t('Continue as {name}', { name: other.name })}</Button>
      <Text c="dimmed">
        {rich(
          'The page is loaded anew for {name}, and what was typed is kept as a draft of <b>{email}</b> on this device. Or sign in as <b>{email}</b> to go on here; {name} is then signed out in this browser.',
          { name: other.name, email },
        )}
      </Text>
    </>
  );
}
