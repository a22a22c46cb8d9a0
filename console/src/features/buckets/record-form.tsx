import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import type { BucketRecord, JsonObject } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { JsonEditor } from '../../components/code/json-editor.tsx';
import { PageForm } from '../../components/form/page-form.tsx';
import type { Fields } from '../../components/form/use-fields.ts';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { Block } from '../../components/page/blocks.tsx';
import { dataOf } from '../../lib/data/api.ts';
import { ownFilePath } from '../../lib/data/own-files.ts';
import { bucketsQuery } from '../../lib/data/queries.ts';
import { readJsonObject } from '../../lib/text/json-text.ts';
import { useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import { recordKeys } from './queries.ts';
import { sampleQuery } from './record/linked-records.ts';
import {
  documentOf,
  fieldOf,
  type Ground,
  type Kind,
  kindLabels,
  newRow,
  type RecordFields,
  type RecordRow,
  recordProblems,
  rowsOf,
} from './record/record-fields.ts';
import { RecordInput } from './record/record-inputs.tsx';
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
  /** A new one begins as a copy of this one. */
  readonly model?: BucketRecord;
  readonly isLocked?: boolean;
  readonly after?: () => unknown;
  readonly onCancel: () => void;
}

/** Edits a record: a field for each member, by what the schema declares and what the app writes. */
export function BucketRecordForm(props: FormProps) {
  const { place, columns } = props;
  const { appId, bucketName } = place;
  const { data: sample, error } = useQuery(sampleQuery(appId, bucketName));
  const { zone } = useTimes(appId);
  if (!sample && !error) return null;
  const isFile = (text: string) => ownFilePath(text, appId) !== undefined;
  return <RecordForm key={zone} {...props} ground={{ columns, sample: sample ?? [], zone, isFile }} />;
}

function RecordForm(props: FormProps & { readonly ground: Ground }) {
  const { place, record, model, ground, isLocked = false, after, onCancel } = props;
  const { appId, bucketName } = place;
  const { zone } = ground;
  const bucket = dataOf(appId).bucket(bucketName);
  const id = record?.objectId ?? '';
  const [isJson, setIsJson] = useState(false);
  const shape = (rows: readonly RecordRow[], asJson: boolean): RecordFields => ({
    rows,
    json: asJson ? JSON.stringify(documentOf({ rows }, zone), null, 2) : undefined,
  });
  const fieldsOf = (stored?: BucketRecord) => shape(rowsOf(stored?.metadata ?? {}, ground), isJson);
  const shared = useRecordForm<BucketRecord, RecordFields, object>({
    name: `record fields ${id || `new ${model?.objectId ?? `${appId} ${bucketName}`}`}`,
    record,
    ...(model ? { start: fieldsOf(model) } : {}),
    fieldsOf,
    // `metadata` alone replaces the whole document, so that members that were cleared go.
    bodyOf: (fields) => ({ metadata: documentOf(fields, zone) }),
    // Members are compared one by one.
    parts: {
      of: (fields) => documentOf(fields, zone),
      join: (members) => shape(rowsOf(members as JsonObject, ground), isJson),
    },
    check: recordProblems,
    read: () => bucket.get(id),
    change: async (body, ifMatch) => (await bucket.update(id, body as JsonObject, { ifMatch })) ?? {},
    create: (body, again) => bucket.create((body as { readonly metadata: JsonObject }).metadata, again),
    done: record ? t('The record is saved.') : t('The record is added.'),
    refresh: recordKeys(appId),
    after: () => after?.(),
    labels: {},
  });
  const { form } = shared;
  const { rows, json } = form.values;
  // A draft may be in JSON.
  if (json !== undefined && !isJson) setIsJson(true);
  const read = json === undefined ? undefined : readJsonObject(json);
  /** Fields, or the document as JSON; what was typed goes along, and nothing counts as changed by it. */
  function turn() {
    const base = form.currentBase().rows;
    if (json === undefined) form.rebase(shape(base, true), shape(form.current().rows, true));
    else if (read && 'value' in read) form.rebase(shape(base, false), shape(rowsOf(read.value, ground), false));
    else return form.setProblems(recordProblems(form.values));
    setIsJson(json === undefined);
  }
  return (
    <PageForm
      shared={shared}
      names={json === undefined ? rows.map(({ name }) => fieldOf(name)) : ['json']}
      submit={record ? t('Save') : t('Add the record')}
      isLocked={isLocked}
      onCancel={onCancel}
    >
      {json === undefined ? (
        <RecordRows appId={appId} form={form} zone={zone} isLocked={isLocked} />
      ) : (
        <JsonEditor
          label={t('The record as JSON')}
          description={about(ground.columns)}
          value={json}
          onChange={(next) => form.set('json', next)}
          error={form.problem('json')}
          isReadOnly={isLocked}
        />
      )}
      <Group mt="md">
        <Button size="xs" onClick={turn}>
          {json === undefined ? t('Edit as JSON') : t('Edit in fields')}
        </Button>
      </Group>
      {isLocked && (
        <Text size="md" c="dimmed">
          {t('Your role can read records, but not change them.')}
        </Text>
      )}
    </PageForm>
  );
}

