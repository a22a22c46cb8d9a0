import type { BucketRecord, JsonObject } from '@pharos/sdk';
import { Link } from '@tanstack/react-router';
import { createdColumn, stampFilters } from '../../components/list/columns.tsx';
import type { Column } from '../../components/list/data-table.tsx';
import type { FilterField, FilterKind } from '../../components/list/filter-rows.ts';
import type { ListDefinition } from '../../components/list/list-definition.ts';
import { type Times, timesIn } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import classes from './buckets.module.css';
import { recordBulk } from './record/bulk-fields.tsx';
import type { Ground } from './record/record-fields.ts';
import type { Columns } from './record-cells.ts';

interface Given {
  readonly appId: string;
  readonly bucketName: string;
  readonly columns: Columns;
  readonly times: Times;
  /** Only administrators who may change records can select several. */
  readonly ground?: Ground | undefined;
}

const maxColumns = 6;

/** First a declared text, which names the record, then the other declared columns, then other members of the page. */
export function shownMembers(columns: Columns, records: readonly BucketRecord[]): string[] {
  const declared = Object.keys(columns);
  const title = declared.find((name) => columns[name] === 'String');
  const found = new Set([...(title === undefined ? [] : [title]), ...declared]);
  for (const { metadata } of records) for (const name of Object.keys(metadata)) found.add(name);
  return [...found].slice(0, maxColumns);
}

const kinds: Readonly<Record<string, FilterKind>> = {
  Number: 'number',
  String: 'text',
  Boolean: 'boolean',
  Date: 'date',
};
/** A name with a dot cannot be told from a path. */
const isPath = (name: string) => /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name);

export function recordList({ appId, bucketName, columns, times, ground }: Given): ListDefinition<'listRecords'> {
  const texts = shownMembers(columns, []).filter((name) => columns[name] === 'String');
  const declared: FilterField[] = Object.entries(columns).map(([name, type]) => ({
    name: `metadata.${name}`,
    label: name,
    kind: kinds[type] ?? 'text',
  }));
  return {
    operation: 'listRecords',
    trash: 'records',
    bulk: ground && recordBulk({ appId, bucketName, ground }),
    plural: t('records'),
    searchFields: texts.map((name) => `metadata.${name}`),
    searchHint: t('Search in {list}', { list: texts.join(', ') }),
    defaultOrder: 'createdAt',
    columns: (records) => [
      ...memberColumns({ appId, bucketName, columns, members: shownMembers(columns, records), times }),
      createdColumn(times, { isDeskOnly: true }),
    ],
    filters: [
      ...declared,
      { name: 'metadata', label: t('Another member'), kind: 'member' },
      { name: 'objectId', label: 'objectId', kind: 'text' },
      ...stampFilters,
    ],
  };
}

type Members = Given & { readonly members: readonly string[] };

function memberColumns({ appId, bucketName, columns, members, times }: Members): Column<BucketRecord>[] {
  const link = (record: BucketRecord, text: string) => (
    <Link
      to="/apps/$appId/buckets/$bucketName/records/$recordId"
      params={{ appId, bucketName, recordId: record.objectId }}
    >
      {text === '' ? <span className="mono">{record.objectId}</span> : text}
    </Link>
  );
  if (members.length === 0)
    return [{ name: 'objectId', label: 'objectId', sortBy: 'objectId', render: (record) => link(record, '') }];
  return members.map((name, index) => ({
    name,
    label: name,
    ...(isPath(name) ? { sortBy: `metadata.${name}` } : {}),
    // Not the first column, which is the title of a card on a phone.
    ...(columns[name] === 'Number' && index > 0 ? { isNumber: true as const } : {}),
    ...(columns[name] === 'Date' && index > 0 ? { isTime: true as const } : {}),
    render: (record) => {
      const text = cellText(record.metadata, name, { type: columns[name], times });
      if (index === 0) return link(record, text);
      // Null, so that a card on a phone leaves the line out.
      return text === '' ? null : <span className={classes.value}>{text}</span>;
    },
  }));
}

const longest = 160;

function cellText(document: JsonObject, name: string, { type, times }: { type: string | undefined; times: Times }) {
  const value: unknown = Object.hasOwn(document, name) ? document[name] : undefined;
  if (value === undefined || value === null) return '';
  const iso = type === 'Date' ? isoOf(value) : undefined;
  if (iso !== undefined) return timeText(iso, times);
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}

/** A date that was stored without a time is that day everywhere. */
function timeText(iso: string, times: Times): string {
  return /^\d{4}-\d{2}-\d{2}$/.test(iso) ? timesIn('UTC').date(iso) : times.dateTime(iso);
}

function isoOf(value: unknown): string | undefined {
  const iso = typeof value === 'object' && value !== null ? (value as { iso?: unknown }).iso : value;
  return typeof iso === 'string' && !Number.isNaN(Date.parse(iso)) ? iso : undefined;
}
