import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { where } from '@pharos/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call, dataKey } from '../../lib/data/api.ts';
import { t } from '../../lib/words/words.ts';
import { offered, searchLimit } from './offered.ts';

interface Props {
  readonly appId: string;
  readonly label: string;
  readonly value: string | undefined;
  readonly error?: string | undefined;
  readonly onChange: (userId: string | undefined) => void;
}

/** Chooses a user by name or e-mail. The service searches, so the number of users does not matter. */
export function UserPicker({ appId, label, value, error, onChange }: Props) {
  const [text, setText] = useState('');
  const [known, setKnown] = useState<string>();
  const [asked] = useDebouncedValue(text === known ? '' : text.trim(), 200);
  const { data, isFetching } = useQuery({
    queryKey: dataKey(appId, 'listUsers', 'picker', asked),
    queryFn: () => {
      const contains = (field: string) => where().contains(field, asked);
      const filter = asked ? { where: where().or(contains('email'), contains('firstname'), contains('lastname')) } : {};
      return call('listAppUsers', { params: { appId }, query: { ...filter, order: 'lastname', limit: searchLimit } });
    },
    placeholderData: keepPreviousData,
  });
  const found = offered(
    (data?.results ?? []).map(({ objectId, firstname, lastname, email }) => ({
      value: objectId,
      label: `${firstname} ${lastname} · ${email}`.trim(),
    })),
  );
  const isMissing = value !== undefined && known !== undefined && !found.some((one) => one.value === value);
  return (
    <Select
      label={label}
      error={error}
      placeholder={t('Search by name or e-mail')}
      searchable
      data={isMissing ? [{ value, label: known }, ...found] : found}
      // The service has already searched.
      filter={({ options }) => options}
      value={value ?? null}
      searchValue={text}
      onSearchChange={setText}
      onChange={(next, option) => {
        setKnown(option?.label);
        onChange(next ?? undefined);
      }}
      nothingFoundMessage={isFetching ? t('Searching …') : t('Nobody has this name or e-mail.')}
    />
  );
}
