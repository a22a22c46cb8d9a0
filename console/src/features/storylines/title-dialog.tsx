import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import type { Storyline } from '@pharos/sdk';
import type { FormEvent } from 'react';
import { useFields } from '../../components/form/use-fields.ts';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { dataOf } from '../../lib/data/api.ts';
import { storylineKeys } from './queries.ts';

interface Props {
  readonly appId: string;
  /** The one to rename; without it a new one is made. */
  readonly storyline?: Storyline;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: (storylineId: string) => void;
}

/** Asks for the title of a storyline, which is all that it has of its own. */
export function TitleDialog({ appId, storyline, isOpen, onClose, onDone }: Props) {
  const fields = useFields({ title: storyline?.title ?? '' });
  const save = useAction({
    run: async () => {
      const { storylines } = dataOf(appId);
      const title = fields.values.title.trim();
      if (!storyline) return (await storylines.create({ title, isEnabled: true })).objectId;
      await storylines.update(storyline.objectId, { title });
      return storyline.objectId;
    },
    refresh: storylineKeys(appId),
    showsError: true,
    after: (storylineId) => onDone(storylineId),
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    save.mutate(undefined, { onError: fields.setFailure });
  }
  return (
    <Modal opened={isOpen} onClose={onClose} title={storyline ? 'Rename the storyline' : 'Add a storyline'}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <FailureNote message={fields.rest(['title'])} />
          <TextInput
            label="Title"
            description="Such as: A morning in the museum. Its scenarios come next."
            required
            data-autofocus
            {...fields.text('title')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              {storyline ? 'Rename' : 'Add'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
