import { Text } from '@mantine/core';
import type { KeptFile } from '../../lib/actions/kept-file.ts';
import { type CsvTable, parseCsv } from '../../lib/text/csv.ts';
import { workbookText } from '../../lib/text/table-file.ts';
import { t } from '../../lib/words/words.ts';
import { Block } from '../page/block.tsx';
import classes from './import.module.css';

const mostShown = 5;
const separators = {
  ',': t('commas'),
  ';': t('semicolons, with decimal commas'),
  '\t': t('tabs, with decimal commas'),
} as const;

interface Props {
  readonly file: KeptFile;
  /** The headings that mean something; others are left out. */
  readonly known?: readonly string[] | undefined;
}

/** What the bytes of a file became, so that broken letters and shifted columns are seen before anything is imported. */
export function ReadNote({ file, known }: Props) {
  const table = tableOf(file.text);
  if (!table) return null;
  const { header, rows, separator } = table;
  const names = known?.map((name) => name.toLowerCase());
  const left = names ? header.filter((name) => name !== '' && !names.includes(name.toLowerCase())) : [];
  return (
    <Block title={t('What was read')} about={readText(file, separator)}>
      {left.length > 0 && (
        <Text size="sm" mb="xs" role="status">
          {t('{count, plural, one {This column is} other {These columns are}} left out: {list}.', {
            count: left.length,
            list: left.join(', '),
          })}
        </Text>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard */}
      <section className={classes.scroll} aria-label={t('The first rows of the file')} tabIndex={0}>
        <table className={classes.cells}>
          <thead>
            <tr>
              {header.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, mostShown).map(({ line, cells }) => (
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
      {rows.length > mostShown && (
        <Text size="sm" c="dimmed" mt="xs">
          {t('And {count, number} more rows.', { count: rows.length - mostShown })}
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

/** Undefined for JSON and for a file that is no table. */
function tableOf(text: string): CsvTable | undefined {
  if (/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseCsv(text);
  } catch {
    return undefined;
  }
}
