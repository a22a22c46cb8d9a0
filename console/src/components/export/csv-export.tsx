import type { JsonObject, Query } from '@pharos/sdk';
import type { RecordPageOf } from '../../lib/data/all-records.ts';
import { type CsvColumns, csvOfList } from './csv-of-list.ts';
import { ExportButton } from './export-button.tsx';
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
  const file = `${plural}.csv`;
  const run = useExport({
    key: `${plural} ${appId}`,
    file,
    write: async (_format, onProgress) => {
      const { parts, count } = await csvOfList({ list, where, columns }, (read) => onProgress(countText(read)));
      return { parts, done: `${count.toLocaleString('en')} ${plural} are in ${file}.` };
    },
  });
  return <ExportButton run={run} format="csv" className={className} />;
}
