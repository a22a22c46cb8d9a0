import type { Block, Link, ReportDocument } from './blocks.ts';
import { blue, grey, ink, line, shade, soft } from './html.ts';

/** Draws a report with pdfkit: bars, shaded cells and tables as vectors. Points, from the upper left corner. */

type Pdf = PDFKit.PDFDocument;

export function drawReport(pdf: Pdf, { title, subtitle, story, blocks, notes }: ReportDocument): void {
  write(pdf, title, { size: 20, isBold: true });
  write(pdf, subtitle, { size: 11, colour: soft, after: 10 });
  for (const text of story) write(pdf, text, { size: 11, after: 4 });
  for (const block of blocks) drawBlock(pdf, block);
  pdf.moveDown(1);
  for (const text of notes) write(pdf, text, { size: 8, colour: soft, after: 2 });
  numberPages(pdf);
}

const left = ({ page }: Pdf) => page.margins.left;
const widthOf = ({ page }: Pdf) => page.width - page.margins.left - page.margins.right;
const bottom = ({ page }: Pdf) => page.height - page.margins.bottom;

interface Style {
  readonly size: number;
  readonly colour?: string;
  readonly isBold?: boolean;
  readonly after?: number;
  readonly link?: Link;
}

function write(pdf: Pdf, text: string, { size, colour = ink, isBold = false, after = 0, link }: Style): void {
  pdf
    .font(isBold ? 'bold' : 'plain')
    .fontSize(size)
    .fillColor(colour);
  pdf.text(link ? `${text} ` : text, left(pdf), pdf.y, { width: widthOf(pdf), continued: link !== undefined });
  if (link) pdf.fillColor(blue).text(link.text, { link: link.url, underline: true });
  pdf.y += after;
}

/** A new page unless so much fits. */
function room(pdf: Pdf, height: number): void {
  if (pdf.y + height > bottom(pdf)) pdf.addPage();
}

interface Cell {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly size?: number;
  readonly colour?: string;
  readonly isBold?: boolean;
  readonly align?: 'left' | 'right' | 'center';
}

/** One line, cut where it does not fit. */
function cell(
  pdf: Pdf,
  text: string,
  { x, y, width, size = 9, colour = ink, isBold = false, align = 'left' }: Cell,
): void {
  pdf
    .font(isBold ? 'bold' : 'plain')
    .fontSize(size)
    .fillColor(colour);
  let shown = text;
  while (shown.length > 1 && pdf.widthOfString(shown === text ? text : `${shown}…`) > width) shown = shown.slice(0, -1);
  pdf.text(shown === text ? text : `${shown}…`, x, y, { width: width + 1, align, lineBreak: false });
}

function drawBlock(pdf: Pdf, block: Block): void {
  if (block.kind === 'facts') {
    drawFacts(pdf, block.facts);
    return;
  }
  pdf.moveDown(1);
  room(pdf, 110);
  write(pdf, block.title, { size: 13, isBold: true });
  write(pdf, block.about, { size: 9, colour: soft, link: block.link, after: 6 });
  if (block.kind === 'bars') drawBars(pdf, block);
  else if (block.kind === 'grid') drawGrid(pdf, block);
  else drawTable(pdf, block);
}

function drawFacts(pdf: Pdf, facts: Extract<Block, { kind: 'facts' }>['facts']): void {
  pdf.moveDown(0.8);
  for (const { label, value, note } of facts) {
    room(pdf, 24);
    const y = pdf.y;
    pdf
      .moveTo(left(pdf), y)
      .lineTo(left(pdf) + widthOf(pdf), y)
      .lineWidth(0.5)
      .strokeColor(line)
      .stroke();
    cell(pdf, label, { x: left(pdf), y: y + 6, width: 95, size: 10, colour: soft });
    cell(pdf, value, { x: left(pdf) + 100, y: y + 4, width: 95, size: 13, isBold: true });
    cell(pdf, note, { x: left(pdf) + 200, y: y + 7, width: widthOf(pdf) - 200, size: 8, colour: soft });
    pdf.y = y + 24;
  }
}

