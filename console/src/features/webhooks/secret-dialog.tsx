import { Text } from '@mantine/core';
import { CopyField } from '../../components/code/copy-field.tsx';
import { SecretDialog, SecretShownOnce } from '../../components/dialogs/shown-once.tsx';
import { t } from '../../lib/words/words.ts';

interface Props {
  readonly secret: string | undefined;
  /** An additional sentence about the secret. */
  readonly note?: string;
  readonly onClose: () => void;
}

export function SigningSecretDialog({ secret, note, onClose }: Props) {
  return (
    <SecretDialog isOpen={secret !== undefined} onClose={onClose} title={t('The signing secret')} hasSecret isWide>
      {secret !== undefined && (
        <SecretShownOnce
          warning={t('The secret is shown only now. Put it where your server keeps its settings.')}
          stored={t('I have stored the secret')}
          onClose={onClose}
        >
          <CopyField label={t('Signing secret')} text={secret} />
          <Text>
            {t(
              'With it, your server verifies that a call comes from here and was not changed, as described by Standard Webhooks. There are libraries for most languages. {note}',
              { note },
            )}
          </Text>
        </SecretShownOnce>
      )}
    </SecretDialog>
  );
}
