import { ActionIcon, Button, Group, JsonInput, NativeSelect, SegmentedControl, Text, TextInput } from '@mantine/core';
import type { JsonObject } from '@pharos/sdk';
import { useState } from 'react';
import { t } from '../../lib/words/words.ts';
import { CodeBlock } from '../code/code-block.tsx';
import { Form } from '../form/form.tsx';
import { Icon } from '../page/blocks.tsx';
import {
  type Filter,
  type FilterField,
  type FilterRow,
  filterOf,
  newRow,
  operatorsOf,
  takesValue,
  whereOf,
} from './filter-rows.ts';
import classes from './list.module.css';

interface Props {
  readonly fields: readonly FilterField[];
  readonly where: JsonObject | undefined;
  readonly onApply: (where: JsonObject | undefined) => void;
  readonly onClose: () => void;
}

/** Edits a filter in rows. A filter that rows cannot express is edited as JSON. */
export function FilterPanel({ fields, where, onApply, onClose }: Props) {
  const given = filterOf(where, fields);
  const [json, setJson] = useState(given ? undefined : JSON.stringify(where, null, 2));
  const [filter, setFilter] = useState<Filter>(() => startOf(given, fields));
  const made = json === undefined ? whereOf(filter, fields) : parsed(json);
  const isBroken = json !== undefined && json.trim() !== '' && made === undefined;
  const back = json === undefined || isBroken ? undefined : filterOf(made, fields);
  function submit() {
    if (!isBroken) onApply(made);
  }
  return (
    <Form className={classes.filter} onSubmit={submit} aria-label={t('Filter')}>
      {json === undefined ? (
        <FilterRows fields={fields} filter={filter} onChange={setFilter} />
      ) : (
        <JsonInput
          label={t('Filter as JSON')}
          description={t('A where condition, as in the API.')}
          value={json}
          onChange={setJson}
          error={isBroken && t('This is not a JSON object.')}
          autosize
          minRows={4}
          spellCheck={false}
        />
      )}
      {json === undefined && made && <CodeBlock data-testid="where">{JSON.stringify(made)}</CodeBlock>}
      <Group justify="space-between" mt="sm">
        <Group gap="xs">
          <Button variant="filled" type="submit" size="xs" disabled={isBroken}>
            {t('Apply')}
          </Button>
          <Button size="xs" onClick={() => onApply(undefined)}>
            {t('Clear')}
          </Button>
          <Button size="xs" variant="subtle" color="gray" onClick={onClose}>
            {t('Close')}
          </Button>
        </Group>
        {json === undefined ? (
          <Button size="xs" variant="subtle" onClick={() => setJson(JSON.stringify(made ?? {}, null, 2))}>
            {t('Edit as JSON')}
          </Button>
        ) : (
          <Button
            size="xs"
            variant="subtle"
            disabled={!back}
            title={back ? undefined : t('This filter cannot be edited in rows.')}
            onClick={() => {
              if (back) setFilter(startOf(back, fields));
              setJson(undefined);
            }}
          >
            {t('Edit in rows')}
          </Button>
        )}
      </Group>
    </Form>
  );
}

function startOf(filter: Filter | undefined, fields: readonly FilterField[]): Filter {
  if (filter && filter.rows.length > 0) return filter;
  return { rows: fields[0] ? [newRow(fields[0])] : [], isAny: false };
}

function parsed(json: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(json);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

interface RowsProps {
  readonly fields: readonly FilterField[];
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
}

/** Conditions in rows, without the JSON. */
export function FilterRows({ fields, filter, onChange }: RowsProps) {
  const { rows, isAny } = filter;
  const set = (index: number, row: FilterRow | undefined) =>
    onChange({ ...filter, rows: rows.flatMap((one, at) => (at === index ? (row ?? []) : [one])) });
  return (
    <>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has no other identity
        <Row key={index} fields={fields} row={row} onChange={(next) => set(index, next)} />
      ))}
      <Group justify="space-between" gap="xs">
        <Button
          size="xs"
          variant="subtle"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => fields[0] && onChange({ ...filter, rows: [...rows, newRow(fields[0])] })}
        >
          {t('Add a condition')}
        </Button>
        {rows.length > 1 && (
          <Group gap="xs">
            <Text c="dimmed">{t('Match')}</Text>
            <SegmentedControl
              size="xs"
              aria-label={t('How the conditions are joined')}
              data={[
                { value: 'all', label: t('all of them') },
                { value: 'any', label: t('any of them') },
              ]}
              value={isAny ? 'any' : 'all'}
              onChange={(value) => onChange({ ...filter, isAny: value === 'any' })}
            />
          </Group>
        )}
      </Group>
    </>
  );
}

interface RowProps {
  readonly fields: readonly FilterField[];
  readonly row: FilterRow;
  readonly onChange: (row: FilterRow | undefined) => void;
}

function Row({ fields, row, onChange }: RowProps) {
  const field = fields.find(({ name }) => name === row.field) ?? fields[0];
  if (!field) return null;
  return (
    <div className={classes.filterRow}>
      <NativeSelect
        aria-label={t('Field')}
        data={fields.map(({ name, label }) => ({ value: name, label }))}
        value={row.field}
        onChange={({ currentTarget: { value } }) => {
          const next = fields.find(({ name }) => name === value);
          if (next) onChange(newRow(next));
        }}
      />
      {field.kind === 'member' && (
        <TextInput
          aria-label={t('Member')}
          placeholder={t('member, such as age')}
          value={row.path}
          onChange={({ currentTarget: { value } }) => onChange({ ...row, path: value })}
        />
      )}
      <NativeSelect
        aria-label={t('Operator')}
        data={operatorsOf(field.kind)}
        value={row.operator}
        onChange={({ currentTarget: { value } }) => onChange({ ...row, operator: value })}
      />
      {takesValue(row.operator) && <Value field={field} row={row} onChange={onChange} />}
      <ActionIcon
        variant="subtle"
        color="gray"
        size="lg"
        aria-label={t('Remove the condition')}
        onClick={() => onChange(undefined)}
      >
        <Icon name="close" />
      </ActionIcon>
    </div>
  );
}

function Value({
  field,
  row,
  onChange,
}: RowProps extends infer P ? Omit<P, 'fields'> & { field: FilterField } : never) {
  const set = (event: { currentTarget: { value: string } }) => onChange({ ...row, value: event.currentTarget.value });
  const choices =
    field.kind === 'boolean'
      ? [
          { value: 'true', label: t('yes') },
          { value: 'false', label: t('no') },
        ]
      : field.choices;
  if (field.control) return field.control({ value: row.value, onChange: (value) => onChange({ ...row, value }) });
  if (choices) return <NativeSelect aria-label={t('Value')} data={[...choices]} value={row.value} onChange={set} />;
  const dateType = row.value.length > 10 ? 'datetime-local' : 'date';
  return (
    <TextInput
      aria-label={t('Value')}
      placeholder={field.kind === 'number' ? t('number') : field.kind === 'pointer' ? 'objectId' : t('value')}
      type={field.kind === 'date' ? dateType : 'text'}
      title={field.kind === 'date' ? t('In {zone}', { zone: field.zone ?? 'UTC' }) : undefined}
      inputMode={field.kind === 'number' ? 'decimal' : undefined}
      value={field.kind === 'date' ? row.value.slice(0, 16) : row.value}
      onChange={set}
    />
  );
}
