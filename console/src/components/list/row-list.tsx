import { Button, Group, Title } from '@mantine/core';
import { createElement, Fragment, type ReactNode } from 'react';
import blocks from '../page/blocks.module.css';
import { Loading } from '../page/blocks.tsx';

interface Props<T> {
  /** Undefined until the first answer. */
  readonly rows: readonly T[] | undefined;
  readonly error: Error | null;
  /** What the list holds, for screen readers. */
  readonly label?: string;
  /** For many short entries: the heading, such as the day, above those that share it. Each is a line on a desk. */
  readonly headingOf?: (row: T) => string;
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
export function RowList<T>({ rows, error, label, headingOf, height = 64, empty, older, children }: Props<T>) {
  return (
    <>
      <Loading data={rows} error={error} height={height} />
      {rows?.length === 0 && empty}
      {rows && rows.length > 0 && !headingOf && (
        <ul className={blocks.rows} aria-label={label}>
          {rows.map(children)}
        </ul>
      )}
      {rows &&
        headingOf &&
        [...Map.groupBy(rows, headingOf)].map(([heading, some]) => (
          <Fragment key={heading}>
            <Title order={2} className={blocks.heading}>
              {heading}
            </Title>
            <ul className={`${blocks.rows} ${blocks.dense}`} aria-label={`${label}, ${heading}`}>
              {some.map(children)}
            </ul>
          </Fragment>
        ))}
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

interface EntryProps {
  /** What it is called, perhaps with its state. */
  readonly title: ReactNode;
  /** In front of it, such as a box to choose it. */
  readonly before?: ReactNode;
  /** Facts about it, side by side; those that are empty are left out. */
  readonly facts?: readonly ReactNode[];
  /** Beside it: what can be done with it. */
  readonly tools?: ReactNode;
  /** Below the facts. */
  readonly children?: ReactNode;
}

/** An entry of a short list: a line on a desk, a card on a phone. */
export function Row({ title, before, facts = [], tools, children }: EntryProps) {
  const shown = facts.filter(Boolean).map((fact) => createElement('span', null, fact));
  return (
    <li className={`${blocks.row} ${blocks.stacking}`}>
      <div className={blocks.main}>
        {before}
        <div className={blocks.grow}>
          <div className={blocks.title}>{title}</div>
          {shown.length > 0 && createElement('div', { className: blocks.meta }, ...shown)}
          {children}
        </div>
      </div>
      {tools && <div className={blocks.tools}>{tools}</div>}
    </li>
  );
}

interface ButtonProps {
  readonly label: string;
  /** The label with the name of the entry, for those who hear the page. */
  readonly of?: string;
  readonly isBusy?: boolean;
  readonly isOff?: boolean | undefined;
  readonly onClick: () => void;
}

export const RowButton = ({ label, of, isBusy = false, isOff = false, onClick }: ButtonProps) => (
  <Button size="xs" aria-label={of} loading={isBusy} disabled={isOff} onClick={onClick}>
    {label}
  </Button>
);
