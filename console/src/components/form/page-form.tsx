import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../lib/words/words.ts';
import { FailureNote } from '../page/blocks.tsx';
import { SharedForm, type SharedFormProps } from './shared-form.tsx';

interface Props<Values extends object> extends SharedFormProps<Values> {
  /** The fields that show their own problems, as `rest` of `useFields` takes them. */
  readonly names: readonly string[];
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
