import { Button, Group, Text } from '@mantine/core';
import { type JsonObject, PharosError } from '@pharos/sdk';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useStanding } from '../../lib/data/access.ts';
import { dataKey, type Listed, type ListOperation, readPage, useListed } from '../../lib/data/api.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { nameOfRecord } from '../bulk/bulk.ts';
import { BulkBar } from '../bulk/bulk-bar.tsx';
import { ShowRequest } from '../code/show-request.tsx';
import { CsvExport } from '../export/csv-export.tsx';
import { EmptyState, type EmptyTexts, FailureNote, Icon, LinkButton } from '../page/blocks.tsx';
import { PageHeader } from '../page/page-header.tsx';
import { ColumnMenu, shownColumns, useHiddenColumns } from './column-menu.tsx';
import { DataTable } from './data-table.tsx';
import { FilterChips } from './filter-chips.tsx';
import { FilterPanel } from './filter-panel.tsx';
import { fieldsIn } from './filter-rows.ts';
import classes from './list.module.css';
import type { ListDefinition } from './list-definition.ts';
import { bothOf, type ListSearch, listFilter, listQuery, readListSearch, sizeOf } from './list-search.ts';
import { Pager } from './pager.tsx';
import { SavedMenu } from './saved-menu.tsx';
import { SearchField } from './search-field.tsx';

type Chosen<Id extends ListOperation> = ReadonlyMap<string, Listed<Id>>;

interface Props<Id extends ListOperation> {
  readonly appId: string;
  readonly list: ListDefinition<Id>;
  /** Path parameters other than the app. */
  readonly params?: Readonly<Record<string, string>>;
  readonly title?: string;
  /** Which of several lists with this title it is. */
  readonly part?: string;
  readonly about?: ReactNode;
  /** Creates a record. It moves into the empty state while there is none. */
  readonly action?: ReactNode;
  /** In place of the usual heading. */
  readonly heading?: (action: ReactNode) => ReactNode;
  /** With an action of its own where not all of `action` makes sense yet. */
  readonly empty: EmptyTexts & { readonly action?: ReactNode };
  /** Between the heading and the list. */
  readonly above?: ReactNode;
  /** A condition of the page itself, such as a period; "Show all" removes it too, and leaves `all` in the address. */
  readonly scope?: JsonObject | undefined;
  readonly all?: object;
  /** Beside the search field. */
  readonly tools?: ReactNode;
  /** Other views of the section: beside the search field, and where there is nothing yet. */
  readonly views?: ReactNode;
  /** Replaces the table; the records are undefined until the first answer. */
  readonly layout?: (
    records: readonly Listed<Id>[] | undefined,
    isBusy: boolean,
    /** Undefined where nothing can be done with several. */
    selection: { readonly chosen: Chosen<Id>; readonly onChange: (chosen: Chosen<Id>) => void } | undefined,
  ) => ReactNode;
  /** Replaces the table and its tools, such as a map. */
  readonly instead?: ReactNode;
}

/**
 * The page of a section that lists records: heading, search, filter, sorting and pages. What it shows is in the address,
 * which a route with a list reads with `readListSearch`.
 */
export function SectionList<Id extends ListOperation>(props: Props<Id>) {
  const { appId, list, params, title = '', part, about, action, heading, empty, above, scope, views, instead } = props;
  const search = useSearch({ strict: false }) as ListSearch;
  const query = listQuery(search, list, scope);
  const page = useListed(appId, list.operation, query, { params, read: list.read });
  const { data, isPlaceholderData } = page;
  useFollowed(
    dataKey(appId, list.operation, params ?? {}, query),
    () => readPage(appId, list.operation, query, { params }),
    data?.results.some((record) => list.isChanging?.(record)) ?? false,
  );
  const isNarrowed = search.q !== undefined || search.where !== undefined || scope !== undefined;
  const isEmpty = data?.count === 0 && !isNarrowed && !instead && !isPlaceholderData;
  const isLimited = useStanding()?.venues !== undefined;
  const shownAction = (
    <Group gap="xs">
      {list.trash && !isLimited && (
        <LinkButton to="/apps/$appId/trash" params={{ appId }} search={{ kind: list.trash }} icon="trash" isPlain>
          {t('Trash')}
        </LinkButton>
      )}
      {!isEmpty && action}
    </Group>
  );
  return (
    <>
      {heading ? (
        heading(shownAction)
      ) : (
        <PageHeader title={title} part={part} action={shownAction}>
          {about}
        </PageHeader>
      )}
      {above}
      {isEmpty && views && <Group mb="md">{views}</Group>}
      {instead || (isEmpty ? <EmptyState action={action} {...empty} /> : <Records {...props} {...{ search, page }} />)}
    </>
  );
}

