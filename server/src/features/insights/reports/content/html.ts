import { escapeHtml } from '../../../../http/escape-html.ts';
import type { Bar, Block, Link, ReportDocument } from './blocks.ts';

/**
 * A report as a page for mail programs: tables, styles at the elements and nothing to load, since they know little else. Bars are
 * cells with a colour.
 */

export const ink = '#1f2933';
export const soft = '#52606d';
export const line = '#d9e0e6';
export const blue = '#2f6690';
export const grey = '#a9b7c4';
const font = 'font-family:Helvetica,Arial,sans-serif';

export interface Foot {
  /** Why it came, and how that ends. */
  readonly text: string;
  readonly link: Link;
}

export function htmlOf(document: ReportDocument, foot: Foot): string {
  const { subject, language } = document;
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(subject)}</title></head>
<body style="margin:0;padding:0;background:#eef2f5">${pageOf(document, foot)}</body></html>
`;
}

/** What stands in the body of the page, for a preview, too. */
function pageOf({ title, subtitle, story, blocks, notes, language }: ReportDocument, foot: Foot): string {
  const rows = [
    `<h1 style="margin:0;font-size:24px;line-height:1.25;color:${ink}">${escapeHtml(title)}</h1>
<p style="margin:4px 0 0;font-size:15px;color:${soft}">${escapeHtml(subtitle)}</p>`,
    ...story.map((text) => `<p style="margin:0;font-size:16px;line-height:1.5;color:${ink}">${escapeHtml(text)}</p>`),
    ...blocks.map((block) => blockHtml(block, language)),
    notes.map((text) => small(text)).join('\n'),
    small(foot.text, foot.link),
  ];
  const cells = rows.map((html) => `<tr><td style="padding:10px 20px;${font}">${html}</td></tr>`).join('\n');
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#eef2f5"><tr><td align="center" style="padding:16px 8px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:620px;background:#ffffff;border-radius:6px;text-align:left">
<tr><td style="padding:6px 0 0;font-size:0;line-height:0">&nbsp;</td></tr>
${cells}
<tr><td style="padding:0 0 10px;font-size:0;line-height:0">&nbsp;</td></tr>
</table></td></tr></table>`;
}

const small = (text: string, link?: Link) =>
  `<p style="margin:0 0 6px;font-size:12px;line-height:1.5;color:${soft}">${escapeHtml(text)}${link ? ` ${anchor(link)}` : ''}</p>`;

const anchor = ({ text, url }: Link) =>
  `<a href="${escapeHtml(url)}" style="color:${blue};text-decoration:underline">${escapeHtml(text)}</a>`;

const table = (inner: string, width = '100%') =>
  `<table width="${width}" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse">${inner}</table>`;

function blockHtml(block: Block, language: string): string {
  if (block.kind === 'facts') return factsHtml(block.facts);
  const inner =
    block.kind === 'bars'
      ? barsHtml(block.bars, block.says)
      : block.kind === 'grid'
        ? gridHtml(block)
        : tableHtml(block);
  // German nouns keep their capital.
  const title = language === 'de' ? block.title : block.title.toLocaleLowerCase(language);
  return `<h2 style="margin:10px 0 2px;font-size:17px;color:${ink}">${escapeHtml(block.title)}</h2>
<p style="margin:0 0 8px;font-size:13px;line-height:1.45;color:${soft}">${escapeHtml(block.about)} ${anchor({ ...block.link, text: `${block.link.text}: ${title}` })}</p>
${inner}`;
}

function factsHtml(facts: Extract<Block, { kind: 'facts' }>['facts']): string {
  const rows = facts.map(
    ({ label, value, note }) =>
      `<tr><th scope="row" align="left" style="padding:6px 8px 6px 0;border-top:1px solid ${line};font-size:14px;font-weight:normal;color:${soft}">${escapeHtml(label)}</th>
<td style="padding:6px 8px 6px 0;border-top:1px solid ${line};font-size:18px;font-weight:bold;color:${ink};white-space:nowrap">${escapeHtml(value)}</td>
<td style="padding:6px 0;border-top:1px solid ${line};font-size:13px;color:${soft}">${escapeHtml(note)}</td></tr>`,
  );
  return table(rows.join('\n'));
}

