import { Button, Text } from '@mantine/core';
import type { Beacon, Body } from '@pharos/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { FileImport } from '../../components/import/file-import.tsx';
import names from '../../components/page/names.module.css';
import { SectionHeader } from '../../components/page/page-header.tsx';
import type { KeptFile } from '../../lib/actions/kept-file.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { allRecords, download } from '../../lib/data/all-records.ts';
import { dataOf } from '../../lib/data/api.ts';
import { CsvError, parseCsv, writeCsv } from '../../lib/text/csv.ts';
import { csvColumns } from './csv-columns.ts';
import { type PlannedRow, planImport } from './import-plan.ts';
import { beaconKeys } from './queries.ts';

const route = getRouteApi('/signed-in/apps/$appId/beacons/import');

export function ImportPage() {
  const { appId } = route.useParams();
  const mayWrite = useMayCall()('createBeacon');
  const queries = useQueryClient();
  if (!mayWrite) return <Text>Your role does not include changing beacons. Owners, managers and installers do.</Text>;
  return (
    <>
      <SectionHeader title="Import beacons">
        <Link to="/apps/$appId/beacons" params={{ appId }} className={names.link}>
          All beacons
        </Link>
      </SectionHeader>
      <FileImport
        keepAs={`import beacons ${appId}`}
        label="CSV file"
        accept=".csv,text/csv"
        about={
          <>
            CSV with the columns {csvColumns.join(', ')}. A row changes the beacon with its objectId, else the one with
            its UUID, major and minor, else it adds one. A column that is left out leaves its values alone. Nothing is
            changed until you have seen what would be.
          </>
        }
        tools={
          <Button
            variant="default"
            onClick={() => download('beacons-template.csv', 'text/csv;charset=utf-8', [writeCsv([csvColumns, sample])])}
          >
            Get a sample
          </Button>
        }
        plan={(file) => planFile(appId, file)}
        apply={(row) => applyRow(appId, row)}
        after={() => Promise.all(beaconKeys(appId).map((queryKey) => queries.invalidateQueries({ queryKey })))}
      />
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

async function planFile(appId: string, { text }: KeptFile): Promise<readonly PlannedRow[]> {
  const table = parseCsv(text);
  const beacons: Beacon[] = [];
  for await (const page of allRecords(dataOf(appId).beacons.list)) beacons.push(...page);
  const plan = planImport(table, beacons);
  if (typeof plan === 'string') throw new CsvError(plan);
  return plan;
}

function applyRow(appId: string, { beaconId, members }: PlannedRow): Promise<unknown> {
  const { beacons } = dataOf(appId);
  return beaconId === undefined
    ? beacons.create(members as Body<'createBeacon'>)
    : beacons.update(beaconId, members as Body<'updateBeacon'>);
}
