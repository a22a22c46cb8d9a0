import { Anchor, Button, Group, Text, TextInput } from '@mantine/core';
import { canUsePasskeys } from '../../lib/data/passkeys.ts';
import { t } from '../../lib/words/words.ts';
import { Icon } from '../page/blocks.tsx';
import { type SignIn, type Way, ways } from './use-sign-in.ts';

const others: Readonly<Record<Way, string>> = {
  code: t('Use a code of the app'),
  passkey: t('Use a passkey'),
  recoveryCode: t('Use a recovery code'),
};

/** The second step: a code of the app, a passkey, or a recovery code. */
export function SecondStep({ signIn }: { readonly signIn: SignIn }) {
  const { proofs = [], way } = signIn;
  const alternatives = ways.filter(
    (other) => other !== way && proofs.includes(other) && (other !== 'passkey' || canUsePasskeys()),
  );
  return (
    <>
      <Given signIn={signIn} />
      <Group gap="lg">
        {alternatives.map((other) => (
          <Anchor key={other} component="button" type="button" size="sm" onClick={() => signIn.take(other)}>
            {others[other]}
          </Anchor>
        ))}
        <Anchor component="button" type="button" size="sm" onClick={signIn.back}>
          {t('Back')}
        </Anchor>
      </Group>
      {!proofs.includes('recoveryCode') && (
        <Text c="dimmed">
          {t('You have no recovery codes left. If you cannot go on, an owner can take away your second factor.')}
        </Text>
      )}
    </>
  );
}

function Given({ signIn: { way, fields } }: { readonly signIn: SignIn }) {
  if (way === 'passkey') return <Text>{t('Your browser asks for a finger, a face, a PIN or your security key.')}</Text>;
  if (way === 'recoveryCode')
    return (
      <TextInput
        key="recovery"
        label={t('Recovery code')}
        description={t('One of the ten that were shown when you set up the second factor. Each works once.')}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        autoFocus
        {...fields.text('recoveryCode')}
      />
    );
  return (
    <TextInput
      key="code"
      label={t('Code')}
      description={t('The six digits that your authenticator app shows for Pharos.')}
      autoComplete="one-time-code"
      inputMode="numeric"
      data-autofocus
      autoFocus
      {...fields.text('code')}
    />
  );
}

export function PasskeyButton({ signIn }: { readonly signIn: SignIn }) {
  return (
    <Button fullWidth leftSection={<Icon name="key" />} loading={signIn.isAskingPasskey} onClick={signIn.askPasskey}>
      {t('Use a passkey')}
    </Button>
  );
}
