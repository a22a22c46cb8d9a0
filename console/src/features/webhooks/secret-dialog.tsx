import { Text } from '@mantine/core';
import { CopyField } from '../../components/code/copy-field.tsx';
import { SecretDialog, SecretShownOnce } from '../../components/dialogs/shown-once.tsx';

interface Props {
  readonly secret: string | undefined;
  /** An additional sentence about the secret. */
  readonly note?: string;
  readonly onClose: () => void;
}

/** Shows a signing secret once. */
export function SigningSecretDialog({ secret, note, onClose }: Props) {
  return (
    <SecretDialog isOpen={secret !== undefined} onClose={onClose} title="The signing secret" hasSecret isWide>
      {secret !== undefined && (
        <SecretShownOnce
          warning="The secret is shown only now. Put it where your server keeps its settings."
          stored="I have stored the secret"
          onClose={onClose}
        >
          <CopyField label="Signing secret" text={secret} />
          <Text size="sm">
            With it, your server verifies that a call comes from here and was not changed, as described by Standard
            Webhooks. There are libraries for most languages. {note}
          </Text>
        </SecretShownOnce>
      )}
    </SecretDialog>
  );
}
