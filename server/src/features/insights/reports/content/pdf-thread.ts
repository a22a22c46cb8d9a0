/** The thread that draws one PDF. Fonts are read and cut to the letters that are used, which takes some 100 ms. */
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import PDFDocument from 'pdfkit';
import type { ReportDocument } from './blocks.ts';
import { drawReport } from './draw-pdf.ts';

const { document, madeAt } = workerData as { document: ReportDocument; madeAt: number };
const require = createRequire(import.meta.url);
const fontFile = (name: string) => require.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`);

const pdf = new PDFDocument({
  size: 'A4',
  margins: { top: 50, bottom: 56, left: 50, right: 50 },
  bufferPages: true,
  lang: document.language,
  displayTitle: true,
  info: {
    Title: document.subject,
    Creator: 'Pharos',
    Producer: 'Pharos',
    CreationDate: new Date(madeAt),
    ModDate: new Date(madeAt),
  },
});
pdf.registerFont('plain', fontFile('DejaVuSans'));
pdf.registerFont('bold', fontFile('DejaVuSans-Bold'));
const parts: Buffer[] = [];
pdf.on('data', (part: Buffer) => parts.push(part));
pdf.on('end', () => {
  const bytes = new Uint8Array(Buffer.concat(parts));
  parentPort?.postMessage(bytes, [bytes.buffer]);
});
drawReport(pdf, document);
pdf.end();
