import { Alert, Badge, Box, Button, Group, Progress, SegmentedControl, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { underWay } from '../../lib/actions/cut-off.ts';
import { useAction } from '../../lib/actions/use-action.ts';
import { pageLanguage, t } from '../../lib/words/words.ts';
import { Block } from '../page/blocks.tsx';
import classes from './import.module.css';
import { applyRows, type ImportRow, type RowKind, type RowOutcome } from './import-rows.ts';

/** The number of rows shown; counts and import include all rows. */
const maxDrawn = 200;

const kinds: readonly { readonly kind: RowKind; readonly label: string; readonly color: string }[] = [
  { kind: 'new', label: t('new'), color: 'teal' },
  { kind: 'changed', label: t('changed'), color: 'blue' },
  { kind: 'unchanged', label: t('unchanged'), color: 'gray' },
  { kind: 'refused', label: t('refused'), color: 'red' },
];

interface Props<Row extends ImportRow> {
  /** The key of the running import. */
  readonly name: string;
  readonly rows: readonly Row[];
  readonly above?: ReactNode;
  /** Imports one row. An error is shown beside the row, and the import continues. */
  readonly apply: (row: Row) => Promise<unknown>;
  /** After each run. `isWhole`: nothing is left to import. */
  readonly after: (isWhole: boolean) => unknown;
}

export function ImportPreview<Row extends ImportRow>({ name, rows, above, apply, after }: Props<Row>) {
  const [shown, setShown] = useState<RowKind | 'all'>('all');
  const [outcomes, setOutcomes] = useState<ReadonlyMap<number, RowOutcome>>(new Map());
  const todo = rows.filter(({ kind, line }) => (kind === 'new' || kind === 'changed') && outcomes.get(line) !== 'done');
  const failed = [...outcomes.values()].filter((outcome) => outcome !== 'done').length;
  const run = useAction({
    run: async () => {
      const results = new Map<number, RowOutcome>();
      const note = (fresh: ReadonlyMap<number, RowOutcome>) => {
        for (const [line, outcome] of fresh) results.set(line, outcome);
        setOutcomes((known) => new Map([...known, ...fresh]));
      };
      // No notice after a reload: the page plans the file again, which says more.
      await underWay({ key: name }, () => applyRows(todo, apply, note));
      return [...results.values()].every((outcome) => outcome === 'done');
    },
    after: (isWhole) => after(isWhole),
  });
  const chosen = rows.filter(({ kind }) => shown === 'all' || kind === shown);
  // A warning must not be among those that are not drawn.
  const visible =
    chosen.length > maxDrawn ? chosen.toSorted((a, b) => Number(!a.warning) - Number(!b.warning)) : chosen;
  const total = outcomes.size + todo.filter(({ line }) => !outcomes.has(line)).length;
  return (
    <Block title={outcomes.size === 0 ? t('What would happen') : t('What happened')}>
      <Group justify="space-between" mb="md">
        <KindFilter rows={rows} value={shown} onChange={setShown} />
        {todo.length > 0 && (
          <Button variant="filled" loading={run.isPending} onClick={() => run.mutate()}>
            {failed > 0
              ? t('Try {count, number} again', { count: todo.length })
              : t('Import {count, number}', { count: todo.length })}
          </Button>
        )}
      </Group>
      {above}
      {outcomes.size > 0 && <Going total={total} done={outcomes.size - failed} failed={failed} />}
      {todo.length === 0 && outcomes.size === 0 && (
        <Alert color="gray">{t('There is nothing to import in this file.')}</Alert>
      )}
      <ul className={`bare ${classes.diff}`} aria-label={t('Rows of the file')}>
        {visible.slice(0, maxDrawn).map((row) => (
          <Row key={row.line} row={row} outcome={outcomes.get(row.line)} />
        ))}
      </ul>
      {visible.length > maxDrawn && (
        <Text c="dimmed" mt="xs">
          {t('And {count, number} more rows.', { count: visible.length - maxDrawn })}
        </Text>
      )}
    </Block>
  );
}

interface FilterProps {
  readonly rows: readonly ImportRow[];
  readonly value: RowKind | 'all';
  readonly onChange: (value: RowKind | 'all') => void;
}

function KindFilter({ rows, value, onChange }: FilterProps) {
  const count = (kind: RowKind) => rows.filter((row) => row.kind === kind).length;
  return (
    <div className={classes.kinds}>
      <SegmentedControl
        size="xs"
        withItemsBorders={false}
        aria-label={t('Rows to show')}
        data={[
          { value: 'all', label: t('{count, plural, one {1 row} other {# rows}}', { count: rows.length }) },
          ...kinds.map(({ kind, label }) => ({
            value: kind,
            label: `${count(kind).toLocaleString(pageLanguage())} ${label}`,
          })),
        ]}
        value={value}
        onChange={(next) => onChange(next as RowKind | 'all')}
      />
    </div>
  );
}

interface GoingProps {
  readonly total: number;
  readonly done: number;
  readonly failed: number;
}

function Going({ total, done, failed }: GoingProps) {
  return (
    <Box mb="1rem" role="status">
      <Progress
        value={(100 * (done + failed)) / Math.max(total, 1)}
        color={failed > 0 ? 'yellow' : 'teal'}
        aria-label={t('Rows that were sent')}
      />
      <Text mt={4}>
        {t(
          '{done, number} of {total, number} rows are in{hasFailed, select, true {, {failed, number} failed.} other {.}}',
          { done, total, failed, hasFailed: failed > 0 },
        )}
      </Text>
    </Box>
  );
}

function Row({ row, outcome }: { readonly row: ImportRow; readonly outcome: RowOutcome | undefined }) {
  const { label, color } = kinds.find(({ kind }) => kind === row.kind) ?? { label: row.kind, color: 'gray' };
  const failed = outcome !== undefined && outcome !== 'done' ? outcome.failed : undefined;
  return (
    <li className={classes[`kind-${row.kind}`]}>
      <Group gap="0.6rem" wrap="nowrap">
        <span className={classes.line}>{row.line}</span>
        <Badge color={color}>{label}</Badge>
        <span className={classes.diffName}>{row.name || t('without a name')}</span>
        {outcome === 'done' && <Badge color="teal">{t('in')}</Badge>}
      </Group>
      {row.differences.map(({ member, before, after }) => (
        <div key={member} className={classes.change}>
          <span className="soft">{member}</span> <del>{before}</del> <ins>{after}</ins>
        </div>
      ))}
      {row.kind !== 'refused' && row.unread && (
        <div className="soft">{t('Without: {list}.', { list: row.unread.join('; ') })}</div>
      )}
      {row.warning && (
        <Box ml="2.8rem" fz="0.88rem" c="var(--mantine-color-yellow-light-color)">
          {row.warning}
        </Box>
      )}
      {(row.problem ?? failed) && (
        <Box ml="2.8rem" fz="0.88rem" c="var(--mantine-color-error)">
          {row.problem ?? failed}
        </Box>
      )}
    </li>
  );
}