interface RecordsProps<Id extends ListOperation> extends Props<Id> {
  readonly search: ListSearch;
  readonly page: ReturnType<typeof useListed<Id>>;
}

function Records<Id extends ListOperation>({
  appId,
  list,
  params,
  scope,
  all,
  layout,
  views,
  tools = views,
  search,
  page,
}: RecordsProps<Id>) {
  const navigate = useNavigate();
  const times = useTimes(appId);
  const { data, error, isFetching } = page;
  const { columns, defaultOrder, plural, bulk } = list;
  const [chosen, setChosen] = useState<ReadonlyMap<string, Listed<Id>>>(new Map());
  const allColumns = typeof columns === 'function' ? columns(data?.results ?? []) : columns;
  const [hidden, setHidden] = useHiddenColumns(listName(list.operation, params), allColumns);
  const isNarrowed = search.q !== undefined || search.where !== undefined || scope !== undefined;
  const go = (next: ListSearch, replace = false) => void navigate({ to: '.', search: { ...next } as never, replace });
  const change = (part: ListSearch, replace = false) => go({ ...search, page: undefined, ...part }, replace);
  return (
    <>
      <Toolbar
        {...{ appId, list, params, scope, tools, search, change, go }}
        columnMenu={layout ? undefined : <ColumnMenu columns={allColumns} hidden={hidden} onChange={setHidden} />}
      />
      {bulk && (
        <BulkBar
          appId={appId}
          bulk={bulk}
          chosen={chosen as ReadonlyMap<string, object>}
          onChosen={(ids) => setChosen(new Map([...chosen].filter(([id]) => ids.includes(id))))}
        />
      )}
      <FailureNote message={error ? failureText(error) : undefined} />
      {data?.count === 0 && isNarrowed ? (
        <Nothing plural={plural} onAll={() => (scope ? go({ ...all }) : change({ q: undefined, where: undefined }))} />
      ) : (
        !(error && !data) &&
        (layout?.(data?.results, isFetching, bulk && { chosen, onChange: setChosen }) ?? (
          <DataTable<Listed<Id>>
            label={plural}
            columns={shownColumns(allColumns, hidden)}
            records={data?.results}
            keyOf={(record) => (record as { objectId: string }).objectId}
            order={search.order ?? defaultOrder}
            defaultOrder={defaultOrder}
            onOrder={(order) => change({ order: order === defaultOrder ? undefined : order })}
            isBusy={isFetching}
            selection={bulk && { chosen, onChange: setChosen, nameOf: nameOfRecord }}
          />
        ))
      )}
      {data?.truncated && <Truncated shown={data.results.length} />}
      {/* Until it is known how long the list is, nothing is below it that would move. */}
      {(data || error) && (
        <>
          <Pager
            page={search.page ?? 1}
            size={sizeOf(search)}
            count={data?.count}
            plural={plural}
            onPage={(next) => go({ ...search, page: next > 1 ? next : undefined })}
            onSize={(size) => change({ size })}
          />
          <Group justify="space-between" mt="xs" gap="xs">
            <Text c="dimmed" component="div">
              {t('Times are in {zone}.', { zone: times.zone })}
            </Text>
            <ShowRequest
              appId={appId}
              request={{
                operation: list.operation,
                ...(params ? { params } : {}),
                query: listQuery(search, list, scope),
              }}
            />
          </Group>
        </>
      )}
    </>
  );
}

