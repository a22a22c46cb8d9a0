import { imageSize } from 'image-size';

/** A phone has to decode it: 8,000 by 8,000 pixels are 256 MB. */
export const maxPixels = 8_000;
const maxBytes = 20 * 1024 * 1024;
/** Ahead of the size of a JPEG there may be a preview and a colour profile. */
export const headBytes = 512 * 1024;

const types: Readonly<Record<string, string>> = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' };

export interface PlanFile {
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
  /** Its first bytes, at most `headBytes`. */
  readonly head: Uint8Array;
}

export interface Plan {
  readonly fileId: string;
  readonly width: number;
  readonly height: number;
}

/** Why a file cannot be a plan, as the end of a sentence; undefined if it can. */
export function planProblem({ width, height }: Plan, file: PlanFile): string | undefined {
  const { contentType, size, head } = file;
  if (contentType === 'application/pdf') return 'is a PDF document: save the page with the plan as a PNG picture';
  if (contentType === 'image/svg+xml') return 'is an SVG drawing, which may run scripts: save it as a PNG picture';
  const kind = types[contentType];
  if (kind === undefined) return `must be a PNG, JPEG or WebP picture, and is ${contentType}`;
  if (size > maxBytes)
    return `is too large: ${Math.ceil(size / 1024 / 1024)} MB, and a plan may have ${maxBytes / 1024 / 1024} MB`;
  const measured = measure(head);
  if (measured?.type !== kind) return 'cannot be read as a picture: save it again as PNG';
  if (measured.width > maxPixels || measured.height > maxPixels)
    return `has ${measured.width} × ${measured.height} pixels, and a plan may have ${maxPixels} × ${maxPixels}`;
  const turned = measured.width === height && measured.height === width;
  if (!turned && (measured.width !== width || measured.height !== height))
    return `has ${measured.width} × ${measured.height} pixels, not ${width} × ${height}`;
  return undefined;
}

function measure(head: Uint8Array) {
  try {
    return imageSize(head);
  } catch {
    return undefined;
  }
}
