import { Alert, Badge, Button, FileInput, Group, Progress, SegmentedControl, Text } from '@mantine/core';
import type { Beacon, Body } from '@pharos/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Block } from '../../components/block.tsx';
import { FailureNote } from '../../components/failure-note.tsx';
import { Icon } from '../../components/icon.tsx';
import { SectionHeader } from '../../components/page-header.tsx';
import { useMayCall } from '../../lib/access.ts';
import { allRecords, download } from '../../lib/all-records.ts';
import { dataOf } from '../../lib/api.ts';
import { CsvError, parseCsv, writeCsv } from '../../lib/csv.ts';
import { useAction } from '../../lib/use-action.ts';
import classes from './beacons.module.css';
import { csvColumns } from './csv-columns.ts';
import { type PlannedRow, planImport, type RowKind } from './import-plan.ts';
import { beaconKeys } from './queries.ts';

const route = getRouteApi('/signed-in/apps/$appId/beacons/import');
/** Rows that are drawn; the counts and the import itself are about all. */
const mostDrawn = 200;
const mostBytes = 20_000_000;

/** What became of a row: nothing yet, done, or the service's words. */
type Outcome = 'done' | { readonly failed: string };

export function ImportPage() {
  const { appId } = route.useParams();
  const mayWrite = useMayCall()('createBeacon');
  const [rows, setRows] = useState<readonly PlannedRow[]>();
  const read = useAction({
    run: (file: File) => planFile(appId, file),
    showsError: true,
    after: (plan) => setRows(plan),
  });
  if (!mayWrite) return <Text>Your role does not include changing beacons. Owners, managers and installers do.</Text>;
  return (
    <>
      <SectionHeader title="Import beacons">
        <Link to="/apps/$appId/beacons" params={{ appId }} className={classes.back}>
          All beacons
        </Link>
      </SectionHeader>
      <Block
        title="The file"
        about={
          <>
            CSV with the columns {csvColumns.join(', ')}. A row changes the beacon with its objectId, else the one with
            its UUID, major and minor, else it adds one. A column that is left out leaves its values alone. Nothing is
            changed until you have seen what would be.
          </>
        }
      >
        <Group align="flex-end">
          <FileInput
            label="CSV file"
            placeholder="Choose a file"
            accept=".csv,text/csv"
            leftSection={<Icon name="upload" size={16} />}
            className={classes.file}
            onChange={(file) => {
              setRows(undefined);
              if (file) read.mutate(file);
            }}
          />
          <Button
            variant="default"
            onClick={() => download('beacons-template.csv', 'text/csv;charset=utf-8', [writeCsv([csvColumns, sample])])}
          >
            Get a sample
          </Button>
        </Group>
        <div className={classes.gapAbove}>
          <FailureNote message={read.error?.message} />
        </div>
      </Block>
      {read.isPending && <Text mt="md">Reading the file and the beacons that there are …</Text>}
      {rows && <Preview key={rows.length} appId={appId} rows={rows} />}
    </>
  );
}

const sample = [
  '',
  'Main hall',
  'B9407F30-F5F8-466E-AFF9-25556B57FE6D',
  '1',
  '12',
  '4.2',
  '7.5',
  '0',
  '',
  '',
  '',
  '{"greeting":"Welcome"}',
];

async function planFile(appId: string, file: File): Promise<readonly PlannedRow[]> {
  if (file.size > mostBytes) throw new CsvError('The file is larger than 20 MB. Split it.');
  const table = parseCsv(await file.text());
  const beacons: Beacon[] = [];
  for await (const page of allRecords(dataOf(appId).beacons.list)) beacons.push(...page);
  const plan = planImport(table, beacons);
  if (typeof plan === 'string') throw new CsvError(plan);
  return plan;
}

const kinds: readonly { readonly kind: RowKind; readonly label: string; readonly color: string }[] = [
  { kind: 'new', label: 'new', color: 'teal' },
  { kind: 'changed', label: 'changed', color: 'blue' },
  { kind: 'unchanged', label: 'unchanged', color: 'gray' },
  { kind: 'refused', label: 'refused', color: 'red' },
];

