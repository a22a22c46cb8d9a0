import { NativeSelect, Text } from '@mantine/core';
import type { KeptFile } from '../../lib/actions/kept-file.ts';
import type { CsvTable, Repeated } from '../../lib/text/csv.ts';
import { workbookText } from '../../lib/text/table-file.ts';
import { t } from '../../lib/words/words.ts';
import { Block } from '../page/blocks.tsx';
import classes from './import.module.css';
import { columnText, tableOf } from './table-of.ts';

const maxShown = 5;
const separators = {
  ',': t('commas'),
  ';': t('semicolons, with decimal commas'),
  '\t': t('tabs, with decimal commas'),
} as const;

interface Props {
  readonly file: KeptFile;
  /** The headings that mean something; others are left out. */
  readonly known?: readonly string[] | undefined;
  readonly sameHead?: ((name: string) => string) | undefined;
  /** Reads another one of the columns with the same heading. */
  readonly onTake: (head: string, index: number) => void;
}

/** What the bytes of a file became, so that broken letters and shifted columns are seen before anything is imported. */
export function ReadNote({ file, known, sameHead = (name) => name, onTake }: Props) {
  const table = tableOf(file, sameHead);
  if (!table) return null;
  const { header, repeated, rows, separator } = table;
  const names = known?.map((name) => name.toLowerCase());
  const taken = new Set(Object.values(file.given ?? {}).map((one) => ('column' in one ? one.column : undefined)));
  const isLeft = (name: string, index: number) =>
    name !== '' && !taken.has(index) && !names?.includes(name.toLowerCase());
  const left = names ? header.filter(isLeft) : [];
  return (
    <Block title={t('What was read')} about={readText(file, separator)}>
      {left.length > 0 && (
        <Text mb="xs" role="status">
          {t('{count, plural, one {This column is} other {These columns are}} left out: {list}.', {
            count: left.length,
            list: left.join(', '),
          })}
        </Text>
      )}
      {repeated.map((one) => (
        <RepeatedHead key={one.name} repeated={one} rows={rows} onTake={(index) => onTake(sameHead(one.name), index)} />
      ))}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard */}
      <section className={classes.scroll} aria-label={t('The first rows of the file')} tabIndex={0}>
        <table className={classes.cells}>
          <thead>
            <tr>
              {header.map((name, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: headings may be empty
                <th key={index} scope="col">
                  {name || <LeftHead index={index} repeated={repeated} />}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, maxShown).map(({ line, cells }) => (
              <tr key={line}>
                {cells.map((cell, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a cell has no other identity
                  <td key={index}>{cell.replace(/^\t/, '')}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > maxShown && (
        <Text c="dimmed" mt="xs">
          {t('And {count, number} more rows.', { count: rows.length - maxShown })}
        </Text>
      )}
    </Block>
  );
}

function readText({ readAs = t('Text') }: KeptFile, separator: keyof typeof separators): string {
  return readAs === workbookText
    ? `${readAs}.`
    : t('{readAs}, separated by {separator}.', { readAs, separator: separators[separator] });
}

interface RepeatedProps {
  readonly repeated: Repeated;
  readonly rows: CsvTable['rows'];
  readonly onTake: (index: number) => void;
}

/** Asks which one of the columns with the same heading is meant. */
function RepeatedHead({ repeated: { name, columns, chosen }, rows, onTake }: RepeatedProps) {
  return (
    <NativeSelect
      mb="sm"
      maw={520}
      label={t('{count, plural, other {# columns}} are called {name}. Which one is imported?', {
        count: columns.length,
        name,
      })}
      description={t('The {count, plural, one {other one is} other {others are}} left out.', {
        count: columns.length - 1,
      })}
      data={columns.map((index) => ({
        value: String(index),
        label: columnText(rows, index),
      }))}
      value={String(chosen)}
      onChange={({ currentTarget }) => onTake(Number(currentTarget.value))}
    />
  );
}

function LeftHead({ index, repeated }: { readonly index: number; readonly repeated: readonly Repeated[] }) {
  const one = repeated.find(({ columns }) => columns.includes(index));
  return one ? <s>{one.name}</s> : null;
}
