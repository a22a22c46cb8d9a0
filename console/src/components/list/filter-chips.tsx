import { Badge, CloseButton, Group, Text } from '@mantine/core';
import type { JsonObject } from '@pharos/sdk';
import type { ReactNode } from 'react';
import { t } from '../../lib/words/words.ts';
import { type FilterField, type FilterRow, filterOf, rowText, takesValue, whereOf } from './filter-rows.ts';

interface ChipProps {
  /** For screen readers. */
  readonly removeLabel: string;
  readonly onRemove: () => void;
  readonly children: ReactNode;
}

export function Chip({ removeLabel, onRemove, children }: ChipProps) {
  return (
    <Badge size="lg" fw={500} rightSection={<CloseButton size="xs" aria-label={removeLabel} onClick={onRemove} />}>
      {children}
    </Badge>
  );
}

interface Props {
  readonly fields: readonly FilterField[];
  readonly where: JsonObject;
  readonly onChange: (where: JsonObject | undefined) => void;
}

export function FilterChips({ fields, where, onChange }: Props) {
  const filter = filterOf(where, fields);
  const rows = filter?.rows ?? [];
  const chip = (text: string, without: JsonObject | undefined, shown: ReactNode = text) => (
    <Chip key={text} removeLabel={t('Remove the filter {text}', { text })} onRemove={() => onChange(without)}>
      {shown}
    </Chip>
  );
  return (
    <Group gap="xs" mb="sm">
      {filter
        ? rows.map((row) =>
            chip(
              rowText(row, fields),
              whereOf({ ...filter, rows: rows.filter((one) => one !== row) }, fields),
              named(row, fields),
            ),
          )
        : chip(t('Custom filter'), undefined)}
      {filter?.isAny && rows.length > 1 && <Text c="dimmed">{t('any of them')}</Text>}
    </Group>
  );
}

/** `Beacon is Main hall` where the value is an id; undefined elsewhere. */
function named(row: FilterRow, fields: readonly FilterField[]): ReactNode {
  const field = fields.find(({ name }) => name === row.field);
  if (!field?.textOf || !takesValue(row.operator)) return undefined;
  return (
    <>
      {rowText({ ...row, value: '' }, fields).trimEnd()} {field.textOf(row.value)}
    </>
  );
}
