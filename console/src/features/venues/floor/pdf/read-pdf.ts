import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import workerUrl from 'pdfjs-dist/build/pdf.worker.min.mjs?url';
import { t } from '../../../../lib/words/words.ts';

/** The pages of a PDF document, drawn by pdf.js in this browser. The document itself is not uploaded. */

export interface Pdf {
  readonly name: string;
  readonly pages: number;
  /** Draws a page, counted from 1, so that its longer side has this many pixels. @throws Error whose message is a sentence */
  readonly draw: (page: number, longest: number) => Promise<HTMLCanvasElement>;
  readonly close: () => void;
}

/** The whole of it is held in memory twice, here and in the worker. */
const maxBytes = 50 * 1024 * 1024;
/** A plan of a building takes a few seconds; a document that is made to take for ever is given up. */
const maxMs = 60_000;

export const isPdf = ({ name, type }: File) => type === 'application/pdf' || /\.pdf$/i.test(name);

/**
 * Opens a document. Scripts in it never run: pdf.js has an interpreter for them only if it is asked for.
 *
 * @throws Error whose message is a sentence
 */
export async function openPdf(file: File): Promise<Pdf> {
  const { name, size } = file;
  if (size > maxBytes)
    throw new Error(
      t('{name} has {ceil} MB. A PDF document may have {most} MB: save the page with the plan on its own.', {
        name,
        ceil: Math.ceil(size / 1024 / 1024),
        most: maxBytes / 1024 / 1024,
      }),
    );
  const { getDocument, GlobalWorkerOptions } = await import('pdfjs-dist');
  GlobalWorkerOptions.workerSrc = workerUrl;
  const data = new Uint8Array(await file.arrayBuffer());
  // The content policy of the console allows no WebAssembly.
  const task = getDocument({ data, useWasm: false, enableXfa: false, useWorkerFetch: false, verbosity: 0 });
  const close = () => void task.destroy().catch(() => undefined);
  try {
    const opened = await inTime(task.promise);
    return { name, pages: opened.numPages, draw: (page, longest) => draw(opened, { name, page, longest }), close };
  } catch (error) {
    close();
    throw sentenceOf(error, name);
  }
}

function sentenceOf(error: unknown, name: string): Error {
  const kind = error instanceof Error ? error.name : '';
  if (kind === 'PasswordException')
    return new Error(
      t('{name} needs a password. Save it without one, or the page with the plan as a PNG picture.', { name }),
    );
  if (kind === tooSlow)
    return new Error(t('{name} takes too long to read. Save the page with the plan as a PNG picture.', { name }));
  return new Error(
    t('{name} cannot be read as a PDF document. Save it again, or the page with the plan as a PNG picture.', { name }),
  );
}

interface Wanted {
  readonly name: string;
  readonly page: number;
  readonly longest: number;
}

async function draw(opened: PDFDocumentProxy, { name, page: number, longest }: Wanted): Promise<HTMLCanvasElement> {
  try {
    const page = await inTime(opened.getPage(number));
    const viewport = page.getViewport({ scale: scaleOf(page, longest) });
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(viewport.width));
    canvas.height = Math.max(1, Math.round(viewport.height));
    const drawing = page.render({ canvas, viewport });
    await inTime(drawing.promise).finally(() => drawing.cancel());
    page.cleanup();
    return canvas;
  } catch (error) {
    if (error instanceof Error && error.name === tooSlow) throw sentenceOf(error, name);
    throw new Error(t('Page {number} of {name} cannot be drawn. Save it as a PNG picture.', { number, name }));
  }
}

/** Pages may be of any size, since plans are printed on large sheets: only their shape counts. */
function scaleOf(page: PDFPageProxy, longest: number): number {
  const { width, height } = page.getViewport({ scale: 1 });
  return longest / Math.max(width, height);
}

const tooSlow = 'TooSlow';

function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error(), { name: tooSlow })), maxMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** The longer side of the picture: of a floor 60 m long a pixel is 12 mm, and a phone still decodes it. */
const longest = 5_000;
const leastLongest = 1_200;

/**
 * A page as a PNG picture, coarser where it would be larger than a plan may be, as with photographs on it.
 *
 * @throws Error whose message is a sentence
 */
export async function pictureOfPage(pdf: Pdf, page: number): Promise<File> {
  for (let side = longest; side >= leastLongest; side = Math.round(side * 0.7)) {
    const blob = await pngOf(await pdf.draw(page, side));
    if (blob && blob.size <= maxBytes) return new File([blob], pictureName(pdf, page), { type: 'image/png' });
  }
  throw new Error(
    t('Page {number} of {name} cannot be drawn. Save it as a PNG picture.', { number: page, name: pdf.name }),
  );
}

/** Null where the browser has not enough memory for it. */
const pngOf = (canvas: HTMLCanvasElement) => new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));

const pictureName = ({ name }: Pdf, page: number) => `${name.replace(/\.pdf$/i, '').slice(0, 80)}-${page}.png`;