function drawBars(pdf: Pdf, { bars, says = [] }: Extract<Block, { kind: 'bars' }>): void {
  const most = Math.max(1, ...bars.flatMap(({ size, before }) => [size, before?.size ?? 0]));
  const [labels, numbers] = [165, 95];
  const space = widthOf(pdf) - labels - numbers;
  for (const { label, size, text, before, mark } of bars) {
    const height = mark === undefined ? 16 : 25;
    room(pdf, height);
    const y = pdf.y;
    const start = left(pdf) + labels;
    cell(pdf, label, { x: left(pdf), y: y + 1, width: labels - 8 });
    if (mark !== undefined) cell(pdf, mark, { x: left(pdf), y: y + 12, width: labels - 8, size: 7.5, colour: soft });
    pdf.rect(start, y + 2, (size / most) * space, 7).fill(blue);
    if (before) pdf.rect(start, y + 9.5, (before.size / most) * space, 3).fill(grey);
    const tail = before ? ` (${before.text})` : '';
    cell(pdf, `${text}${tail}`, { x: start + space + 6, y: y + 1, width: numbers - 6 });
    pdf.y = y + height;
  }
  for (const text of says) {
    room(pdf, 24);
    pdf.y += 4;
    write(pdf, text, { size: 9 });
  }
}

function drawGrid(pdf: Pdf, { columns, rows }: Extract<Block, { kind: 'grid' }>): void {
  const most = Math.max(1, ...rows.flatMap(({ cells }) => cells.map(({ size }) => size)));
  const labels = 45;
  const width = (widthOf(pdf) - labels) / columns.length;
  const height = 13;
  const head = () => {
    const y = pdf.y;
    columns.forEach((name, index) => {
      cell(pdf, name, { x: left(pdf) + labels + index * width, y, width, size: 8, colour: soft, align: 'center' });
    });
    pdf.y = y + height;
  };
  head();
  for (const { label, cells } of rows) {
    if (pdf.y + height > bottom(pdf)) {
      pdf.addPage();
      head();
    }
    const y = pdf.y;
    cell(pdf, label, { x: left(pdf), y: y + 2, width: labels - 6, size: 8, colour: soft });
    cells.forEach(({ size, text, isOpen }, index) => {
      const { background, text: colour } =
        size === 0 ? { background: isOpen ? '#f7f9fa' : '#e3e8ec', text: ink } : shade(size / most);
      const x = left(pdf) + labels + index * width;
      pdf.rect(x + 0.5, y + 0.5, width - 1, height - 1).fill(background);
      if (text !== '') cell(pdf, text, { x, y: y + 2, width, size: 8, colour, align: 'center' });
    });
    pdf.y = y + height;
  }
}

function drawTable(pdf: Pdf, { head, rows }: Extract<Block, { kind: 'table' }>): void {
  const first = 195;
  const width = (widthOf(pdf) - first) / (head.length - 1);
  const height = 16;
  const put = (cells: readonly string[], colour: string) => {
    room(pdf, height);
    const y = pdf.y;
    cells.forEach((text, index) => {
      const x = index === 0 ? left(pdf) : left(pdf) + first + (index - 1) * width;
      cell(pdf, text, {
        x,
        y: y + 3,
        width: index === 0 ? first - 8 : width,
        colour,
        align: index === 0 ? 'left' : 'right',
      });
    });
    pdf
      .moveTo(left(pdf), y + height - 1)
      .lineTo(left(pdf) + widthOf(pdf), y + height - 1)
      .lineWidth(0.5)
      .strokeColor(line)
      .stroke();
    pdf.y = y + height;
  };
  put(head, soft);
  for (const row of rows) put(row, ink);
}

function numberPages(pdf: Pdf): void {
  const { start, count } = pdf.bufferedPageRange();
  for (let page = start; page < start + count; page++) {
    pdf.switchToPage(page);
    const { margins } = pdf.page;
    const below = margins.bottom;
    // Text below the margin would begin a new page.
    margins.bottom = 0;
    cell(pdf, `${page + 1} / ${count}`, {
      x: left(pdf),
      y: pdf.page.height - 36,
      width: widthOf(pdf),
      size: 8,
      colour: soft,
      align: 'right',
    });
    margins.bottom = below;
  }
}
