import { Alert, Button, Group, Modal, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useFields } from '../../components/form/use-fields.ts';
import { FailureNote } from '../../components/page/failure-note.tsx';
import names from '../../components/page/names.module.css';
import { useAction } from '../../lib/actions/use-action.ts';
import { dataOf } from '../../lib/data/api.ts';
import { type Installation, tokenState } from '../../lib/text/installation-words.ts';
import { installationKeys } from './queries.ts';

interface Props {
  readonly appId: string;
  readonly installation: Installation;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const fields = ['data.title', 'data.alert'] as const;

/** A push to this one installation alone. */
export function TestMessage({ appId, installation, isOpen, onClose }: Props) {
  const form = useFields({ 'data.title': 'A test', 'data.alert': 'This message is a test.' });
  const send = useAction({
    run: () => {
      const { 'data.title': title, 'data.alert': alert } = form.values;
      const body = { data: { title, alert }, where: { objectId: installation.objectId } };
      return dataOf(appId).call('sendPush', { body });
    },
    done: 'The message is on its way.',
    refresh: installationKeys(appId),
    showsError: true,
    after: onClose,
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    form.setFailure(null);
    if (form.values['data.title'].trim() === '' && form.values['data.alert'].trim() === '') {
      form.setProblems([{ field: 'data.alert', problem: 'write something to send' }]);
      return;
    }
    send.mutate(undefined, { onError: form.setFailure });
  }
  const isUnreachable = tokenState(installation) !== 'live';
  return (
    <Modal opened={isOpen} onClose={onClose} title="Send a test message">
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">It goes to this installation alone.</Text>
          {isUnreachable && (
            <Alert color="yellow" variant="light">
              It has no push address that works, so that the message will not arrive. Its delivery says so too.
            </Alert>
          )}
          <TextInput label="Title" maxLength={200} {...form.text('data.title')} />
          <Textarea label="Text" autosize minRows={2} {...form.text('data.alert')} data-autofocus />
          <FailureNote message={form.rest([...fields])} />
          <Group justify="space-between">
            <Link
              to="/apps/$appId/activity/deliveries"
              params={{ appId }}
              search={{ visitor: installation.objectId }}
              className={names.link}
            >
              Its deliveries
            </Link>
            <Group gap="xs">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={send.isPending}>
                Send
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
