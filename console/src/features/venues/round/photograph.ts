import { openPicture, TooManyPixels } from '../../../components/scan/open-picture.ts';
import { t } from '../../../lib/words/words.ts';

const maxSide = 1_600;

/** A photograph as a JPEG that a bad network can carry, without what the phone notes in it (where and when). @throws Error */
export async function smallerPhotograph(file: File): Promise<Blob> {
  try {
    const picture = await openPicture(file);
    const scale = Math.min(1, maxSide / Math.max(picture.width, picture.height));
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/jpeg', 0.8));
    if (blob) return blob;
  } catch (error) {
    if (error instanceof TooManyPixels) throw error;
    // Told below.
  }
  throw new Error(t('{name} cannot be read as a picture. Take the photograph again.', { name: file.name }));
}
