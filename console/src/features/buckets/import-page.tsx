import { Skeleton, Switch } from '@mantine/core';
import type { JsonObject } from '@pharos/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { changeAsPreviewed } from '../../components/import/as-previewed.ts';
import { createOnce } from '../../components/import/create-once.ts';
import { FileImport } from '../../components/import/file-import.tsx';
import type { PlanOptions } from '../../components/import/import-rows.ts';
import { FailureNote } from '../../components/page/blocks.tsx';
import type { KeptFile } from '../../lib/actions/kept-file.ts';
import { listAll } from '../../lib/data/all-records.ts';
import { dataOf } from '../../lib/data/api.ts';
import { isJsonFile } from '../../lib/text/table-file.ts';
import type { Bucket } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { BucketHeader } from './bucket-header.tsx';
import { listRecordsOf, missingBucket, recordKeys, useBucket } from './queries.ts';
import { typeLabels } from './record-cells.ts';
import { knownHead, planRecords, type RecordRow, readCsvRecords, readJsonRecords } from './record-rows.ts';

const route = getRouteApi('/signed-in/apps/$appId/buckets/$bucketName/import');

export function ImportRecordsPage() {
  const { appId, bucketName } = route.useParams();
  const { bucket, error, isMissing } = useBucket(appId, bucketName);
  return (
    <>
      <BucketHeader appId={appId} bucketName={bucketName} title={t('Import records')} />
      <FailureNote message={error?.message ?? (isMissing ? missingBucket(bucketName) : undefined)} />
      {!bucket && !error && !isMissing && <Skeleton h={200} />}
      {bucket && <Import appId={appId} bucket={bucket} />}
    </>
  );
}

function Import({ appId, bucket }: { readonly appId: string; readonly bucket: Bucket }) {
  const [isCopy, setCopy] = useState(false);
  const queries = useQueryClient();
  const columns = Object.entries(bucket.columns).map(([name, type]) => `${name} (${typeLabels[type] ?? type})`);
  return (
    <FileImport
      keepAs={`import records ${appId} ${bucket.name}`}
      label={t('CSV, Excel or JSON file')}
      accept=".csv,.txt,.xlsx,.json,.jsonl,.ndjson,text/csv,application/json"
      planFor={String(isCopy)}
      about={t(
        'A CSV file or an Excel workbook with a column for each member, a JSON array of objects, or JSON Lines with one object a line. {hasCount, select, true {The declared columns are {list}. } other {}}A row with an objectId updates that record; any other row adds one, unless a record with the same content exists. You see a preview before anything is changed.',
        { list: columns.join(', '), hasCount: columns.length > 0 },
      )}
      tools={
        <Switch
          mb={8}
          label={t('Add every row as a new record, even if it has an objectId')}
          checked={isCopy}
          onChange={({ currentTarget }) => setCopy(currentTarget.checked)}
        />
      }
      sameHead={(name) => knownHead(name, bucket.columns)}
      plan={(file, { isLenient }) => planFile(appId, bucket, { file, isCopy, isLenient })}
      apply={(row) => applyRow(appId, bucket.name, row)}
      after={() => Promise.all(recordKeys(appId).map((queryKey) => queries.invalidateQueries({ queryKey })))}
    />
  );
}

async function planFile(
  appId: string,
  { name, columns }: Bucket,
  { file, isCopy, isLenient }: { readonly file: KeptFile; readonly isCopy: boolean } & PlanOptions,
): Promise<readonly RecordRow[]> {
  const { chosen } = file;
  const rows = isJsonFile(file)
    ? readJsonRecords(file.text)
    : readCsvRecords(file.text, columns, chosen ? { chosen } : {});
  const records = await listAll(listRecordsOf(appId, name));
  return planRecords(rows, { columns, records, isCopy, isLenient });
}

function applyRow(
  appId: string,
  bucketName: string,
  { objectId, before, document, copy }: RecordRow,
): Promise<unknown> {
  const bucket = dataOf(appId).bucket(bucketName);
  if (objectId === undefined && copy === undefined) return bucket.create(document);
  if (objectId === undefined)
    return createOnce([document, copy], {
      create: (again) => bucket.create(document, again),
      read: (id) => bucket.get(id),
    });
  // `metadata` alone replaces the whole document, so cleared members are removed.
  return changeAsPreviewed({
    before: { metadata: before },
    after: { metadata: document },
    read: () => bucket.get(objectId),
    send: (ifMatch) => bucket.update(objectId, { metadata: document } as JsonObject, { ifMatch }),
  });
}
