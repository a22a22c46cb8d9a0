import { Anchor, Button, Group, Text, TextInput } from '@mantine/core';
import { canUsePasskeys } from '../../lib/data/passkeys.ts';
import { Icon } from '../page/icon.tsx';
import type { SignIn } from './use-sign-in.ts';

/** The fields of the second step: a code of the app, or a recovery code. */
export function SecondStep({ signIn }: { readonly signIn: SignIn }) {
  const { fields, proofs = [], isRecovering } = signIn;
  const canSign = proofs.includes('passkey') && canUsePasskeys();
  return (
    <>
      {canSign && <PasskeyButton signIn={signIn} />}
      {isRecovering ? (
        <TextInput
          key="recovery"
          label="Recovery code"
          description="One of the ten that were shown when you set up the second factor. Each works once."
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          autoFocus
          {...fields.text('recoveryCode')}
        />
      ) : (
        <TextInput
          key="code"
          label="Code"
          description="The six digits that your authenticator app shows for Pharos."
          autoComplete="one-time-code"
          inputMode="numeric"
          data-autofocus
          autoFocus
          {...fields.text('code')}
        />
      )}
      <Group gap="lg">
        {proofs.includes('code') && proofs.includes('recoveryCode') && (
          <Anchor component="button" type="button" size="sm" onClick={() => signIn.recover(!isRecovering)}>
            {isRecovering ? 'Use a code of the app' : 'Use a recovery code'}
          </Anchor>
        )}
        <Anchor component="button" type="button" size="sm" onClick={signIn.back}>
          Back
        </Anchor>
      </Group>
      {proofs.length === 0 && (
        <Text size="sm" c="dimmed">
          There are no recovery codes left. An owner can take away your second factor.
        </Text>
      )}
    </>
  );
}

export function PasskeyButton({ signIn }: { readonly signIn: SignIn }) {
  return (
    <Button
      variant="default"
      fullWidth
      leftSection={<Icon name="key" />}
      loading={signIn.isAskingPasskey}
      onClick={signIn.usePasskey}
    >
      Use a passkey
    </Button>
  );
}
