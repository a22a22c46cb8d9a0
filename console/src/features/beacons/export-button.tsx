import { Button } from '@mantine/core';
import type { JsonObject } from '@pharos/sdk';
import { useState } from 'react';
import { Icon } from '../../components/page/icon.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { allRecords, download, exportCutOff } from '../../lib/data/all-records.ts';
import { dataOf } from '../../lib/data/api.ts';
import { writeCsv } from '../../lib/text/csv.ts';
import { cellsOf, csvColumns } from './csv-columns.ts';

/** Everything that the search and the filter leave, in pages; the file can be changed and brought in again. */
export function ExportButton({ appId, where }: { readonly appId: string; readonly where: JsonObject | undefined }) {
  const [written, setWritten] = useState(0);
  const run = useAction({
    run: async () => {
      const parts = [writeCsv([csvColumns])];
      let rows = 0;
      for await (const beacons of allRecords(dataOf(appId).beacons.list, where)) {
        parts.push(writeCsv(beacons.map(cellsOf)));
        rows += beacons.length;
        setWritten(rows);
      }
      download('beacons.csv', 'text/csv;charset=utf-8', parts);
      return rows;
    },
    cutOff: exportCutOff(`beacons ${appId}`, 'beacons.csv'),
    done: (rows) => `${rows.toLocaleString('en')} beacons are in beacons.csv.`,
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
