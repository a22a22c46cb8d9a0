import { Button, Menu } from '@mantine/core';
import type { JsonObject } from '@pharos/sdk';
import { useState } from 'react';
import { Icon } from '../../components/page/icon.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { allRecords, download, exportCutOff } from '../../lib/data/all-records.ts';
import { writeCsv } from '../../lib/text/csv.ts';
import type { Bucket } from '../../lib/wire.ts';
import { listRecordsOf } from './queries.ts';
import { cellOf, headOf } from './record-cells.ts';

interface Props {
  readonly appId: string;
  readonly bucket: Bucket;
  readonly where: JsonObject | undefined;
}

const mostColumns = 500;

/** Everything that the search and the filter leave, in pages; both files can be changed and brought in again. */
export function ExportMenu({ appId, bucket, where }: Props) {
  const [progress, setProgress] = useState('');
  const pages = () => allRecords(listRecordsOf(appId, bucket.name), where);
  const run = useAction({
    run: async (format: 'csv' | 'json') => {
      const file = `${bucket.name}.${format}`;
      const { parts, rows } = await (format === 'csv' ? csvOf : jsonOf)(pages, bucket.columns, (text) =>
        setProgress(text),
      );
      download(file, format === 'csv' ? 'text/csv;charset=utf-8' : 'application/json', parts);
      return `${rows.toLocaleString('en')} records are in ${file}.`;
    },
    cutOff: exportCutOff(`bucket ${bucket.name} ${appId}`, `the file of ${bucket.name}`),
    done: (said) => said,
  });
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" leftSection={<Icon name="download" size={15} />} disabled={run.isPending}>
          {run.isPending ? progress || 'Export …' : 'Export'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => run.mutate('csv')}>As CSV, for spreadsheets</Menu.Item>
        <Menu.Item onClick={() => run.mutate('json')}>As JSON, exactly as stored</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

type Pages = () => ReturnType<
  typeof allRecords<{ objectId: string; metadata: JsonObject; createdAt: string; updatedAt: string }>
>;
type Written = Promise<{ readonly parts: string[]; readonly rows: number }>;

/** The head of the table has to be known first, so the pages are read twice instead of being kept. */
async function csvOf(pages: Pages, columns: Bucket['columns'], onProgress: (text: string) => void): Written {
  const members = new Set(Object.keys(columns));
  let seen = 0;
  for await (const page of pages()) {
    for (const { metadata } of page) for (const name of Object.keys(metadata)) members.add(name);
    if (members.size > mostColumns)
      throw new Error(`The records have more than ${mostColumns} different members. Export them as JSON.`);
    seen += page.length;
    onProgress(`Columns of ${seen.toLocaleString('en')} …`);
  }
  const names = [...members];
  const parts = [writeCsv([['objectId', ...names.map(headOf), 'createdAt', 'updatedAt']])];
  let rows = 0;
  for await (const page of pages()) {
    parts.push(
      writeCsv(
        page.map(({ objectId, metadata, createdAt, updatedAt }) => [
          objectId,
          ...names.map((name) => cellOf(Object.hasOwn(metadata, name) ? metadata[name] : undefined, columns[name])),
          createdAt,
          updatedAt,
        ]),
      ),
    );
    rows += page.length;
    onProgress(`${rows.toLocaleString('en')} …`);
  }
  return { parts, rows };
}

async function jsonOf(pages: Pages, _columns: Bucket['columns'], onProgress: (text: string) => void): Written {
  const parts: string[] = [];
  let rows = 0;
  for await (const page of pages()) {
    parts.push(`${rows === 0 ? '[\n' : ',\n'}${page.map((record) => JSON.stringify(record)).join(',\n')}`);
    rows += page.length;
    onProgress(`${rows.toLocaleString('en')} …`);
  }
  parts.push(rows === 0 ? '[]\n' : '\n]\n');
  return { parts, rows };
}
