import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../lib/words/words.ts';
import { useFocusBack } from '../dialogs/use-focus-back.ts';
import { FailureNote } from '../page/blocks.tsx';
import { ConflictDialog } from './conflict-dialog.tsx';
import { Form } from './form.tsx';
import type { Fields } from './use-fields.ts';
import type { RecordForm } from './use-record-form.ts';

interface ContentProps<Values extends object> {
  readonly form: Fields<Values>;
  /** The fields that show their own problems; all unless given. */
  readonly names?: readonly string[];
  readonly submit: string;
  readonly isBusy: boolean;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  /** What the form is about, above its fields. */
  readonly about?: ReactNode;
  /** Beside the buttons. */
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}

export function DialogFields<Values extends object>(props: ContentProps<Values>) {
  const { form, names, submit, isBusy, onSubmit, onClose, about, beside, children } = props;
  useFocusBack();
  return (
    <Form onSubmit={onSubmit}>
      <Stack>
        {about}
        <FailureNote message={form.rest(names)} />
        {children}
        <Group justify={beside ? 'space-between' : 'flex-end'}>
          {beside}
          <Group gap="xs">
            <Button onClick={onClose}>{t('Cancel')}</Button>
            <Button variant="filled" type="submit" loading={isBusy}>
              {submit}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Form>
  );
}

interface Props<Values extends object> extends ContentProps<Values> {
  readonly isOpen: boolean;
  readonly title: string;
  readonly zIndex?: number;
}

/** A dialog that is one short form. It is empty again when it opens the next time. */
export function DialogForm<Values extends object>({ isOpen, title, zIndex, ...content }: Props<Values>) {
  return (
    <Modal
      opened={isOpen}
      onClose={content.onClose}
      onExitTransitionEnd={() => content.form.reset()}
      title={title}
      {...(zIndex ? { zIndex } : {})}
    >
      <DialogFields {...content} />
    </Modal>
  );
}

interface SharedProps<Values extends object> extends Omit<Props<Values>, 'form' | 'isBusy' | 'isOpen' | 'onSubmit'> {
  readonly shared: RecordForm<Values>;
}

/** The same for a record that others may change at the same time. It is drawn only while it is open. */
export function SharedDialogForm<Values extends object>({ shared, about, ...props }: SharedProps<Values>) {
  const { form, isBusy, submit } = shared;
  const content = (
    <>
      <ConflictDialog {...shared} />
      {about}
    </>
  );
  return <DialogForm {...props} form={form} isBusy={isBusy} isOpen about={content} onSubmit={submit} />;
}
