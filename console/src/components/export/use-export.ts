import { useState } from 'react';
import { download } from '../../lib/actions/download.ts';
import { useAction } from '../../lib/actions/use-action.ts';
import { pageLanguage, t } from '../../lib/words/words.ts';

const types = {
  csv: 'text/csv;charset=utf-8',
  json: 'application/json',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const;
export type ExportFormat = keyof typeof types;

/** A file in parts, and what to tell when it has been saved. */
interface ExportedFile {
  readonly parts: readonly (string | Blob)[];
  readonly done: string;
}

interface ExportOptions {
  /** What is exported, unique in the console; a reload during the export is recognised by it. */
  readonly key: string;
  /** `beacons.csv`, or how the file is called in a sentence where the format is chosen later. */
  readonly file: string;
  /** Writes the file; `onProgress` takes a short text for the button. */
  readonly write: (format: ExportFormat, onProgress: (text: string) => void) => Promise<ExportedFile>;
  readonly nameOf?: (format: ExportFormat) => string;
}

/** Saves a file that takes a while to read. The browser asks before the page is left in the middle. */
export function useExport({ key, file, write, nameOf = () => file }: ExportOptions) {
  const [progress, setProgress] = useState('');
  const run = useAction({
    run: async (format: ExportFormat) => {
      setProgress('');
      const { parts, done } = await write(format, setProgress);
      // Without the mark, spreadsheets take UTF-8 for ANSI.
      download(nameOf(format), types[format], format === 'csv' ? ['\uFEFF', ...parts] : parts);
      return done;
    },
    cutOff: {
      key: `export ${key}`,
      message: t(
        'The export was interrupted when the page was reloaded, and {file} was not saved. Nothing was changed; export again.',
        { file },
      ),
    },
    done: (text) => text,
  });
  return { start: run.mutate, isRunning: run.isPending, progress: run.isPending ? progress : '' };
}

/** `1,200 …` while records are being read. */
export const countText = (records: number): string => `${records.toLocaleString(pageLanguage())} …`;
