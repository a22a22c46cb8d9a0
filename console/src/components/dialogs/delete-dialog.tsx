import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { FailureNote } from '../page/failure-note.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What is deleted, and what that means. */
  readonly children: ReactNode;
  /** Has to be typed, to prevent mistakes. */
  readonly name: string;
  readonly isBusy: boolean;
  readonly failure: string | undefined;
  readonly onConfirm: () => void;
}

/** Asks for the name of what is about to be deleted, for deletions that lose much data. */
export function DeleteDialog({ isOpen, onClose, title, children, name, isBusy, failure, onConfirm }: Props) {
  const [typed, setTyped] = useState('');
  function submit(event: FormEvent) {
    event.preventDefault();
    if (typed === name) onConfirm();
  }
  return (
    <Modal opened={isOpen} onClose={onClose} onExitTransitionEnd={() => setTyped('')} title={title}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" component="div">
            {children}
          </Text>
          <TextInput
            label={
              <>
                Type <b className="mono">{name}</b> to continue
              </>
            }
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
          <FailureNote message={failure} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" color="red" disabled={typed !== name} loading={isBusy}>
              Delete permanently
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
