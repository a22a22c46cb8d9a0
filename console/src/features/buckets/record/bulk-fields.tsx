import type { Bulk } from '../../../components/bulk/bulk.ts';
import { type AnyBulkField, bulkField, membersBulk } from '../../../components/bulk/bulk-fields.tsx';
import { t } from '../../../lib/words/words.ts';
import { recordKeys } from '../queries.ts';
import { emptyRows, type Ground, type RecordRow, readRow } from './record-fields.ts';
import { RecordInput } from './record-inputs.tsx';

interface Given {
  readonly appId: string;
  readonly bucketName: string;
  readonly ground: Ground;
}

export const recordBulk = ({ appId, bucketName, ground }: Given): Bulk => ({
  kind: 'records',
  change: 'patchRecord',
  remove: 'deleteRecord',
  bucketName,
  fields: [
    ...emptyRows(ground).map((row) => fieldOf(appId, row, ground.zone)),
    membersBulk({ label: t('Another member'), path: ['metadata'] }),
  ],
  refresh: recordKeys(appId),
});

const fieldOf = (appId: string, row: RecordRow, zone: string): AnyBulkField =>
  bulkField<RecordRow['value']>({
    label: row.name,
    path: ['metadata', row.name],
    isOptional: true,
    start: row.value,
    control: ({ value, onChange, error }) => (
      <RecordInput
        appId={appId}
        row={{ ...row, value }}
        zone={zone}
        isLocked={false}
        error={error}
        onChange={onChange}
      />
    ),
    read: (value) => readRow({ ...row, value }, zone),
  });
