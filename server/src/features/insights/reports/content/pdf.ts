import { Worker } from 'node:worker_threads';
import type { ReportDocument } from './blocks.ts';

/** The last drawing: one at a time, since a thread takes some 60 MB. */
let last: Promise<unknown> = Promise.resolve();
/** What was drawn last: a report goes to several people one after the other. */
let drawn: { readonly key: string; readonly bytes: Buffer } | undefined;
const maxMs = 300_000;

/** A report as PDF, drawn on its own thread, so that no request waits for it. `madeAt`: epoch milliseconds. */
export function pdfOf(document: ReportDocument, madeAt: number): Promise<Buffer> {
  const key = JSON.stringify(document);
  const made = last.then(async () => {
    if (drawn?.key !== key) drawn = { key, bytes: await draw({ document, madeAt }) };
    return drawn.bytes;
  });
  last = made.catch(() => undefined);
  return made;
}

function draw(workerData: object): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./pdf-thread.ts', import.meta.url), { workerData });
    const late = setTimeout(() => void worker.terminate(), maxMs);
    worker.on('message', (bytes: Uint8Array) => resolve(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)));
    worker.on('error', reject);
    worker.on('exit', () => {
      clearTimeout(late);
      // Nothing happens if it has been drawn.
      reject(new Error('the PDF could not be drawn'));
    });
  });
}
