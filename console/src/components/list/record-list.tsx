import { Badge, Button, CloseButton, Group, Text, TextInput } from '@mantine/core';
import { type Answer, type JsonObject, type OperationId, PharosError, type Query } from '@pharos/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { dataOf } from '../../lib/data/api.ts';
import { ShowRequest } from '../code/show-request.tsx';
import { FailureNote } from '../page/failure-note.tsx';
import { Icon } from '../page/icon.tsx';
import { type Column, DataTable } from './data-table.tsx';
import { FilterPanel } from './filter-panel.tsx';
import { type FilterField, filterOf, rowText, whereOf } from './filter-rows.ts';
import classes from './list.module.css';
import { type ListSearch, listQuery, sizeOf } from './list-search.ts';
import { Pager } from './pager.tsx';

/** Operations that answer a list of records. */
export type ListOperation = {
  [Id in OperationId]: Answer<Id> extends { readonly results: readonly unknown[] } ? Id : never;
}[OperationId];
export type Listed<Id extends ListOperation> = Answer<Id>['results'][number];

/** A list, as data. */
export interface ListDefinition<Id extends ListOperation> {
  readonly operation: Id;
  /** As in a sentence: `beacons`. */
  readonly plural: string;
  readonly columns: readonly Column<Listed<Id>>[];
  readonly filters: readonly FilterField[];
  /** Where the search field looks, and what stands in it. */
  readonly searchFields: readonly string[];
  readonly searchHint: string;
  readonly defaultOrder: string;
  /** Reads a page elsewhere than through the operation, in the same form. */
  readonly read?: (query: Query, signal: AbortSignal) => Promise<ListPage>;
}

interface ListPage {
  readonly results: readonly unknown[];
  readonly count?: number;
  readonly truncated?: true;
}

interface Props<Id extends ListOperation> {
  readonly appId: string;
  /** Of the path, where it has more than the app. */
  readonly params?: Readonly<Record<string, string>>;
  readonly list: ListDefinition<Id>;
  /** What the address says. */
  readonly search: ListSearch;
  /** What the page narrows the list to besides, such as a range of time. */
  readonly scope?: JsonObject | undefined;
  /** Changes the address; what is undefined goes from it. */
  readonly onSearch: (search: ListSearch, options?: { readonly replace?: boolean }) => void;
  /** Takes the scope away too, where there is one. */
  readonly onAll?: () => void;
  /** What stands there as long as there is nothing at all. */
  readonly empty: ReactNode;
  /** Another form than the table; undefined stands for the first answer that is still on its way. */
  readonly layout?: (records: readonly Listed<Id>[] | undefined, isBusy: boolean) => ReactNode;
  /** In the line of the search field. */
  readonly tools?: ReactNode;
  /** Below the table, such as the time zone. */
  readonly note?: ReactNode;
}

export const dataKey = (appId: string, operation: OperationId, ...more: readonly unknown[]) =>
  ['apps', appId, 'data', operation, ...more] as const;