function Nothing({ plural, onAll }: { readonly plural: string; readonly onAll: () => void }) {
  return (
    <div className={classes.nothing}>
      <Text size="md">{t('No {plural} match.', { plural })}</Text>
      <Button size="xs" onClick={onAll}>
        {t('Show all {plural}', { plural })}
      </Button>
    </div>
  );
}

function Truncated({ shown }: { readonly shown: number }) {
  return (
    <Text c="dimmed" mt="xs">
      {t(
        'These records are large: only {shown} of them fit on this page. Choose a smaller page size to see all of them.',
        { shown },
      )}
    </Text>
  );
}

/** A list has columns of its own for each bucket. */
const listName = (operation: string, params: object = {}) => [operation, ...Object.values(params)].join(' ');

interface ToolbarProps<Id extends ListOperation>
  extends Pick<RecordsProps<Id>, 'appId' | 'list' | 'params' | 'scope' | 'tools' | 'search'> {
  readonly change: (part: ListSearch, replace?: boolean) => void;
  readonly go: (next: ListSearch) => void;
  readonly columnMenu: ReactNode;
}

/** What a filter with a name keeps; the page is not part of it. */
function filterOf({ q, where, order }: ListSearch): ListSearch | undefined {
  if (q === undefined && where === undefined && order === undefined) return undefined;
  return { ...(q ? { q } : {}), ...(where ? { where } : {}), ...(order ? { order } : {}) };
}

const isSearch = (value: unknown): value is ListSearch => typeof value === 'object' && value !== null;

function Toolbar<Id extends ListOperation>(props: ToolbarProps<Id>) {
  const { appId, list, params, scope, tools, search, change, go, columnMenu } = props;
  const [isFiltering, setFiltering] = useState(false);
  const { operation, plural, searchFields = [], searchHint = t('Search'), csv, read } = list;
  const filters = fieldsIn(useTimes(appId).zone, list.filters);
  return (
    <>
      <div className={`${classes.toolbar} phone-icons`}>
        {searchFields.length > 0 && (
          <SearchField value={search.q ?? ''} hint={searchHint} onChange={(q) => change({ q: q || undefined }, true)} />
        )}
        <Button
          leftSection={<Icon name="filter" size={16} />}
          aria-expanded={isFiltering}
          onClick={() => setFiltering(!isFiltering)}
        >
          {t('Filter')}
        </Button>
        <SavedMenu
          list={`filters ${appId} ${listName(operation, params)}`}
          kind="filter"
          present={filterOf(search)}
          isValid={isSearch}
          onChoose={(saved) => go(readListSearch(saved as never))}
        />
        {columnMenu}
        {tools}
        {csv && (
          <CsvExport
            appId={appId}
            plural={plural}
            list={(query) => (read?.(query) ?? readPage(appId, operation, query, { params })) as never}
            where={bothOf(scope, listFilter(search, searchFields))}
            columns={csv}
            className={classes.end}
          />
        )}
      </div>
      {isFiltering && (
        <FilterPanel
          key={JSON.stringify(search.where)}
          fields={filters}
          where={search.where}
          onApply={(where) => change({ where })}
          onClose={() => setFiltering(false)}
        />
      )}
      {search.where && !isFiltering && (
        <FilterChips fields={filters} where={search.where} onChange={(where) => change({ where })} />
      )}
    </>
  );
}

function failureText(error: Error): string {
  if (error instanceof PharosError && error.name === 'Timeout')
    return t('The service took too long to answer. Filter the list, or sort by another column.');
  return error.message;
}

const intervalMs = 1_500;

/** Reads a page again and again while something on it changes, without showing it as loading. */
function useFollowed(queryKey: QueryKey, read: () => Promise<unknown>, isActive: boolean): void {
  const queries = useQueryClient();
  const key = JSON.stringify(queryKey);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what is read
  useEffect(() => {
    if (!isActive) return;
    const timer = setInterval(async () => {
      if (document.hidden) return;
      try {
        queries.setQueryData(JSON.parse(key) as QueryKey, await read());
      } catch {
        // The next attempt may succeed; errors show when the list itself is read.
      }
    }, intervalMs);
    return () => clearInterval(timer);
  }, [key, isActive, queries]);
}