function Preview({ appId, rows }: { readonly appId: string; readonly rows: readonly PlannedRow[] }) {
  const [shown, setShown] = useState<RowKind | 'all'>('all');
  const [outcomes, setOutcomes] = useState<ReadonlyMap<number, Outcome>>(new Map());
  const queries = useQueryClient();
  const todo = rows.filter(({ kind, line }) => (kind === 'new' || kind === 'changed') && outcomes.get(line) !== 'done');
  const failed = [...outcomes.values()].filter((outcome) => outcome !== 'done').length;
  const done = outcomes.size - failed;
  const apply = useAction({
    run: () => applyRows(appId, todo, (fresh) => setOutcomes((known) => new Map([...known, ...fresh]))),
    after: () => Promise.all(beaconKeys(appId).map((queryKey) => queries.invalidateQueries({ queryKey }))),
  });
  const visible = rows.filter(({ kind }) => shown === 'all' || kind === shown);
  const total = outcomes.size + todo.filter(({ line }) => !outcomes.has(line)).length;
  const count = (kind: RowKind) => rows.filter((row) => row.kind === kind).length;
  return (
    <Block title={outcomes.size === 0 ? 'What would happen' : 'What happened'}>
      <Group justify="space-between" mb="md">
        <div className={classes.kinds}>
          <SegmentedControl
            size="xs"
            aria-label="Rows to show"
            data={[
              { value: 'all', label: `${rows.length.toLocaleString('en')} rows` },
              ...kinds.map(({ kind, label }) => ({
                value: kind,
                label: `${count(kind).toLocaleString('en')} ${label}`,
              })),
            ]}
            value={shown}
            onChange={(value) => setShown(value as RowKind | 'all')}
          />
        </div>
        {todo.length > 0 && (
          <Button loading={apply.isPending} onClick={() => apply.mutate()}>
            {failed > 0
              ? `Try ${todo.length.toLocaleString('en')} again`
              : `Import ${todo.length.toLocaleString('en')}`}
          </Button>
        )}
      </Group>
      {outcomes.size > 0 && (
        <div className={classes.progress} role="status">
          <Progress value={(100 * outcomes.size) / Math.max(total, 1)} color={failed > 0 ? 'yellow' : 'teal'} />
          <Text size="sm" mt={4}>
            {done.toLocaleString('en')} of {total.toLocaleString('en')} rows are in
            {failed > 0 ? `, ${failed.toLocaleString('en')} were refused by the service.` : '.'}
          </Text>
        </div>
      )}
      {todo.length === 0 && outcomes.size === 0 && <Alert color="gray">There is nothing to import in this file.</Alert>}
      <ul className={classes.diff} aria-label="Rows of the file">
        {visible.slice(0, mostDrawn).map((row) => (
          <Row key={row.line} row={row} outcome={outcomes.get(row.line)} />
        ))}
      </ul>
      {visible.length > mostDrawn && (
        <Text size="sm" c="dimmed" mt="xs">
          And {(visible.length - mostDrawn).toLocaleString('en')} more rows.
        </Text>
      )}
    </Block>
  );
}

function Row({ row, outcome }: { readonly row: PlannedRow; readonly outcome: Outcome | undefined }) {
  const { label, color } = kinds.find(({ kind }) => kind === row.kind) ?? { label: row.kind, color: 'gray' };
  const failed = outcome !== undefined && outcome !== 'done' ? outcome.failed : undefined;
  return (
    <li className={classes[`kind-${row.kind}`]}>
      <div className={classes.diffHead}>
        <span className={classes.line}>{row.line}</span>
        <Badge color={color} variant="light">
          {label}
        </Badge>
        <span className={classes.diffName}>{row.name || 'without a name'}</span>
        {outcome === 'done' && (
          <Badge color="teal" variant="outline">
            in
          </Badge>
        )}
      </div>
      {row.differences.map(({ member, before, after }) => (
        <div key={member} className={classes.change}>
          <span className={classes.soft}>{member}</span> <del>{before}</del> <ins>{after}</ins>
        </div>
      ))}
      {(row.problem ?? failed) && <div className={classes.problem}>{row.problem ?? failed}</div>}
    </li>
  );
}

const atOnce = 4;

/** Milliseconds between two drawings of the progress. */
const drawEvery = 200;

/** Goes on after a row that the service refuses: every row ends as done or with its own words. */
async function applyRows(
  appId: string,
  rows: readonly PlannedRow[],
  onProgress: (fresh: ReadonlyMap<number, Outcome>) => void,
): Promise<void> {
  const waiting = rows.values();
  let fresh = new Map<number, Outcome>();
  let drawnAt = performance.now();
  const draw = () => {
    onProgress(fresh);
    fresh = new Map();
    drawnAt = performance.now();
  };
  const work = async () => {
    for (const row of waiting) {
      fresh.set(row.line, await applyRow(appId, row));
      if (performance.now() - drawnAt > drawEvery) draw();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  draw();
}

async function applyRow(appId: string, { beaconId, members }: PlannedRow): Promise<Outcome> {
  const { beacons } = dataOf(appId);
  try {
    if (beaconId === undefined) await beacons.create(members as Body<'createBeacon'>);
    else await beacons.update(beaconId, members as Body<'updateBeacon'>);
    return 'done';
  } catch (error) {
    return { failed: error instanceof Error ? error.message : 'It did not work.' };
  }
}