function barsHtml(bars: readonly Bar[], says: readonly string[] = []): string {
  const most = Math.max(1, ...bars.flatMap(({ size, before }) => [size, before?.size ?? 0]));
  const bar = (size: number, colour: string, height: number) => {
    // A bar of no width would be drawn by some programs all the same.
    const width = Math.round((size / most) * 100);
    const cell = (share: number, style: string) =>
      share <= 0
        ? ''
        : `<td width="${share}%" style="height:${height}px;line-height:${height}px;font-size:0;${style}">&nbsp;</td>`;
    return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr>${cell(width, `background:${colour}`)}${cell(100 - width, '')}</tr></table>`;
  };
  const rows = bars.map(({ label, size, text, before, mark }) => {
    const under = mark === undefined ? '' : `<br><span style="font-size:11px;color:${soft}">${escapeHtml(mark)}</span>`;
    const was = before ? ` <span style="font-weight:normal;color:${soft}">(${escapeHtml(before.text)})</span>` : '';
    return `<tr><th scope="row" align="left" valign="middle" width="30%" style="padding:3px 8px 3px 0;font-size:13px;font-weight:normal;color:${ink}">${escapeHtml(label)}${under}</th>
<td valign="middle" style="padding:3px 0">${bar(size, blue, 10)}${before ? bar(before.size, grey, 4) : ''}</td>
<td align="right" valign="middle" width="22%" style="padding:3px 0 3px 8px;font-size:13px;font-weight:bold;color:${ink};white-space:nowrap">${escapeHtml(text)}${was}</td></tr>`;
  });
  const said = says.map(
    (text) => `<p style="margin:6px 0 0;font-size:13px;line-height:1.45;color:${ink}">${escapeHtml(text)}</p>`,
  );
  return [table(rows.join('\n')), ...said].join('\n');
}

/** From white to the blue of the bars, of which text stays readable: dark on light, white on dark. */
export function shade(share: number): { readonly background: string; readonly text: string } {
  const mix = (from: number, to: number) => Math.round(from + (to - from) * share);
  const parts = [mix(0xf4, 0x2f), mix(0xf8, 0x66), mix(0xfb, 0x90)];
  const background = `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  return { background, text: share > 0.62 ? '#ffffff' : '#14202b' };
}

function gridHtml({ columns, rows }: Extract<Block, { kind: 'grid' }>): string {
  const most = Math.max(1, ...rows.flatMap(({ cells }) => cells.map(({ size }) => size)));
  const head = columns.map(
    (name) =>
      `<th scope="col" style="padding:2px;font-size:11px;font-weight:normal;color:${soft}">${escapeHtml(name)}</th>`,
  );
  const body = rows.map(({ label, cells }) => {
    const inner = cells.map(({ size, text, isOpen }) => {
      const { background, text: colour } =
        size === 0 ? { background: isOpen ? '#ffffff' : '#e3e8ec', text: ink } : shade(size / most);
      return `<td align="center" style="padding:3px 1px;border:1px solid #ffffff;background:${background};font-size:11px;color:${colour}">${text === '' ? '&nbsp;' : escapeHtml(text)}</td>`;
    });
    return `<tr><th scope="row" align="right" style="padding:2px 6px 2px 0;font-size:11px;font-weight:normal;color:${soft}">${label}</th>${inner.join('')}</tr>`;
  });
  return table(`<tr><td></td>${head.join('')}</tr>\n${body.join('\n')}`);
}

function tableHtml({ head, rows }: Extract<Block, { kind: 'table' }>): string {
  const align = (index: number) => (index === 0 ? 'left' : 'right');
  const titles = head.map(
    (name, index) =>
      `<th scope="col" align="${align(index)}" style="padding:4px ${index === 0 ? '8px 4px 0' : '0 4px 8px'};font-size:12px;font-weight:normal;color:${soft}">${escapeHtml(name)}</th>`,
  );
  const body = rows.map(
    (cells) =>
      `<tr>${cells
        .map((text, index) => {
          const [tag, scope] = index === 0 ? ['th', ' scope="row"'] : ['td', ''];
          return `<${tag}${scope} align="${align(index)}" style="padding:4px ${index === 0 ? '8px 4px 0' : '0 4px 8px'};border-top:1px solid ${line};font-size:13px;font-weight:normal;color:${ink}${index === 0 ? '' : ';white-space:nowrap'}">${escapeHtml(text)}</${tag}>`;
        })
        .join('')}</tr>`,
  );
  return table(`<tr>${titles.join('')}</tr>\n${body.join('\n')}`);
}
