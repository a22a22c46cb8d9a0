import type { Block, ReportDocument } from './blocks.ts';
import type { Foot } from './html.ts';

/** A report as plain text, for mail programs that show no pages and for people who want none. */
export function textOf({ title, subtitle, story, blocks, notes }: ReportDocument, foot: Foot): string {
  const parts = [
    `${title}\n${subtitle}`,
    ...story,
    ...blocks.map(blockText),
    notes.join('\n'),
    `${foot.text}\n${foot.link.url}`,
  ];
  return `${parts.join('\n\n')}\n`;
}

function blockText(block: Block): string {
  if (block.kind === 'facts')
    return columns(block.facts.map(({ label, value, note }) => [label, value, note])).join('\n');
  const head = `${block.title.toUpperCase()}\n${block.about}`;
  const says = block.kind === 'bars' ? (block.says ?? []) : [];
  return [head, linesOf(block).join('\n'), ...says, block.link.url].join('\n');
}

function linesOf(block: Exclude<Block, { kind: 'facts' }>): string[] {
  if (block.kind === 'bars')
    return columns(
      block.bars.map(({ label, text, before, mark }) => [label, text, before ? `(${before.text})` : '', mark ?? '']),
    );
  if (block.kind === 'table') return columns([block.head, ...block.rows]);
  return columns([
    ['', ...block.columns],
    ...block.rows.map(({ label, cells }) => [label, ...cells.map(({ text }) => (text === '' ? '.' : text))]),
  ]);
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => [...(row[index] ?? '')].length)));
  return rows.map((row) =>
    row
      .map((cell, index) => cell + ' '.repeat(Math.max(0, (widths[index] ?? 0) - [...cell].length)))
      .join('  ')
      .trimEnd(),
  );
}
