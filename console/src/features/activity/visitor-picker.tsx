import { Select, type SelectProps } from '@mantine/core';
import { operations, where } from '@pharos/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { offered, searchLimit } from '../../components/form/offered.ts';
import { shortId } from '../../components/names/names.tsx';
import { useMay, useMayCall } from '../../lib/data/access.ts';
import { dataKey, dataOf } from '../../lib/data/api.ts';
import { deviceWords } from '../../lib/text/installation-words.ts';
import { showAge } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';

interface Props extends Pick<SelectProps, 'label' | 'aria-label' | 'description' | 'placeholder' | 'className'> {
  readonly appId: string;
  /** The objectId of an installation. */
  readonly value: string | undefined;
  readonly onChange: (installationId: string | undefined) => void;
}

/** Chooses a phone by its id, for roles that may see phones; others can only take back a choice that came with the address. */
export function VisitorPicker({ appId, value, onChange, ...texts }: Props) {
  const [typed, setTyped] = useState('');
  const mayChoose = useMayCall()('listInstallations');
  const seesPhones = useMay()('installations.personal');
  const asked = typed.trim();
  const { data } = useQuery({
    queryKey: dataKey(appId, 'listInstallations', 'pick', asked),
    queryFn: () =>
      dataOf(appId).call(operations.listInstallations, {
        query: {
          // Some roles know phones only by the ids that the service gives them.
          ...(asked ? { where: where().contains(seesPhones ? 'installationId' : 'objectId', asked) } : {}),
          order: '-updatedAt',
          limit: searchLimit,
        },
      }),
    enabled: mayChoose,
    placeholderData: keepPreviousData,
  });
  const found = offered(
    (data?.results ?? []).map(({ objectId, installationId, deviceType, updatedAt }) => ({
      value: objectId,
      label: `${shortId(installationId ?? objectId)}, ${deviceWords[deviceType]}, ${showAge(updatedAt)}`,
    })),
  );
  const isMissing = value !== undefined && !found.some((one) => one.value === value);
  const options = isMissing ? [{ value, label: shortId(value) }, ...found] : found;
  if (!mayChoose && value === undefined) return null;
  return (
    <Select
      {...texts}
      data={options}
      filter={({ options: all }) => all}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': t('All visitors') }}
      searchValue={typed}
      onSearchChange={(text) => setTyped(options.some(({ label }) => label === text) ? '' : text)}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? undefined)}
      nothingFoundMessage={t('No phone has this id.')}
    />
  );
}
