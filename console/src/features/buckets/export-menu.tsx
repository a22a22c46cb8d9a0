import { Button, Menu } from '@mantine/core';
import type { BucketRecord, JsonObject } from '@pharos/sdk';
import { tableOfList } from '../../components/export/csv-of-list.ts';
import { countText, useExport } from '../../components/export/use-export.ts';
import { Icon } from '../../components/page/blocks.tsx';
import { allRecords } from '../../lib/data/all-records.ts';
import type { Bucket } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';
import { listRecordsOf } from './queries.ts';
import { cellOf, headOf } from './record-cells.ts';

interface Props {
  readonly appId: string;
  readonly bucket: Bucket;
  readonly where: JsonObject | undefined;
}

const maxColumns = 500;

/** Exports every record that matches the search and the filter. Both formats can be edited and imported again. */
export function ExportMenu({ appId, bucket: { name, columns }, where }: Props) {
  const list = listRecordsOf(appId, name);
  const { start, isRunning, progress } = useExport({
    key: `bucket ${name} ${appId}`,
    file: t('the file of {name}', { name }),
    nameOf: (format) => `${name}.${format}`,
    write: async (format, onProgress) => {
      const onCount = (read: number) => onProgress(countText(read));
      const all = () => allRecords(list, where);
      const { parts, count } =
        format === 'json'
          ? await jsonOf(all(), onCount)
          : await tableOfList(
              format,
              {
                list,
                where,
                columns: csvColumnsOf(
                  await membersOf(all(), columns, (seen) =>
                    onProgress(t('Columns of {count}', { count: countText(seen) })),
                  ),
                  columns,
                ),
              },
              onCount,
            );
      return { parts, done: t('{count, number} records are in {name}.{format}.', { count, name, format }) };
    },
  });
  return (
    <Menu>
      <Menu.Target>
        <Button leftSection={<Icon name="download" size={16} />} data-disabled={isRunning}>
          {isRunning ? progress || t('Export …') : t('Export')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => start('csv')}>{t('As CSV, for spreadsheets')}</Menu.Item>
        <Menu.Item onClick={() => start('xlsx')}>{t('As an Excel workbook')}</Menu.Item>
        <Menu.Item onClick={() => start('json')}>{t('As JSON, exactly as stored')}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

type Pages = AsyncGenerator<readonly BucketRecord[]>;
type OnCount = (records: number) => void;

/** The header of a CSV file has to be known first, so the records are read twice instead of being kept in memory. */
async function membersOf(pages: Pages, columns: Bucket['columns'], onCount: OnCount): Promise<readonly string[]> {
  const members = new Set(Object.keys(columns));
  let seen = 0;
  for await (const page of pages) {
    for (const { metadata } of page) for (const name of Object.keys(metadata)) members.add(name);
    if (members.size > maxColumns)
      throw new Error(
        t('The records have more than {maxColumns} different members. Export them as JSON.', { maxColumns }),
      );
    seen += page.length;
    onCount(seen);
  }
  return [...members];
}

const csvColumnsOf = (members: readonly string[], columns: Bucket['columns']) => ({
  header: ['objectId', ...members.map(headOf), 'createdAt', 'updatedAt'],
  rows: (records: readonly BucketRecord[]) =>
    records.map(({ objectId, metadata, createdAt, updatedAt }) => [
      objectId,
      ...members.map((name) => cellOf(Object.hasOwn(metadata, name) ? metadata[name] : undefined, columns[name])),
      createdAt,
      updatedAt,
    ]),
  order: 'objectId' as const,
});

async function jsonOf(pages: Pages, onCount: OnCount) {
  const parts: string[] = [];
  let count = 0;
  for await (const page of pages) {
    parts.push(`${count === 0 ? '[\n' : ',\n'}${page.map((record) => JSON.stringify(record)).join(',\n')}`);
    count += page.length;
    onCount(count);
  }
  parts.push(count === 0 ? '[]\n' : '\n]\n');
  return { parts, count };
}
