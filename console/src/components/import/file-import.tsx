import { Alert, Button, FileInput, Group, Switch, Text } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { forgetFile, type Given, type KeptFile, keepFile, keptFile } from '../../lib/actions/kept-file.ts';
import { useAction } from '../../lib/actions/use-action.ts';
import { readTableFile } from '../../lib/text/table-file.ts';
import { t } from '../../lib/words/words.ts';
import { Block, FailureNote, Icon } from '../page/blocks.tsx';
import classes from './import.module.css';
import { ImportPreview } from './import-preview.tsx';
import type { ImportRow, PlanOptions } from './import-rows.ts';
import { MissingColumns } from './missing-columns.tsx';
import { ReadNote } from './read-note.tsx';
import { tableOf } from './table-of.ts';

const maxBytes = 20_000_000;
const asItIs = (name: string) => name;

interface Props<Row extends ImportRow> {
  /** The key that keeps the file across a reload; one per target. */
  readonly keepAs: string;
  readonly label: string;
  readonly accept: string;
  readonly about: ReactNode;
  /** Beside the file input. */
  readonly tools?: ReactNode;
  /** Reads a file that is no table. @throws Error whose message is a sentence about the whole file */
  readonly read?: (file: File) => Promise<KeptFile>;
  /** The headings that mean something; others are said to be left out. Without it, every heading does. */
  readonly columns?: readonly string[] | undefined;
  /** Headings for which this is the same mean the same. */
  readonly sameHead?: (name: string) => string;
  /** The columns that a file with these headings lacks. A person gives them before it is planned. */
  readonly lacks?: (header: readonly string[]) => readonly string[];
  /** What was read is shown as cells; true unless given. */
  readonly isTable?: boolean;
  /** Plans each row without changing anything. @throws Error whose message is a sentence about the whole file */
  readonly plan: (file: KeptFile, options: PlanOptions) => Promise<readonly Row[]>;
  /** When this value changes, the file is planned again. */
  readonly planFor?: string;
  readonly apply: (row: Row) => Promise<unknown>;
  readonly after: () => unknown;
}

/** The chosen file, and what planning it has found; a file that was chosen before a reload is planned again. */
function useImportFile<Row extends ImportRow>(props: Props<Row>) {
  const { keepAs, planFor = '', plan, read: readFile = readTableFile, sameHead = asItIs } = props;
  const [file, setFile] = useState<KeptFile>();
  const [isKept, setKept] = useState(false);
  const [lostName, setLostName] = useState<string>();
  const [isLenient, setLenient] = useState(false);
  const read = useAction({
    run: (next: { readonly file: KeptFile; readonly options: PlanOptions }) => plan(next.file, next.options),
    showsError: true,
  });
  const lackOf = (next: KeptFile): readonly string[] => {
    const table = tableOf(next, sameHead);
    return table ? (props.lacks?.(table.header) ?? []) : [];
  };
  const start = (next: KeptFile, options: PlanOptions = { isLenient }) => {
    setFile(next);
    if (lackOf(next).some((name) => !next.given?.[name])) read.reset();
    else read.mutate({ file: next, options });
  };
  /** A large file may be read only after another one was chosen. */
  const wanted = useRef<File>(undefined);
  const choose = useAction({
    run: async (chosen: File): Promise<KeptFile> => {
      wanted.current = chosen;
      if (chosen.size > maxBytes) throw new Error(t('The file is larger than 20 MB. Split it.'));
      return readFile(chosen);
    },
    showsError: true,
    after: (next, chosen) => {
      if (wanted.current !== chosen) return;
      keepFile(keepAs, next);
      setKept(false);
      setLostName(undefined);
      setLenient(false);
      start(next, { isLenient: false });
    },
  });
  // Only once, and again when the planning options change.
  const planned = useRef<string>(undefined);
  useEffect(() => {
    if (planned.current === planFor) return;
    const isFirst = planned.current === undefined;
    const known = isFirst ? keptFile(keepAs) : file;
    planned.current = planFor;
    if (isFirst && known) {
      if (known.text === undefined) setLostName(known.name);
      else setKept(true);
    }
    if (known?.text !== undefined) start(known);
  });
  function clear() {
    wanted.current = undefined;
    forgetFile(keepAs);
    setFile(undefined);
    setKept(false);
    setLostName(undefined);
    read.reset();
  }
  /** Another of the columns with the same heading. */
  function takeColumn(head: string, index: number) {
    if (!file) return;
    const next = { ...file, chosen: { ...file.chosen, [head]: index } };
    keepFile(keepAs, next);
    start(next);
  }
  /** In place of columns that the file lacks. */
  function give(given: Given) {
    if (!file) return;
    const next = { ...file, given };
    keepFile(keepAs, next);
    start(next);
  }
  function beLenient(wanted: boolean) {
    setLenient(wanted);
    if (file) start(file, { isLenient: wanted });
  }
  return { file, isKept, lostName, read, choose, clear, takeColumn, give, isLenient, beLenient };
}

