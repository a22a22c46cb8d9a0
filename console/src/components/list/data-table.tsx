import { Checkbox, NativeSelect, Skeleton, UnstyledButton } from '@mantine/core';
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react';
import { t } from '../../lib/words/words.ts';
import { Icon } from '../page/blocks.tsx';
import classes from './list.module.css';

export interface Column<T> {
  readonly name: string;
  readonly label: string;
  /** The field that the service sorts by; without it, the column cannot be sorted. */
  readonly sortBy?: string;
  readonly render: (record: T) => ReactNode;
  /** Numbers are right-aligned. */
  readonly isNumber?: true;
  /** A date or time, which stays on one line. */
  readonly isTime?: true;
  /** Not on a phone, where a row is a card. */
  readonly isDeskOnly?: true;
  /** Not shown until somebody chooses it. */
  readonly isOptional?: true;
}

interface Props<T> {
  /** What the table contains, for screen readers. */
  readonly label: string;
  /** The first column is the title of the row and contains its link. */
  readonly columns: readonly Column<T>[];
  readonly records: readonly T[] | undefined;
  readonly keyOf: (record: T) => string;
  /** Without it, the order is not for the reader to choose. */
  readonly order?: string;
  /** The order unless another one is chosen; a phone offers it as an option. */
  readonly defaultOrder?: string;
  readonly onOrder?: (order: string) => void;
  readonly isBusy?: boolean;
  /** Number of placeholder rows until the first answer. */
  readonly expected?: number;
  /** With it, each row can be chosen. */
  readonly selection?: Selection<T> | undefined;
}

export interface Selection<T> {
  readonly chosen: ReadonlyMap<string, T>;
  readonly onChange: (chosen: ReadonlyMap<string, T>) => void;
  readonly nameOf: (record: T) => string;
}

/** A table on a large screen, cards on a phone. A click on a row follows its first link. */
export function DataTable<T>(props: Props<T>) {
  const {
    label,
    columns,
    records,
    keyOf,
    order = '',
    defaultOrder = order,
    onOrder = () => undefined,
    isBusy = records === undefined,
    expected = 8,
    selection,
  } = props;
  return (
    <>
      <PhoneOrder columns={columns} order={order} defaultOrder={defaultOrder} onOrder={onOrder} />
      <div className={classes.scroller}>
        <table className={classes.table} aria-label={label} aria-busy={isBusy}>
          <thead className={records ? undefined : classes.unknown}>
            <tr>
              {selection && <ChooseAll records={records} keyOf={keyOf} selection={selection} />}
              {columns.map((column) => (
                <Heading key={column.name} column={column} order={order} onOrder={onOrder} />
              ))}
            </tr>
          </thead>
          <tbody className={isBusy && records ? classes.busy : undefined}>
            {records?.map((record) => (
              // The keyboard reaches the link inside; the row only enlarges it for the pointer.
              <tr key={keyOf(record)} className={classes.line} onClick={followLink}>
                {selection && <ChooseOne record={record} keyOf={keyOf} selection={selection} />}
                {columns.map((column, index) => (
                  <td key={column.name} data-label={column.label} className={cellClass(column, index === 0)}>
                    {column.render(record)}
                  </td>
                ))}
              </tr>
            ))}
            {!records && <Waiting columns={columns.length + (selection ? 1 : 0)} lines={expected} />}
          </tbody>
        </table>
      </div>
    </>
  );
}

interface ChooseProps<T> {
  readonly keyOf: (record: T) => string;
  readonly selection: Selection<T>;
}

function ChooseAll<T>({
  records = [],
  keyOf,
  selection,
}: ChooseProps<T> & { readonly records: readonly T[] | undefined }) {
  const { chosen, onChange } = selection;
  const here = records.filter((record) => chosen.has(keyOf(record))).length;
  const isAll = here > 0 && here === records.length;
  function turn() {
    const next = new Map(chosen);
    for (const record of records) {
      if (isAll) next.delete(keyOf(record));
      else next.set(keyOf(record), record);
    }
    onChange(next);
  }
  return (
    <th className={classes.pick}>
      <Checkbox
        size="xs"
        aria-label={t('Choose all on this page')}
        checked={isAll}
        indeterminate={here > 0 && !isAll}
        // A click while the records are on their way would come to nothing.
        disabled={records.length === 0}
        onChange={turn}
      />
    </th>
  );
}

