import { MultiSelect, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { where } from '@pharos/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataKey, dataOf } from '../../lib/data/api.ts';
import { useBeaconNames } from '../../lib/data/beacon-names.ts';
import { t } from '../../lib/words/words.ts';
import { offered, searchLimit } from './offered.ts';

interface Props {
  readonly appId: string;
  readonly label: string;
  readonly description?: string;
  readonly value: readonly string[];
  readonly onChange: (beaconIds: string[]) => void;
  /** Several can be chosen. */
  readonly many?: boolean;
  readonly error?: string | undefined;
}

/** Chooses beacons by name. The service searches, so the number of beacons does not matter. */
export function BeaconSelect({ appId, label, description, value, onChange, many = false, error }: Props) {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const names = useBeaconNames(appId, value);
  const chosen = value.map((id) => ({
    value: id,
    label: names(id) ?? (names(id) === null ? t('Deleted beacon') : '…'),
  }));
  // A closed field contains the chosen name, which is not a search.
  const [asked] = useDebouncedValue(!many && text === chosen[0]?.label ? '' : text.trim(), 200);
  const { data, isFetching } = useQuery({
    queryKey: dataKey(appId, 'listBeacons', 'picker', asked),
    queryFn: () =>
      dataOf(appId).beacons.list({
        ...(asked ? { where: where().or(where().contains('name', asked), where().contains('uuid', asked)) } : {}),
        order: 'name',
        limit: searchLimit,
      }),
    placeholderData: keepPreviousData,
  });
  const found = offered(
    (data?.results ?? []).map(({ objectId, name, major, minor }) => ({
      value: objectId,
      label: name,
      ids: `${major} / ${minor}`,
    })),
  );
  const foundIds = new Set(found.map(({ value: id }) => id));
  const shared = {
    label,
    description,
    error,
    required: true,
    searchable: true,
    placeholder: value.length === 0 ? t('Search by name') : '',
    nothingFoundMessage: isFetching ? t('Searching …') : t('No beacon has this name.'),
    searchValue: text,
    onSearchChange: setText,
    data: [...found, ...chosen.filter(({ value: id }) => !foundIds.has(id))],
    // The service has already searched.
    filter: ({ options }: { options: object[] }) =>
      options.filter((option) => 'value' in option && foundIds.has(String(option.value))) as never,
    renderOption: ({ option }: { option: object }) => {
      const { label: name, ids } = option as { label: string; ids?: string };
      return (
        <span>
          {name} <small className="mono">{ids}</small>
        </span>
      );
    },
  };
  return many ? (
    <MultiSelect
      {...shared}
      value={[...value]}
      // Once one is chosen the list is out of the way of what is below it.
      dropdownOpened={isOpen}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      onChange={(ids) => {
        setOpen(false);
        onChange(ids);
      }}
      hidePickedOptions
      clearable
    />
  ) : (
    <Select {...shared} value={value[0] ?? null} onChange={(id) => onChange(id ? [id] : [])} allowDeselect={false} />
  );
}
