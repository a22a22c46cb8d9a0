import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { rich, t } from '../../lib/words/words.ts';
import { Form } from '../form/form.tsx';
import { FailureNote } from '../page/blocks.tsx';
import { OfApp } from './confirm-dialog.tsx';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** What is deleted, and what that means. */
  readonly children: ReactNode;
  /** Has to be typed, to prevent mistakes. */
  readonly name: string;
  /** On the button, unless it deletes. */
  readonly confirm?: string;
  readonly isBusy: boolean;
  readonly failure: string | undefined;
  readonly onConfirm: () => void;
}

export function DeleteDialog(props: Props) {
  const { isOpen, onClose, title, children, name, isBusy, failure, onConfirm } = props;
  const { confirm = t('Delete permanently') } = props;
  const [typed, setTyped] = useState('');
  function submit() {
    if (typed === name) onConfirm();
  }
  return (
    <Modal opened={isOpen} onClose={onClose} onExitTransitionEnd={() => setTyped('')} title={title}>
      <Form onSubmit={submit}>
        <Stack>
          <OfApp />
          <Text component="div">{children}</Text>
          <TextInput
            label={rich('Type {name} to continue', { name: <b className="mono">{name}</b> })}
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
            data-autofocus
          />
          <FailureNote message={failure} />
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('Cancel')}</Button>
            <Button variant="filled" type="submit" color="red" disabled={typed !== name} loading={isBusy}>
              {confirm}
            </Button>
          </Group>
        </Stack>
      </Form>
    </Modal>
  );
}
