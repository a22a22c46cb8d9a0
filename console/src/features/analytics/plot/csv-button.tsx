import { Button, Group } from '@mantine/core';
import { Icon } from '../../../components/page/icon.tsx';
import { download } from '../../../lib/actions/download.ts';
import { writeCsv } from '../../../lib/text/csv.ts';
import { t } from '../../../lib/words/words.ts';

interface Props {
  /** Of the table. */
  readonly label: string;
  /** Without an ending. */
  readonly fileName: string;
  /** The numbers as columns of the interface. */
  readonly rows: () => readonly (readonly string[])[];
}

/** Saves a table that has no plot. */
export function CsvButton({ label, fileName, rows }: Props) {
  return (
    <Group justify="flex-end" mt="sm">
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="download" size={14} />}
        aria-label={t('{label}: save as CSV', { label })}
        onClick={() => download(`${fileName}.csv`, 'text/csv', [writeCsv(rows())])}
      >
        {t('CSV')}
      </Button>
    </Group>
  );
}
