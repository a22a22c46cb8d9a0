import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import blocks from '../page/blocks.module.css';
import { Loading } from '../page/failure-note.tsx';

interface Props<T> {
  /** Undefined until the first answer. */
  readonly rows: readonly T[] | undefined;
  readonly error: Error | null;
  /** What the list holds, for screen readers. */
  readonly label?: string;
  /** Many short entries: each a line on a desk, two on a phone. */
  readonly isDense?: boolean;
  /** Height of the placeholder, px. */
  readonly height?: number;
  /** In place of an empty list. */
  readonly empty?: ReactNode;
  /** For lists that are read in parts. */
  readonly older?: {
    readonly label: string;
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
  /** One row, as an `li`. */
  readonly children: (row: T) => ReactNode;
}

/** A short list that is read as a whole, or in parts from the newest on. */
export function RowList<T>({ rows, error, label, isDense = false, height = 64, empty, older, children }: Props<T>) {
  return (
    <>
      <Loading data={rows} error={error} height={height} />
      {rows?.length === 0 && empty}
      {rows && rows.length > 0 && (
        <ul className={isDense ? `${blocks.rows} ${blocks.dense}` : blocks.rows} aria-label={label}>
          {rows.map(children)}
        </ul>
      )}
      {older?.hasNextPage && (
        <Group justify="center" mt="lg">
          <Button loading={older.isFetchingNextPage} onClick={() => void older.fetchNextPage()}>
            {older.label}
          </Button>
        </Group>
      )}
    </>
  );
}