/** A list of the service's records: search, filter, sort and page, all of it in the address. */
export function RecordList<Id extends ListOperation>(props: Props<Id>) {
  const { appId, params, list, search, scope, onSearch, empty, onAll, layout, tools, note } = props;
  const [isFiltering, setFiltering] = useState(false);
  const query = listQuery(search, list, scope);
  const { data, error, isFetching } = useListed(appId, list.operation, query, { params, read: list.read });
  const isNarrowed = search.q !== undefined || search.where !== undefined || scope !== undefined;
  const change = (part: ListSearch) => onSearch({ ...search, page: undefined, ...part });
  if (data?.count === 0 && !isNarrowed && !isFetching) return empty;
  return (
    <>
      <div className={classes.toolbar}>
        {list.searchFields.length > 0 && (
          <SearchField
            value={search.q ?? ''}
            hint={list.searchHint}
            onChange={(q) => onSearch({ ...search, page: undefined, q: q || undefined }, { replace: true })}
          />
        )}
        <Button
          variant="default"
          leftSection={<Icon name="filter" size={15} />}
          aria-expanded={isFiltering}
          onClick={() => setFiltering(!isFiltering)}
        >
          Filter
        </Button>
        {tools}
      </div>
      {isFiltering && (
        <FilterPanel
          key={JSON.stringify(search.where)}
          fields={list.filters}
          where={search.where}
          onApply={(where) => change({ where })}
          onClose={() => setFiltering(false)}
        />
      )}
      {search.where && !isFiltering && (
        <Chips fields={list.filters} where={search.where} onChange={(where) => change({ where })} />
      )}
      <FailureNote message={error ? listFailure(error) : undefined} />
      {data?.count === 0 && isNarrowed ? (
        <div className={classes.nothing}>
          <Text>No {list.plural} match.</Text>
          <Button
            variant="default"
            size="xs"
            onClick={() => (onAll ? onAll() : change({ q: undefined, where: undefined }))}
          >
            Show all {list.plural}
          </Button>
        </div>
      ) : (
        !(error && !data) &&
        (layout?.(data?.results as readonly Listed<Id>[] | undefined, isFetching) ?? (
          <DataTable<Listed<Id>>
            label={list.plural}
            columns={list.columns}
            records={data?.results as readonly Listed<Id>[] | undefined}
            keyOf={(record) => (record as { objectId: string }).objectId}
            order={search.order ?? list.defaultOrder}
            defaultOrder={list.defaultOrder}
            onOrder={(order) => change({ order: order === list.defaultOrder ? undefined : order })}
            isBusy={isFetching}
          />
        ))
      )}
      {data?.truncated && (
        <Text size="sm" c="dimmed" mt="xs">
          These records are large: only {data.results.length} of them fit on this page. Choose a smaller page size to
          see all of them.
        </Text>
      )}
      <Pager
        page={search.page ?? 1}
        size={sizeOf(search)}
        count={data?.count}
        plural={list.plural}
        onPage={(page) => onSearch({ ...search, page: page > 1 ? page : undefined })}
        onSize={(size) => change({ size })}
      />
      <Group justify="space-between" mt="xs" gap="xs">
        <Text size="sm" c="dimmed" component="div">
          {note}
        </Text>
        <ShowRequest appId={appId} request={{ operation: list.operation, ...(params ? { params } : {}), query }} />
      </Group>
    </>
  );
}

interface Reading {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly read?: ((query: Query, signal: AbortSignal) => Promise<ListPage>) | undefined;
}

/** One page of a list; the page before stays until the next is there, so that nothing jumps. */
export function useListed(appId: string, operation: ListOperation, query: Query, { params, read }: Reading = {}) {
  return useQuery({
    queryKey: dataKey(appId, operation, params ?? {}, query),
    queryFn: ({ signal }) => {
      if (read) return read(query, signal);
      const call = dataOf(appId).call as (id: string, input: object) => Promise<ListPage>;
      return call(operation, { ...(params ? { params } : {}), query, signal });
    },
    placeholderData: keepPreviousData,
  });
}

function listFailure(error: Error): string {
  if (error instanceof PharosError && error.name === 'Timeout')
    return 'This takes the service too long. Narrow it down with a filter, or sort by another column.';
  return error.message;
}

interface SearchProps {
  readonly value: string;
  readonly hint: string;
  readonly onChange: (value: string) => void;
}

/** Asks when one stops typing for a moment. */
function SearchField({ value, hint, onChange }: SearchProps) {
  const [text, setText] = useState(value);
  const told = useRef(value);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    // The address was changed by something else, such as the way back.
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);
  useEffect(() => {
    if (text === told.current) return;
    const timer = setTimeout(() => {
      told.current = text;
      latest.current(text);
    }, 250);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextInput
      className={classes.search}
      type="search"
      aria-label={hint}
      placeholder={hint}
      leftSection={<Icon name="search" size={16} />}
      rightSection={
        text ? <CloseButton size="sm" aria-label="Clear the search" onClick={() => setText('')} /> : undefined
      }
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
    />
  );
}

interface ChipsProps {
  readonly fields: readonly FilterField[];
  readonly where: JsonObject;
  readonly onChange: (where: JsonObject | undefined) => void;
}

/** What is filtered by, in words; each can be taken away. */
function Chips({ fields, where, onChange }: ChipsProps) {
  const filter = filterOf(where, fields);
  const rows = filter?.rows ?? [];
  const chip = (text: string, without: JsonObject | undefined) => (
    <Badge
      key={text}
      variant="light"
      size="lg"
      tt="none"
      fw={500}
      rightSection={
        <CloseButton size="xs" aria-label={`Remove the filter ${text}`} onClick={() => onChange(without)} />
      }
    >
      {text}
    </Badge>
  );
  return (
    <Group gap="xs" mb="sm">
      {filter
        ? rows.map((row) =>
            chip(rowText(row, fields), whereOf({ ...filter, rows: rows.filter((one) => one !== row) }, fields)),
          )
        : chip('a filter of its own', undefined)}
      {filter?.isAny && rows.length > 1 && (
        <Text size="sm" c="dimmed">
          any of them
        </Text>
      )}
    </Group>
  );
}
