import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Icon } from '../page/blocks.tsx';

interface SecretProps {
  /** What to do with it now. */
  readonly warning: string;
  /** On the button that closes it. */
  readonly stored: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A secret that cannot be read again. */
export function SecretShownOnce({ warning, stored, onClose, children }: SecretProps) {
  return (
    <Stack>
      <Alert color="yellow" icon={<Icon name="warning" />}>
        {warning}
      </Alert>
      {children}
      <Group justify="flex-end">
        <Button variant="filled" onClick={onClose} data-autofocus>
          {stored}
        </Button>
      </Group>
    </Stack>
  );
}

interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onClosed?: () => void;
  readonly title: string;
  /** A secret is on screen: only its own button closes the dialog. */
  readonly hasSecret: boolean;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** A dialog that shows a secret, perhaps after a first step. */
export function SecretDialog({ isOpen, onClose, onClosed, title, hasSecret, isWide = false, children }: DialogProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      {...(onClosed ? { onExitTransitionEnd: onClosed } : {})}
      title={title}
      size={isWide ? 'lg' : 'md'}
      closeOnClickOutside={!hasSecret}
      closeOnEscape={!hasSecret}
      withCloseButton={!hasSecret}
    >
      {children}
    </Modal>
  );
}
