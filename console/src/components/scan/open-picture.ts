import { imageSize } from 'image-size';
import { t } from '../../lib/words/words.ts';

/** More than what cameras of phones make. Decoded, a pixel takes four bytes: of 30,000 by 30,000 a page dies without saying why. */
const maxMillions = 120;
/** Ahead of the size of a JPEG there may be a preview and a colour profile. */
const headBytes = 512 * 1024;

/** @throws Error whose message is a sentence if the head of the file says that it has too many pixels; another one if it is no picture */
export async function openPicture(file: File): Promise<ImageBitmap> {
  const size = sizeIn(new Uint8Array(await file.slice(0, headBytes).arrayBuffer()));
  if (size && size.width * size.height > maxMillions * 1_000_000)
    throw new TooManyPixels(
      t('{name} has {width} × {height} pixels. A photograph may have {most} million.', {
        name: file.name,
        width: size.width,
        height: size.height,
        most: maxMillions,
      }),
    );
  return createImageBitmap(file);
}

export class TooManyPixels extends Error {}

function sizeIn(head: Uint8Array): { readonly width: number; readonly height: number } | undefined {
  try {
    return imageSize(head);
  } catch {
    // The browser may know it all the same.
    return undefined;
  }
}
