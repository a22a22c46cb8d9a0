import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../lib/words/words.ts';
import { FailureNote } from '../page/blocks.tsx';
import { OfApp } from './of-app.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What is deleted or stopped, by name, and what that means. */
  readonly children: ReactNode;
  readonly confirm: string;
  readonly isBusy: boolean;
  readonly failure: string | undefined;
  readonly onConfirm: () => void;
}

/** Asks for confirmation with one button. What cannot be recreated takes a `DeleteDialog`. */
export function ConfirmDialog({ isOpen, onClose, title, children, confirm, isBusy, failure, onConfirm }: Props) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Stack>
        <OfApp />
        <Text component="div">{children}</Text>
        <FailureNote message={failure} />
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            {t('Cancel')}
          </Button>
          <Button variant="filled" color="red" loading={isBusy} onClick={onConfirm}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
