import type { ReactNode } from 'react';
import { EmptyState, type EmptyTexts } from '../page/blocks.tsx';
import { PageHeader } from '../page/page-header.tsx';
import { RowList } from './row-list.tsx';

interface Props<T> {
  readonly title: string;
  readonly about: ReactNode;
  /** The way to what it belongs to. */
  readonly back?: ReactNode;
  /** Creates a record. It moves into the empty state while there is none. */
  readonly action?: ReactNode;
  readonly rows: readonly T[] | undefined;
  readonly error: Error | null;
  readonly label?: string;
  readonly height?: number;
  readonly empty: EmptyTexts;
  /** Between the heading and the list. */
  readonly above?: ReactNode;
  readonly children: (row: T) => ReactNode;
}

/** The page of a short list that needs no search, filter or pages. */
export function SectionRows<T>({ title, about, back, action, rows, empty, above, ...list }: Props<T>) {
  return (
    <>
      <PageHeader title={title} back={back} action={rows && rows.length > 0 && action}>
        {about}
      </PageHeader>
      {above}
      <RowList rows={rows} empty={<EmptyState {...empty} action={action} />} {...list} />
    </>
  );
}