type Form = Fields<RecordFields>;

interface RowsProps {
  readonly appId: string;
  readonly form: Form;
  readonly zone: string;
  readonly isLocked: boolean;
}

function RecordRows({ appId, form, zone, isLocked }: RowsProps) {
  const { rows } = form.values;
  const change = (name: string, value: RecordRow['value']) => {
    form.set(
      'rows',
      form.current().rows.map((row) => (row.name === name ? { ...row, value } : row)),
    );
    form.clearProblem(fieldOf(name));
  };
  return (
    <Block title={t('Fields')} about={isLocked ? undefined : t('A field that is empty is left out of the record.')}>
      <Stack gap="md" maw={620}>
        {rows.map((row) => (
          <RecordInput
            key={row.name}
            appId={appId}
            row={row}
            zone={zone}
            isLocked={isLocked}
            error={form.problem(fieldOf(row.name))}
            onChange={(value) => change(row.name, value)}
          />
        ))}
        {rows.length === 0 && (
          <Text size="md" c="dimmed">
            {t('No fields yet.')}
          </Text>
        )}
        {!isLocked && (
          <NewField appId={appId} rows={rows} onAdd={(row) => form.set('rows', [...form.current().rows, row])} />
        )}
      </Stack>
    </Block>
  );
}

interface NewFieldProps {
  readonly appId: string;
  readonly rows: readonly RecordRow[];
  readonly onAdd: (row: RecordRow) => void;
}

function NewField({ appId, rows, onAdd }: NewFieldProps) {
  const { data: buckets = [] } = useQuery(bucketsQuery(appId));
  const [name, setName] = useState('');
  const [kind, setKind] = useState<Kind>('text');
  const [className, setClass] = useState('Beacon');
  const isTaken = rows.some((row) => row.name === name.trim());
  function add() {
    onAdd(newRow(name.trim(), kind, kind === 'pointer' ? className : undefined));
    setName('');
  }
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        label={t('Another field')}
        placeholder={t('Its name')}
        autoComplete="off"
        spellCheck={false}
        value={name}
        error={isTaken && t('There is a field with this name.')}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <NativeSelect
        aria-label={t('Kind of the field')}
        data={Object.entries(kindLabels).map(([value, label]) => ({ value, label }))}
        value={kind}
        onChange={({ currentTarget }) => setKind(currentTarget.value as Kind)}
      />
      {kind === 'pointer' && (
        <NativeSelect
          aria-label={t('What it points to')}
          data={[
            { value: 'Beacon', label: t('A beacon') },
            ...buckets.map((bucket) => ({ value: bucket.name, label: bucket.name })),
          ]}
          value={className}
          onChange={({ currentTarget }) => setClass(currentTarget.value)}
        />
      )}
      <Button disabled={name.trim() === '' || isTaken} onClick={add}>
        {t('Add the field')}
      </Button>
    </Group>
  );
}

function about(columns: Columns): string {
  const declared = Object.entries(columns).map(([name, type]) => `${name}: ${type}`);
  if (declared.length === 0) return t('Any object: the bucket declares no columns.');
  return t('Declared columns: {list}. A declared member must have this type or be left out; others are free.', {
    list: declared.join(', '),
  });
}
