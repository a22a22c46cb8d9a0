import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { CopyField } from '../../components/code/copy-field.tsx';
import { Icon } from '../../components/page/icon.tsx';

interface Props {
  readonly secret: string | undefined;
  /** What else there is to know about it. */
  readonly note?: string;
  readonly onClose: () => void;
}

/** The signing secret, the one time that it can be seen. It is closed by its button only. */
export function SecretDialog({ secret, note, onClose }: Props) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={onClose}
      title="The signing secret"
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      {secret !== undefined && (
        <Stack>
          <Alert color="yellow" variant="light" icon={<Icon name="warning" />}>
            The secret is shown only now. Put it where your server keeps its settings.
          </Alert>
          <CopyField label="Signing secret" text={secret} />
          <Text size="sm">
            Your server checks with it that a call comes from here and was not changed, as Standard Webhooks says; there
            are libraries for it in most languages. {note}
          </Text>
          <Group justify="flex-end">
            <Button onClick={onClose} data-autofocus>
              I have stored the secret
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
