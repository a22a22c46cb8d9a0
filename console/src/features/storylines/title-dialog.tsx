import { TextInput } from '@mantine/core';
import type { Body, Storyline } from '@pharos/sdk';
import { ConflictDialog } from '../../components/form/conflict-dialog.tsx';
import { DialogForm } from '../../components/form/dialog-form.tsx';
import { type SavedRecord, useRecordForm } from '../../components/form/use-record-form.ts';
import { dataOf } from '../../lib/data/api.ts';
import { t } from '../../lib/words/words.ts';
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
  const { storylines } = dataOf(appId);
  const id = storyline?.objectId ?? '';
  const shared = useRecordForm<Storyline, { readonly title: string }, SavedRecord>({
    name: `storyline ${id || `new ${appId}`}`,
    record: storyline,
    fieldsOf: (stored) => ({ title: stored?.title ?? '' }),
    bodyOf: ({ title }) => ({ title: title.trim() }),
    read: () => storylines.get(id),
    change: (members, ifMatch) => storylines.update(id, members, { ifMatch }),
    create: (body, again) => storylines.create({ isEnabled: true, ...body } as Body<'createStoryline'>, again),
    refresh: storylineKeys(appId),
    after: (saved) => onDone(saved?.objectId ?? id),
    labels: { title: t('Title') },
  });
  const { form: fields, submit, isBusy } = shared;
  return (
    <DialogForm
      isOpen={isOpen}
      onClose={onClose}
      title={storyline ? t('Rename the storyline') : t('Add a storyline')}
      form={fields}
      names={['title']}
      submit={storyline ? t('Rename') : t('Add')}
      isBusy={isBusy}
      onSubmit={submit}
      about={<ConflictDialog {...shared} />}
    >
      <TextInput
        label={t('Title')}
        description={
          storyline
            ? t('Visitors read it where a scenario has no title of its own.')
            : t(
                'For example: A morning in the museum. Visitors read it where a scenario has no title of its own. You add scenarios next.',
              )
        }
        required
        data-autofocus
        {...fields.text('title')}
      />
    </DialogForm>
  );
}
