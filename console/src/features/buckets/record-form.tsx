import { Stack, Text } from '@mantine/core';
import type { BucketRecord, JsonObject } from '@pharos/sdk';
import { JsonEditor } from '../../components/code/json-editor.tsx';
import { PageForm } from '../../components/form/page-form.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { dataOf } from '../../lib/data/api.ts';
import { readJsonObject } from '../../lib/text/json-text.ts';
import { recordKeys } from './queries.ts';
import type { Columns } from './record-cells.ts';

export interface BucketPlace {
  readonly appId: string;
  readonly bucketName: string;
}

interface FormProps {
  readonly place: BucketPlace;
  readonly columns: Columns;
  /** The record to edit; without it, a new one is created. */
  readonly record?: BucketRecord;
  /** What a new record begins with. */
  readonly start?: string;
  readonly isLocked?: boolean;
  readonly after?: () => unknown;
  readonly onCancel: () => void;
}

interface JsonFields {
  readonly document: string;
}

const fieldsOf = (record?: BucketRecord): JsonFields => ({
  document: record ? JSON.stringify(record.metadata, null, 2) : '{}',
});

/** Members are compared one by one; a text that is no JSON object is one part. */
const parts = {
  of({ document }: JsonFields): JsonObject {
    const read = readJsonObject(document);
    return 'value' in read ? read.value : { document };
  },
  join: (members: Readonly<Record<string, unknown>>): JsonFields => ({ document: JSON.stringify(members, null, 2) }),
};

/** Edits a record as JSON. Syntax errors are shown with their position, other errors as the service words them. */
export function BucketRecordForm(props: FormProps) {
  const { place, columns, record, start = '{}', isLocked = false, after, onCancel } = props;
  const { appId, bucketName } = place;
  const bucket = dataOf(appId).bucket(bucketName);
  const id = record?.objectId ?? '';
  const shared = useRecordForm<BucketRecord, JsonFields, object>({
    name: `record ${id || `new ${appId} ${bucketName}`}`,
    record,
    start: { document: start },
    fieldsOf,
    // `metadata` alone replaces the whole document, so removed members are deleted.
    bodyOf: (fields) => ({ metadata: parts.of(fields) }),
    parts,
    check({ document }) {
      const read = readJsonObject(document);
      return 'problem' in read ? [{ field: 'document', problem: read.problem.message }] : [];
    },
    read: () => bucket.get(id),
    change: async (body, ifMatch) => (await bucket.update(id, body as JsonObject, { ifMatch })) ?? {},
    create: (body) => bucket.create((body as { readonly metadata: JsonObject }).metadata),
    done: record ? 'The record is saved.' : 'The record is added.',
    refresh: recordKeys(appId),
    after: () => after?.(),
    labels: {},
  });
  const { form, submit, isBusy } = shared;
  return (
    <PageForm
      form={form}
      names={['document']}
      submit={record ? 'Save' : 'Add the record'}
      isBusy={isBusy}
      isLocked={isLocked}
      shared={shared}
      onSubmit={submit}
      onCancel={onCancel}
    >
      <Stack>
        <JsonEditor
          label="The record as JSON"
          description={about(columns)}
          value={form.values.document}
          onChange={(document) => form.set('document', document)}
          error={form.problem('document')}
          isReadOnly={isLocked}
        />
        {isLocked && <Text c="dimmed">Your role can read records, but not change them.</Text>}
      </Stack>
    </PageForm>
  );
}

function about(columns: Columns): string {
  const declared = Object.entries(columns).map(([name, type]) => `${name}: ${type}`);
  if (declared.length === 0) return 'Any object: the bucket declares no columns.';
  return `Declared columns: ${declared.join(', ')}. A declared member must have this type or be left out; others are free.`;
}
