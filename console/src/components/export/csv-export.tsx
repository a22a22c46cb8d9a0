import { Button } from '@mantine/core';
import type { JsonObject, Query } from '@pharos/sdk';
import { useState } from 'react';
import { useAction } from '../../lib/actions/use-action.ts';
import { allRecords, download, exportCutOff } from '../../lib/data/all-records.ts';
import { dataOf } from '../../lib/data/api.ts';
import { writeCsv } from '../../lib/text/csv.ts';
import type { Listed, ListOperation } from '../list/record-list.tsx';
import { Icon } from '../page/icon.tsx';

export interface CsvColumns<Record> {
  readonly header: readonly string[];
  /** The cells of a page of records; it may look names up. */
  readonly rows: (records: readonly Record[]) => Promise<readonly (readonly string[])[]>;
}

interface Props<Id extends ListOperation> {
  readonly appId: string;
  readonly operation: Id;
  readonly plural: string;
  readonly where: JsonObject | undefined;
  readonly columns: CsvColumns<Listed<Id>>;
}

/** Everything that the search and the filter leave, the newest first, in pages that are counted as they come. */
export function CsvExport<Id extends ListOperation>({ appId, operation, plural, where, columns }: Props<Id>) {
  const [written, setWritten] = useState(0);
  const file = `${plural}.csv`;
  const run = useAction({
    run: async () => {
      const call = dataOf(appId).call as unknown as (
        id: string,
        input: { readonly query: Query },
      ) => Promise<{ readonly results: readonly (Listed<Id> & { readonly objectId: string })[] }>;
      const parts = [writeCsv([columns.header])];
      let rows = 0;
      for await (const records of allRecords((query) => call(operation, { query }), where, '-objectId')) {
        parts.push(writeCsv(await columns.rows(records)));
        rows += records.length;
        setWritten(rows);
      }
      download(file, 'text/csv;charset=utf-8', parts);
      return rows;
    },
    cutOff: exportCutOff(`${plural} ${appId}`, file),
    done: (rows) => `${rows.toLocaleString('en')} ${plural} are in ${file}.`,
    after: () => setWritten(0),
  });
  return (
    <Button
      variant="default"
      leftSection={<Icon name="download" size={15} />}
      loading={run.isPending && written === 0}
      disabled={run.isPending}
      onClick={() => run.mutate()}
    >
      {written > 0 ? `${written.toLocaleString('en')} …` : 'Export'}
    </Button>
  );
}
