import { Button, Group } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';
import { t } from '../../lib/words/words.ts';
import { StopDialog } from '../dialogs/stop-dialog.tsx';
import { FailureNote } from '../page/failure-note.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { FormNotes } from './form-notes.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import type { Fields } from './use-fields.ts';
import type { RecordForm } from './use-record-form.ts';

interface Props<Values extends object> {
  readonly form: Fields<Values>;
  /** The fields that show their own problems, as `rest` of `useFields` takes them. */
  readonly names: readonly string[];
  /** On the button: `Save`. */
  readonly submit: string;
  readonly isBusy: boolean;
  /** Of a form on a record that others may change at the same time. */
  readonly shared?: Pick<RecordForm<Values>, 'conflict' | 'question' | 'isOutdated' | 'labels' | 'show'>;
  /** The role may read and not change: there is nothing to submit. */
  readonly isLocked?: boolean;
  /** Beside the button. */
  readonly other?: ReactNode;
  readonly onSubmit: () => void;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}

/** The form of a page that creates or changes a record: failure on top, buttons at the end. */
export function PageForm<Values extends object>(props: Props<Values>) {
  const { form, names, submit, isBusy, shared, isLocked = false, other, onSubmit, onCancel, children } = props;
  function send(event: FormEvent) {
    event.preventDefault();
    onSubmit();
  }
  return (
    <form onSubmit={send} noValidate>
      {!isLocked && <LeaveGuard form={form} />}
      <FormNotes form={form} isOutdated={shared?.isOutdated} />
      {shared && <ConflictDialog {...shared} />}
      {shared && <StopDialog {...shared.question} isBusy={isBusy} />}
      <FailureNote message={form.rest(names)} />
      {children}
      <Group mt="lg">
        {!isLocked && (
          <Button type="submit" loading={isBusy}>
            {submit}
          </Button>
        )}
        {!isLocked && other}
        <Button variant="default" onClick={onCancel}>
          {isLocked ? t('Back') : t('Cancel')}
        </Button>
      </Group>
    </form>
  );
}
