import type { Floor } from '@pharos/sdk';
import { imageSize } from 'image-size';
import { dataOf } from '../../../lib/data/api.ts';
import { t } from '../../../lib/words/words.ts';

export const maxBytes = 20 * 1024 * 1024;
const maxPixels = 8_000;
/** Ahead of the size of a JPEG there may be a preview and a colour profile. */
const headBytes = 512 * 1024;
const types = ['image/png', 'image/jpeg', 'image/webp'];

/** Why a file cannot be a plan, before it is uploaded; the service says the same. */
function problemOf({ name, type, size }: File): string | undefined {
  if (type === 'image/svg+xml')
    return t('{name} is an SVG drawing, which may run scripts. Save it as a PNG picture.', { name });
  if (!types.includes(type)) return t('{name} is no PNG, JPEG or WebP picture.', { name });
  if (size > maxBytes)
    return t('{name} has {ceil} MB. A plan may have 20 MB.', { name, ceil: Math.ceil(size / 1024 / 1024) });
  return undefined;
}

/** The size of a picture that can be a plan, pixels. @throws Error whose message is a sentence */
export async function measurePlan(file: File): Promise<{ readonly width: number; readonly height: number }> {
  const problem = problemOf(file);
  if (problem) throw new Error(problem);
  const { width, height } = await measure(file);
  if (width > maxPixels || height > maxPixels)
    throw new Error(
      t('{name} has {width} × {height} pixels. A plan may have {maxPixels} on each side.', {
        name: file.name,
        width,
        height,
        maxPixels,
      }),
    );
  return { width, height };
}

/**
 * Uploads the picture of a floor.
 *
 * @throws Error whose message is a sentence, PharosError
 */
export async function uploadPlan(appId: string, file: File): Promise<NonNullable<Floor['plan']>> {
  const { width, height } = await measurePlan(file);
  const { objectId } = await dataOf(appId).files.upload(file.name, file, file.type);
  return { fileId: objectId, width, height };
}

/** The size as the file says it, if that is too much: to decode 30,000 by 30,000 pixels takes 3.6 GB, or fails without saying why. */
async function measure(file: File): Promise<{ readonly width: number; readonly height: number }> {
  try {
    const size = imageSize(new Uint8Array(await file.slice(0, headBytes).arrayBuffer()));
    if (size.width > maxPixels || size.height > maxPixels) return { width: size.width, height: size.height };
    const picture = await createImageBitmap(file);
    const { width, height } = picture;
    picture.close();
    return { width, height };
  } catch {
    throw new Error(t('{name} cannot be read as a picture. Save it again as PNG.', { name: file.name }));
  }
}
