import { Button, Group, Text } from '@mantine/core';
import { t } from '../../lib/words/words.ts';
import { FailureNote } from '../page/blocks.tsx';
import { FormNotes } from './form-notes.tsx';
import classes from './settings-form.module.css';
import { SharedForm, type SharedFormProps } from './shared-form.tsx';

interface Props<Values extends object> extends Omit<SharedFormProps<Values>, 'isBusy' | 'onSubmit'> {
  /** The fields that show their own problems, as `rest` of `useFields` takes them. */
  readonly names: readonly string[];
  readonly submit: string;
}

/** A long form, with a bar at the lower edge while something in it is not saved. */
export function SettingsForm<Values extends object>({ names, submit, children, ...props }: Props<Values>) {
  const { form, isBusy, isOutdated, submit: save } = props.shared;
  return (
    <SharedForm {...props} hasNotes={false} onSubmit={() => form.isDirty && save()}>
      {children}
      {form.isDirty && (
        <div className={classes.bar} role="status">
          <FormNotes form={form} isOutdated={isOutdated} />
          <FailureNote message={form.rest(names)} />
          <Group justify="space-between">
            <Text fw={550}>{t('You have unsaved changes.')}</Text>
            <Group gap="xs">
              <Button onClick={() => form.reset(form.base)}>{t('Discard them')}</Button>
              <Button variant="filled" type="submit" loading={isBusy}>
                {submit}
              </Button>
            </Group>
          </Group>
        </div>
      )}
    </SharedForm>
  );
}
