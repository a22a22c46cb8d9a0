import { Button, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../lib/words/words.ts';
import { StopDialog } from '../dialogs/confirm-dialog.tsx';
import { FailureNote } from '../page/blocks.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { Form } from './form.tsx';
import { FormNotes } from './form-notes.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import classes from './page-form.module.css';
import type { RecordForm } from './use-record-form.ts';

interface Props<Values extends object> extends SharedFormProps<Values> {
  /** The fields that show their own problems, as `rest` of `useFields` takes them; all unless given. */
  readonly names?: readonly string[];
  /** On the button: `Save`. */
  readonly submit: string;
  /** Beside the button. */
  readonly other?: ReactNode;
  readonly onCancel: () => void;
}

/** The form of a page that creates or changes a record: failure on top, buttons at the end. */
export function PageForm<Values extends object>(props: Props<Values>) {
  const { names, submit, other, onCancel, children, ...form } = props;
  const { shared, isLocked, isBusy = shared.isBusy } = form;
  return (
    <SharedForm {...form}>
      <FailureNote message={shared.form.rest(names)} />
      {children}
      <Group mt="lg">
        {!isLocked && (
          <Button variant="filled" type="submit" loading={isBusy}>
            {submit}
          </Button>
        )}
        {!isLocked && other}
        <Button onClick={onCancel}>{isLocked ? t('Back') : t('Cancel')}</Button>
      </Group>
    </SharedForm>
  );
}

export interface SharedFormProps<Values extends object> {
  readonly shared: RecordForm<Values>;
  /** The role may read and not change: there is nothing to submit. */
  readonly isLocked?: boolean;
  readonly isBusy?: boolean;
  readonly onSubmit?: () => void;
  readonly children: ReactNode;
}

interface SharedProps<Values extends object> extends SharedFormProps<Values> {
  /** The notes about a draft and about changes of others are shown elsewhere. */
  readonly hasNotes?: boolean;
}

/** The form of a record that others may change at the same time, with all that it may have to ask. */
export function SharedForm<Values extends object>(props: SharedProps<Values>) {
  const { shared, isLocked = false, hasNotes = true, children } = props;
  const { isBusy = shared.isBusy, onSubmit = shared.submit } = props;
  return (
    <Form onSubmit={onSubmit}>
      {!isLocked && <LeaveGuard form={shared.form} />}
      {hasNotes && <FormNotes form={shared.form} isOutdated={shared.isOutdated} />}
      <ConflictDialog {...shared} />
      <StopDialog {...shared.question} isBusy={isBusy} />
      {children}
    </Form>
  );
}

interface SettingsProps<Values extends object> extends Omit<SharedFormProps<Values>, 'isBusy' | 'onSubmit'> {
  /** The fields that show their own problems, as `rest` of `useFields` takes them; all unless given. */
  readonly names?: readonly string[];
  readonly submit: string;
}

/** A long form, with a bar at the lower edge while something in it is not saved. */
export function SettingsForm<Values extends object>({ names, submit, children, ...props }: SettingsProps<Values>) {
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
