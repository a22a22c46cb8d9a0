import { openPicture, TooManyPixels } from './open-picture.ts';

/** QR codes in pictures: read by the browser where it can, else by the library that also draws them. */

interface Detector {
  detect(source: ImageBitmapSource): Promise<readonly { readonly rawValue: string }[]>;
}
type MakeDetector = new (options: { readonly formats: readonly string[] }) => Detector;

/** Larger pictures are looked at in this size; labels fill a good part of them. */
const maxSide = 1_280;

/** The text of a code; undefined: none is seen. */
export async function readCode(source: CanvasImageSource, width: number, height: number): Promise<string | undefined> {
  if (width === 0 || height === 0) return undefined;
  const scale = Math.min(1, maxSide / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context?.drawImage(source, 0, 0, canvas.width, canvas.height);
  const found = await detected(canvas);
  if (found !== undefined || !context) return found;
  const { decodeQR } = await import('qr/decode.js').then((module) => ({ decodeQR: module.default }));
  try {
    return decodeQR(context.getImageData(0, 0, canvas.width, canvas.height), { timeLimit: 200 });
  } catch {
    return undefined;
  }
}

async function detected(canvas: HTMLCanvasElement): Promise<string | undefined> {
  const { BarcodeDetector } = globalThis as { readonly BarcodeDetector?: MakeDetector };
  if (!BarcodeDetector) return undefined;
  try {
    return (await new BarcodeDetector({ formats: ['qr_code'] }).detect(canvas))[0]?.rawValue;
  } catch {
    // Some browsers have the name and not what it needs.
    return undefined;
  }
}

/** @throws Error whose message is a sentence */
export async function readCodeOfFile(file: File): Promise<string | undefined> {
  const picture = await openPicture(file).catch((error: unknown) => {
    if (error instanceof TooManyPixels) throw error;
    return undefined;
  });
  if (!picture) return undefined;
  const text = await readCode(picture, picture.width, picture.height);
  picture.close();
  return text;
}
