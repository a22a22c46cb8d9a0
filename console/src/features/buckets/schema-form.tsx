import { ActionIcon, Alert, Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { type Answer, type Body, operations } from '@pharos/sdk';
import { useState } from 'react';
import { ConfirmedAction } from '../../components/dialogs/confirm-dialog.tsx';
import { SharedForm } from '../../components/form/page-form.tsx';
import { useRecordForm } from '../../components/form/use-record-form.ts';
import { Block, FailureNote, Icon } from '../../components/page/blocks.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { restoreFromTrash, trashKey } from '../../lib/data/history.ts';
import { bucketsQuery } from '../../lib/data/queries.ts';
import { rich, t } from '../../lib/words/words.ts';
import classes from './buckets.module.css';
import { schemasQuery } from './queries.ts';
import { typeLabels } from './record-cells.ts';

type SchemaRecord = Answer<'listSchemas'>['results'][number];

const types = Object.entries(typeLabels).map(([value, label]) => ({ value, label }));

interface ColumnRow {
  readonly name: string;
  readonly type: string;
}

interface SchemaFields {
  readonly rows: readonly ColumnRow[];
}

const bodyOf = ({ rows }: SchemaFields) => ({
  column: Object.fromEntries(rows.map(({ name, type }) => [name.trim(), { type }])),
});

/** Columns are compared one by one. */
const parts = {
  of: ({ rows }: SchemaFields) => Object.fromEntries(rows.map(({ name, type }) => [name.trim(), type])),
  join: (columns: Readonly<Record<string, unknown>>) => ({
    rows: Object.entries(columns).map(([name, type]) => ({ name, type: String(type) })),
  }),
};

interface FormProps {
  readonly appId: string;
  readonly bucketName: string;
  readonly title: string;
  readonly schema?: SchemaRecord;
  readonly onClose?: () => void;
}

export function SchemaForm({ appId, bucketName, title, schema, onClose }: FormProps) {
  const { call } = dataOf(appId);
  const params = { bucketName, objectId: schema?.objectId ?? '' };
  const [isDeleting, setDeleting] = useState(false);
  const mayWrite = useMayCall()('updateSchema');
  const shared = useRecordForm<SchemaRecord, SchemaFields, object>({
    name: `schema ${schema?.objectId ?? `new ${appId} ${bucketName}`}`,
    record: schema,
    fieldsOf: (stored) => ({ rows: rowsOf(stored) }),
    bodyOf,
    parts,
    check: ({ rows }) => rows.flatMap(({ name }, index) => ownProblem(rows, name, index)),
    read: async () => (await call(operations.getSchema, { params })).result as SchemaRecord,
    change: async (body, ifMatch) =>
      (await call(operations.updateSchema, { params, body: body as Body<'updateSchema'>, ifMatch })).result[0] ?? {},
    create: async (body) =>
      (await call(operations.createSchema, { params, body: body as Body<'createSchema'> })).result,
    done: t('The columns are saved.'),
    refresh: [schemasQuery(appId, bucketName).queryKey, bucketsQuery(appId).queryKey],
    after: () => onClose?.(),
    labels: {},
  });
  const { form: fields, isBusy } = shared;
  const { rows } = fields.values;
  const setRows = (next: readonly ColumnRow[]) => fields.set('rows', next);
  const shown = rows.flatMap(({ name }, index) => [
    `row ${index}`,
    `column.${name.trim()}`,
    `column.${name.trim()}.type`,
  ]);
  return (
    <Block title={title}>
      <SharedForm shared={shared} isLocked={!mayWrite}>
        <Stack gap={0}>
          {rows.map((row, index) => (
            <ColumnFields
              // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity
              key={index}
              row={row}
              isLocked={!mayWrite}
              nameProblem={fields.problem(`row ${index}`) ?? fields.problem(`column.${row.name.trim()}`)}
              typeProblem={fields.problem(`column.${row.name.trim()}.type`)}
              onChange={(next) => {
                setRows(rows.flatMap((one, at) => (at === index ? (next ?? []) : [one])));
                for (const field of [`row ${index}`, `column.${row.name.trim()}`]) fields.clearProblem(field);
              }}
            />
          ))}
        </Stack>
        <FailureNote message={fields.rest(shown)} />
        {mayWrite && (
          <Actions
            isBusy={isBusy}
            isEmpty={rows.length === 0}
            onAdd={() => setRows([...rows, { name: '', type: 'String' }])}
            onDelete={schema && (() => setDeleting(true))}
            onCancel={onClose}
          />
        )}
        {rows.length === 0 && (
          <Alert color="gray" mt="sm">
            {t('A schema needs at least one column. To declare none, delete the schema.')}
          </Alert>
        )}
      </SharedForm>
      {schema && (
        <DeleteSchema
          appId={appId}
          bucketName={bucketName}
          schema={schema}
          isOpen={isDeleting}
          onClose={() => setDeleting(false)}
        />
      )}
    </Block>
  );
}

interface ActionsProps {
  readonly isBusy: boolean;
  readonly isEmpty: boolean;
  readonly onAdd: () => void;
  readonly onDelete: (() => void) | undefined;
  readonly onCancel: (() => void) | undefined;
}

function Actions({ isBusy, isEmpty, onAdd, onDelete, onCancel }: ActionsProps) {
  return (
    <Group justify="space-between" mt="sm">
      <Button variant="subtle" size="xs" leftSection={<Icon name="plus" size={14} />} onClick={onAdd}>
        {t('Add a column')}
      </Button>
      <Group gap="xs">
        {onDelete && <Button onClick={onDelete}>{t('Delete')}</Button>}
        {onCancel && <Button onClick={onCancel}>{t('Cancel')}</Button>}
        <Button variant="filled" type="submit" loading={isBusy} disabled={isEmpty}>
          {t('Save the columns')}
        </Button>
      </Group>
    </Group>
  );
}

function rowsOf(schema: SchemaRecord | undefined): readonly ColumnRow[] {
  const declared = Object.entries((schema?.metadata ?? {}) as Readonly<Record<string, { readonly type: string }>>);
  return schema ? declared.map(([name, { type }]) => ({ name, type })) : [{ name: '', type: 'String' }];
}

function ownProblem(rows: readonly ColumnRow[], name: string, index: number) {
  if (name.trim() === '') return [{ field: `row ${index}`, problem: t('Fill this in') }];
  const first = rows.findIndex((row) => row.name.trim() === name.trim());
  return first < index ? [{ field: `row ${index}`, problem: t('is already declared') }] : [];
}

interface ColumnProps {
  readonly row: ColumnRow;
  readonly isLocked: boolean;
  readonly nameProblem: string | undefined;
  readonly typeProblem: string | undefined;
  readonly onChange: (row: ColumnRow | undefined) => void;
}

function ColumnFields({ row, isLocked, nameProblem, typeProblem, onChange }: ColumnProps) {
  return (
    <div className={classes.column}>
      <TextInput
        aria-label={t('Name of the column')}
        placeholder={t('species')}
        autoComplete="off"
        spellCheck={false}
        value={row.name}
        error={nameProblem}
        disabled={isLocked}
        onChange={({ currentTarget: { value } }) => onChange({ ...row, name: value })}
      />
      <NativeSelect
        aria-label={t('Type of {name}', { name: row.name || t('the column') })}
        data={types}
        value={row.type}
        error={typeProblem}
        disabled={isLocked}
        onChange={({ currentTarget: { value } }) => onChange({ ...row, type: value })}
      />
      {!isLocked && (
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={t('Remove {name}', { name: row.name || t('the column') })}
          onClick={() => onChange(undefined)}
        >
          <Icon name="close" />
        </ActionIcon>
      )}
    </div>
  );
}

interface DeleteProps {
  readonly appId: string;
  readonly bucketName: string;
  readonly schema: SchemaRecord;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function DeleteSchema({ appId, bucketName, schema, isOpen, onClose }: DeleteProps) {
  return (
    <ConfirmedAction
      isOpen={isOpen}
      onClose={onClose}
      title={t('Delete the schema')}
      run={() => dataOf(appId).call(operations.deleteSchema, { params: { bucketName, objectId: schema.objectId } })}
      done={t('The columns are no longer declared.')}
      undo={() => restoreFromTrash(appId, 'schemas', schema.objectId)}
      refresh={[trashKey(appId), schemasQuery(appId, bucketName).queryKey, bucketsQuery(appId).queryKey]}
    >
      {rich(
        '<b>{list}</b> will no longer be checked. Existing records do not change. The schema stays in the trash for 30 days.',
        { list: Object.keys(schema.metadata).join(', ') },
      )}
    </ConfirmedAction>
  );
}
