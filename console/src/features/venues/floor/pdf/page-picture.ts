import { t } from '../../../../lib/words/words.ts';
import { maxBytes } from '../read-plan.ts';
import type { Pdf } from './read-pdf.ts';

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
