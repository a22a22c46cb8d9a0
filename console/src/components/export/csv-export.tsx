import { Button, Group } from '@mantine/core';
import type { JsonObject, Query } from '@pharos/sdk';
import type { RecordPageOf } from '../../lib/data/all-records.ts';
import { rich, t } from '../../lib/words/words.ts';
import classes from '../list/list.module.css';
import { Icon } from '../page/blocks.tsx';
import { type CsvColumns, tableOfList } from './csv-of-list.ts';
import type { ExportFormat } from './use-export.ts';
import { countText, useExport } from './use-export.ts';

interface Props<T> {
  readonly appId: string;
  /** As in a sentence: `beacons`. */
  readonly plural: string;
  readonly list: (query: Query) => Promise<RecordPageOf<T>>;
  readonly where: JsonObject | undefined;
  readonly columns: CsvColumns<T>;
  readonly className?: string | undefined;
}

/** Exports every record that matches the search and the filter. */
export function CsvExport<T extends { readonly objectId: string }>(props: Props<T>) {
  const { appId, plural, list, where, columns, className } = props;
  const run = useExport({
    key: `${plural} ${appId}`,
    file: `${plural}.csv`,
    nameOf: (format) => `${plural}.${format}`,
    write: async (format, onProgress) => {
      const kind = format === 'xlsx' ? 'xlsx' : 'csv';
      const source = { list, where, columns };
      const { parts, count } = await tableOfList(kind, source, (read) => onProgress(countText(read)));
      return { parts, done: t('{count, number} {plural} are in {plural}.{kind}.', { count, plural, kind }) };
    },
  });
  return (
    <Group gap={4} wrap="nowrap" className={className}>
      <ExportButton run={run} format="csv" />
      <Button px="xs" className={classes.deskOnly} data-disabled={run.isRunning} onClick={() => run.start('xlsx')}>
        {rich('Excel<part> workbook</part>', { part: (inner) => <span className="off-screen">{inner}</span> })}
      </Button>
    </Group>
  );
}

interface ButtonProps {
  readonly run: ReturnType<typeof useExport>;
  readonly format: ExportFormat;
  readonly className?: string | undefined;
}

export function ExportButton({ run: { start, isRunning, progress }, format, className = '' }: ButtonProps) {
  return (
    <Button
      className={className}
      leftSection={<Icon name="download" size={16} />}
      loading={isRunning && progress === ''}
      data-disabled={progress !== ''}
      onClick={() => start(format)}
    >
      {progress || t('Export')}
    </Button>
  );
}
