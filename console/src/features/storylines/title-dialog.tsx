import { TextInput } from '@mantine/core';
import type { Storyline } from '@pharos/sdk';
import { DialogForm } from '../../components/form/dialog-form.tsx';
import { useFields } from '../../components/form/use-fields.ts';
import { useAction } from '../../lib/actions/use-action.ts';
import { dataOf } from '../../lib/data/api.ts';
import { storylineKeys } from './queries.ts';

interface Props {
  readonly appId: string;
  /** The storyline to rename; without it, a new one is created. */
  readonly storyline?: Storyline;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: (storylineId: string) => void;
}

/** Creates or renames a storyline. */
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
  return (
    <DialogForm
      isOpen={isOpen}
      onClose={onClose}
      title={storyline ? 'Rename the storyline' : 'Add a storyline'}
      form={fields}
      names={['title']}
      submit={storyline ? 'Rename' : 'Add'}
      isBusy={save.isPending}
      onSubmit={() => save.mutate(undefined, { onError: fields.setFailure })}
    >
      <TextInput
        label="Title"
        description="For example: A morning in the museum. You add scenarios next."
        required
        data-autofocus
        {...fields.text('title')}
      />
    </DialogForm>
  );
}
