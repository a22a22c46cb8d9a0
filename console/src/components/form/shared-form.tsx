import type { ReactNode } from 'react';
import { StopDialog } from '../dialogs/stop-dialog.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { Form } from './form.tsx';
import { FormNotes } from './form-notes.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import type { RecordForm } from './use-record-form.ts';

export interface SharedFormProps<Values extends object> {
  readonly shared: RecordForm<Values>;
  /** The role may read and not change: there is nothing to submit. */
  readonly isLocked?: boolean;
  readonly isBusy?: boolean;
  readonly onSubmit?: () => void;
  readonly children: ReactNode;
}

interface Props<Values extends object> extends SharedFormProps<Values> {
  /** The notes about a draft and about changes of others are shown elsewhere. */
  readonly hasNotes?: boolean;
}

/** The form of a record that others may change at the same time, with all that it may have to ask. */
export function SharedForm<Values extends object>(props: Props<Values>) {
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
