import { ExportButton } from './export-button.tsx';
import { countText, useExport } from './use-export.ts';

interface Props {
  readonly kind: 'user' | 'installation';
  readonly objectId: string;
  /** Reads everything stored about the person; `onRead` takes the number of records of each page. */
  readonly read: (onRead: (records: number) => void) => Promise<unknown>;
}

/** Exports everything stored about a person, as one JSON file. */
export function PersonExport({ kind, objectId, read }: Props) {
  const file = `${kind}-${objectId}.json`;
  const run = useExport({
    key: `${kind} ${objectId}`,
    file,
    write: async (_format, onProgress) => {
      let count = 0;
      const everything = await read((records) => {
        count += records;
        onProgress(countText(count));
      });
      return {
        parts: [JSON.stringify(everything, null, 2)],
        done: `Everything stored about this ${kind} is in ${file}.`,
      };
    },
  });
  return <ExportButton run={run} format="json" />;
}