function ChooseOne<T>({ record, keyOf, selection }: ChooseProps<T> & { readonly record: T }) {
  const { chosen, onChange, nameOf } = selection;
  const key = keyOf(record);
  function turn() {
    const next = new Map(chosen);
    if (!next.delete(key)) next.set(key, record);
    onChange(next);
  }
  return (
    <td className={classes.pick}>
      <Checkbox
        size="xs"
        aria-label={t('Choose {nameOf}', { nameOf: nameOf(record) })}
        checked={chosen.has(key)}
        onChange={turn}
      />
    </td>
  );
}

function cellClass<T>({ isNumber, isTime, isDeskOnly }: Column<T>, isLead = false): string {
  return [isLead && classes.lead, isNumber && classes.number, isTime && classes.time, isDeskOnly && classes.deskOnly]
    .filter(Boolean)
    .join(' ');
}

function followLink(event: MouseEvent<HTMLTableRowElement> | KeyboardEvent<HTMLTableRowElement>) {
  const target = event.target as HTMLElement;
  const isOwnClick = target.closest('a, button, input, select, label') !== null;
  // Clicks in a dialog that a cell has opened arrive here too, and selecting text with the pointer ends in a click.
  if (isOwnClick || !event.currentTarget.contains(target) || window.getSelection()?.toString()) return;
  event.currentTarget.querySelector<HTMLAnchorElement>('a[href]')?.click();
}

function Waiting({ columns, lines }: { readonly columns: number; readonly lines: number }) {
  return Array.from({ length: lines }, (_, line) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
    <tr key={line} aria-hidden>
      {Array.from({ length: columns }, (_, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <td key={column}>
          <Skeleton h={14} w={column === 0 ? '70%' : '50%'} my={4} />
        </td>
      ))}
    </tr>
  ));
}

interface OrderProps<T> {
  readonly order: string;
  readonly onOrder: (order: string) => void;
  readonly column: Column<T>;
}

function Heading<T>({ column, order, onOrder }: OrderProps<T>) {
  const { label, sortBy } = column;
  if (!sortBy) return <th className={cellClass(column)}>{label}</th>;
  const direction = order === sortBy ? 'ascending' : order === `-${sortBy}` ? 'descending' : undefined;
  return (
    <th className={cellClass(column)} aria-sort={direction ?? 'none'}>
      <UnstyledButton
        className={classes.sort}
        onClick={() => onOrder(direction === 'ascending' ? `-${sortBy}` : sortBy)}
      >
        {label}
        <span className={direction ? classes.sorted : classes.sortable} aria-hidden>
          <Icon name={direction === 'descending' ? 'down' : 'up'} size={13} />
        </span>
      </UnstyledButton>
    </th>
  );
}

interface PhoneOrderProps<T> extends Omit<OrderProps<T>, 'column'> {
  readonly columns: readonly Column<T>[];
  readonly defaultOrder: string;
}

function PhoneOrder<T>({ columns, order, defaultOrder, onOrder }: PhoneOrderProps<T>) {
  const sortable = columns.filter(({ sortBy }) => sortBy);
  if (sortable.length === 0) return null;
  const listed = sortable.flatMap(({ label, sortBy = '' }) => [
    { value: sortBy, label: t('{label}, ascending', { label }) },
    { value: `-${sortBy}`, label: t('{label}, descending', { label }) },
  ]);
  const unlisted = [...new Set([defaultOrder, order])]
    .filter((value) => !listed.some((one) => one.value === value))
    .map((value) => ({ value, label: value === '-objectId' ? t('Newest first') : t('Custom order') }));
  return (
    <div className={classes.phoneOrder}>
      <NativeSelect
        size="xs"
        aria-label={t('Sort by')}
        data={[...unlisted, ...listed]}
        value={order}
        onChange={({ currentTarget: { value } }) => onOrder(value)}
      />
    </div>
  );
}