/**
 * Imports a file: choose it, see a preview, then import row by row. After a reload the file is planned again, so that
 * imported rows show as unchanged and the rest can continue.
 */
export function FileImport<Row extends ImportRow>(props: Props<Row>) {
  const { file, isKept, lostName, read, choose, clear, takeColumn, give, isLenient, beLenient } = useImportFile(props);
  const { columns = [], sameHead = asItIs, lacks } = props;
  const table = file && lacks && tableOf(file, sameHead);
  const missing = table ? lacks(table.header) : [];
  const unread = read.data?.filter((row) => row.unread).length ?? 0;
  return (
    <>
      <Block title={t('The file')} about={props.about}>
        <Group align="flex-end">
          <FileInput
            label={props.label}
            placeholder={file?.name ?? t('Choose a file')}
            accept={props.accept}
            leftSection={<Icon name="upload" size={16} />}
            className={classes.file}
            onChange={(chosen) => {
              clear();
              if (chosen) choose.mutate(chosen);
            }}
          />
          {props.tools}
        </Group>
        <div className={classes.gapAbove}>
          <FailureNote message={choose.error?.message ?? read.error?.message} />
        </div>
        {isKept && file && (
          <EarlierFile onDiscard={clear}>
            {t('{name} was chosen before the page was reloaded. Rows that were imported show as unchanged.', {
              name: file.name,
            })}
          </EarlierFile>
        )}
        {lostName !== undefined && (
          <EarlierFile onDiscard={clear}>
            {t(
              '{lostName} was chosen before the page was reloaded and is too large to be kept. Choose it again; rows that were imported show as unchanged.',
              { lostName },
            )}
          </EarlierFile>
        )}
      </Block>
      {file && props.isTable !== false && (
        <ReadNote file={file} known={props.columns} sameHead={props.sameHead} onTake={takeColumn} />
      )}
      {file && table && missing.length > 0 && (
        <MissingColumns
          key={`${file.name} ${missing.join()}`}
          file={file}
          table={table}
          names={missing}
          known={columns}
          onGive={give}
        />
      )}
      {(read.isPending || choose.isPending) && (
        <Text size="md" mt="md" role="status">
          {t('Reading the file and the existing records …')}
        </Text>
      )}
      {read.data && !read.isPending && (
        <ImportPreview
          key={read.submittedAt}
          name={props.keepAs}
          rows={read.data}
          above={
            unread > 0 && (
              <Switch
                mb="md"
                label={t(
                  '{count, plural, one {# row has} other {# rows have}} cells that cannot be read. Import {count, plural, one {it} other {them}} without these cells.',
                  { count: unread },
                )}
                description={t('The cells are named at each row. What a record has there already stays as it is.')}
                checked={isLenient}
                onChange={({ currentTarget }) => beLenient(currentTarget.checked)}
              />
            )
          }
          apply={props.apply}
          after={(isWhole) => {
            if (isWhole) forgetFile(props.keepAs);
            return props.after();
          }}
        />
      )}
    </>
  );
}

/** What became of a file that was chosen before the page was reloaded. */
function EarlierFile({ onDiscard, children }: { readonly onDiscard: () => void; readonly children: ReactNode }) {
  return (
    <Alert color="blue" mt="md">
      <Group justify="space-between" gap="xs">
        <span>{children}</span>
        <Button size="xs" onClick={onDiscard}>
          {t('Discard')}
        </Button>
      </Group>
    </Alert>
  );
}
