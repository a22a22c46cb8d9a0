import { Button, Group } from '@mantine/core';
import { useParams, useSearch } from '@tanstack/react-router';
import { Icon } from '../../../components/page/blocks.tsx';
import { download } from '../../../lib/actions/download.ts';
import { writeCsv } from '../../../lib/text/csv.ts';
import { t } from '../../../lib/words/words.ts';
import { kindOf, readAnalyticsSearch } from '../period.ts';
import { usePlaceNames, useSite } from '../site.ts';
import { type ChosenPlace, type CsvRows, csvOfPlace } from './csv.ts';

interface Props {
  /** Of the table; without it the page has one such button. */
  readonly label?: string;
  /** Without an ending. */
  readonly fileName: string;
  /** The numbers as columns of the interface. */
  readonly rows: () => CsvRows;
}

export function SaveCsv({ label, fileName, rows }: Props) {
  const place = useChosenPlace();
  return (
    <Button
      size="xs"
      leftSection={<Icon name="download" size={14} />}
      {...(label === undefined ? {} : { 'aria-label': t('{label}: save as CSV', { label }) })}
      onClick={() => download(`${fileName}.csv`, 'text/csv', [writeCsv(csvOfPlace(rows(), place))])}
    >
      {t('CSV')}
    </Button>
  );
}

/** Saves a table that has no plot. */
export function CsvButton(props: Props) {
  return (
    <Group justify="flex-end" mt="sm">
      <SaveCsv {...props} />
    </Group>
  );
}

function useChosenPlace(): ChosenPlace | undefined {
  const { appId = '' } = useParams({ strict: false });
  const search = readAnalyticsSearch(useSearch({ strict: false }));
  const site = useSite(appId);
  const kind = kindOf(search);
  const id = (kind && search[kind]) ?? '';
  const nameOf = usePlaceNames(appId, site, { kind, ids: [id] });
  return kind && { kind, id, name: nameOf(id) };
}
