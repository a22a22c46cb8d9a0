import { Button, Group, Text } from '@mantine/core';
import { t } from '../../lib/words/words.ts';
import { FailureNote } from '../page/failure-note.tsx';
import { FormNotes } from './form-notes.tsx';
import classes from './save-bar.module.css';
import type { Fields } from './use-fields.ts';

interface Props<Values extends object> {
  readonly form: Fields<Values>;
  readonly isOutdated: boolean;
  /** The fields that show their own problems, as `rest` of `useFields` takes them. */
  readonly names: readonly string[];
  readonly submit: string;
  readonly isBusy: boolean;
  readonly onDiscard: () => void;
}

/** At the lower edge of a long form, while something in it is not saved. */
export function SaveBar<Values extends object>({ form, isOutdated, names, submit, isBusy, onDiscard }: Props<Values>) {
  if (!form.isDirty) return null;
  return (
    <div className={classes.bar} role="status">
      <FormNotes form={form} isOutdated={isOutdated} />
      <FailureNote message={form.rest(names)} />
      <Group justify="space-between">
        <Text size="sm" fw={550}>
          {t('You have unsaved changes.')}
        </Text>
        <Group gap="xs">
          <Button variant="default" onClick={onDiscard}>
            {t('Discard them')}
          </Button>
          <Button type="submit" loading={isBusy}>
            {submit}
          </Button>
        </Group>
      </Group>
    </div>
  );
}
