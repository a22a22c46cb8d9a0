import { Button } from '@mantine/core';
import type { Body } from '@pharos/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { changeAsPreviewed } from '../../../components/import/as-previewed.ts';
import { createBeaconOnce } from '../../../components/import/create-once.ts';
import { FileImport } from '../../../components/import/file-import.tsx';
import type { PlanOptions } from '../../../components/import/import-rows.ts';
import { BackLink, PageHeader } from '../../../components/page/page-header.tsx';
import { download } from '../../../lib/actions/download.ts';
import type { KeptFile } from '../../../lib/actions/kept-file.ts';
import { useAppId } from '../../../lib/data/access.ts';
import { listAll } from '../../../lib/data/all-records.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { completed, parseCsv, writeCsv } from '../../../lib/text/csv.ts';
import { t } from '../../../lib/words/words.ts';
import { beaconKeys } from '../queries.ts';
import { csvColumns, missingColumns } from './csv-columns.ts';
import { type PlannedRow, planImport } from './import-plan.ts';

export function ImportBeaconsPage() {
  const appId = useAppId();
  const queries = useQueryClient();
  return (
    <>
      <PageHeader
        title={t('Import beacons')}
        back={<BackLink label={t('All beacons')} to="/apps/$appId/beacons" params={{ appId }} />}
      />
      <FileImport
        keepAs={`import beacons ${appId}`}
        label={t('CSV or Excel file')}
        accept=".csv,.txt,.xlsx,text/csv"
        columns={csvColumns}
        about={t(
          'A CSV file or an Excel workbook with the columns of the sample. A row changes the beacon with its objectId, or else the one with its UUID, major and minor; if there is none, it adds one. Columns may be left out. You see a preview before anything is changed.',
        )}
        tools={
          <Button
            onClick={() =>
              download('beacons-template.csv', 'text/csv;charset=utf-8', ['\uFEFF', writeCsv([csvColumns, sample])])
            }
          >
            {t('Download a sample')}
          </Button>
        }
        sameHead={sameHead}
        lacks={missingColumns}
        plan={(file, options) => planFile(appId, file, options)}
        apply={(row) => applyRow(appId, row)}
        after={() => Promise.all(beaconKeys(appId).map((queryKey) => queries.invalidateQueries({ queryKey })))}
      />
    </>
  );
}

const sample = [
  '',
  t('Main hall'),
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
  '',
  '',
];

/** Headings are compared ignoring case. */
const sameHead = (name: string) => name.toLowerCase();

async function planFile(
  appId: string,
  { text, chosen, given }: KeptFile,
  options: PlanOptions,
): Promise<readonly PlannedRow[]> {
  const table = completed(parseCsv(text, { same: sameHead, ...(chosen ? { chosen } : {}) }), given);
  return planImport(table, await listAll(dataOf(appId).beacons.list), options);
}

async function applyRow(appId: string, { beaconId, before = {}, members }: PlannedRow): Promise<void> {
  const { beacons } = dataOf(appId);
  if (beaconId !== undefined)
    return changeAsPreviewed({
      before,
      after: members,
      read: () => beacons.get(beaconId),
      send: (ifMatch) => beacons.update(beaconId, members as Body<'updateBeacon'>, { ifMatch }),
    });
  await createBeaconOnce(appId, members as Body<'createBeacon'>);
}
