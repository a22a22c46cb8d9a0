import { Select } from '@mantine/core';
import { where } from '@pharos/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataKey, dataOf } from '../../lib/data/api.ts';
import { beaconNameQuery } from '../../lib/data/names.ts';
import { t } from '../../lib/words/words.ts';
import { offered, searchLimit } from './offered.ts';

interface Props {
  readonly appId: string;
  /** An objectId; undefined for all. */
  readonly value: string | undefined;
  readonly onChange: (beaconId: string | undefined) => void;
}

/** Chooses one beacon by name, or all. The service searches while you type. */
export function BeaconPicker({ appId, value, onChange }: Props) {
  const [typed, setTyped] = useState('');
  const { data: chosen } = useQuery({ ...beaconNameQuery(appId, value ?? ''), enabled: value !== undefined });
  const search = typed === (chosen ?? '') ? '' : typed.trim();
  const { data: found } = useQuery({
    queryKey: dataKey(appId, 'listBeacons', 'pick', search),
    queryFn: () =>
      dataOf(appId).beacons.list({
        ...(search ? { where: where().contains('name', search) } : {}),
        order: 'name',
        limit: searchLimit,
      }),
    placeholderData: keepPreviousData,
  });
  const options = offered((found?.results ?? []).map(({ objectId, name }) => ({ value: objectId, label: name })));
  const isMissing = value !== undefined && !options.some((option) => option.value === value);
  return (
    <Select
      aria-label={t('Beacon')}
      placeholder={t('All beacons')}
      data={isMissing ? [{ value, label: chosen ?? '…' }, ...options] : options}
      filter={({ options: all }) => all}
      value={value ?? null}
      onChange={(next) => onChange(next ?? undefined)}
      searchValue={typed}
      onSearchChange={setTyped}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('All beacons') }}
      nothingFoundMessage={t('No beacon has this name.')}
      comboboxProps={{ withinPortal: true }}
    />
  );
}
