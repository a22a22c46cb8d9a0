import { Select, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { offered, searchLimit } from '../../../components/form/offered.ts';
import { dataKey } from '../../../lib/data/api.ts';
import { bucketsQuery } from '../../../lib/data/queries.ts';
import { t } from '../../../lib/words/words.ts';
import { findNamed, linkedNameQuery, sampleQuery } from './linked-records.ts';

interface Props {
  readonly appId: string;
  readonly label: string;
  readonly className: string;
  /** An objectId; empty for none. */
  readonly value: string;
  readonly onChange: (objectId: string) => void;
  readonly error?: string | undefined;
  readonly isLocked: boolean;
}

/** Chooses a record by name. The service searches while you type. */
export function RecordPicker({ appId, label, className, value, onChange, error, isLocked }: Props) {
  const { data: buckets } = useQuery(bucketsQuery(appId));
  const isBucket = buckets?.some(({ name }) => name === className) ?? false;
  const { data: sample = [] } = useQuery({ ...sampleQuery(appId, className), enabled: isBucket });
  const { data: chosen } = useQuery({
    ...linkedNameQuery(appId, className, value, buckets ?? []),
    enabled: value !== '' && buckets !== undefined,
  });
  const [typed, setTyped] = useState('');
  const [asked] = useDebouncedValue(typed === (chosen ?? '') ? '' : typed.trim(), 200);
  const { data: found, error: failure } = useQuery({
    queryKey: dataKey(appId, 'listRecords', 'picker', className, asked),
    queryFn: () =>
      findNamed(appId, className, { text: asked, limit: searchLimit, buckets: buckets ?? [], sample }).then(
        (all) => all ?? null,
      ),
    enabled: buckets !== undefined,
    placeholderData: keepPreviousData,
  });
  const about = t('Points to {isBeacon, select, true {a beacon} other {{className}}}', {
    className,
    isBeacon: className === 'Beacon',
  });
  if (found === null || failure)
    return (
      <TextInput
        label={label}
        description={t('{about}, by its objectId.', { about })}
        classNames={{ input: 'mono' }}
        readOnly={isLocked}
        value={value}
        error={error}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  const options = offered((found ?? []).map(({ objectId, name }) => ({ value: objectId, label: name })));
  const isMissing = value !== '' && !options.some((option) => option.value === value);
  const own = { value, label: chosen ?? (chosen === null ? t('Deleted ({value})', { value }) : '…') };
  return (
    <>
      <Select
        label={label}
        description={t('{about}. Search by name.', { about })}
        data={isMissing ? [own, ...options] : options}
        filter={({ options: all }) => all}
        value={value === '' ? null : value}
        onChange={(next) => onChange(next ?? '')}
        searchValue={typed}
        onSearchChange={setTyped}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t('Clear {label}', { label }) }}
        nothingFoundMessage={t('Nothing has this name.')}
        readOnly={isLocked}
        error={error}
      />
      {value !== '' && chosen === null && <Text c="dimmed">{t('What it points to was deleted.')}</Text>}
    </>
  );
}
