import { fail } from '../../../../base/errors.ts';

const defaultType = 'application/octet-stream';
const anyType = '*/*';
/** RFC 6838: each half is a restricted name of at most 127 characters; parameters follow the semicolon. */
const typeForm = /^([a-z0-9!#$&^_.+-]{1,127})\/([a-z0-9!#$&^_.+-]{1,127})[ \t]*(;.*)?$/i;

/**
 * The media type of an upload, in lower case and without parameters; application/octet-stream if the client names none.
 * Any type counts as none: clients generated from an earlier OpenAPI document send it literally.
 *
 * @throws Failure UnsupportedMediaType for a malformed one
 */
export function readMediaType(header: string | undefined): string {
  if (header === undefined || header.trim() === '' || header.trim() === anyType) return defaultType;
  const form = typeForm.exec(header.trim());
  if (!form) throw fail('UnsupportedMediaType', 'Content-Type must be a media type such as image/png.');
  return `${form[1]}/${form[2]}`.toLowerCase();
}

const list = (kind: string, subtypes: string) => subtypes.split(' ').map((subtype) => `${kind}/${subtype}`);

/**
 * Types that a browser shows or plays and never runs. A list of types, not a pattern: `video/x+xml` would be read as a
 * document, and an SVG image can contain scripts.
 */
const inertTypes: ReadonlySet<string> = new Set([
  ...list('image', 'png jpeg gif webp avif bmp x-icon vnd.microsoft.icon'),
  ...list('audio', 'mpeg mp4 aac x-m4a ogg opus wav x-wav vnd.wave webm flac x-flac 3gpp amr'),
  ...list('video', 'mp4 webm ogg quicktime x-m4v mpeg 3gpp 3gpp2 x-matroska x-msvideo mp2t'),
]);

/** How a stored file is served: shown if its type is inert, otherwise saved, and named only where that is safe. */
export function servedAs(storedType: string): {
  readonly contentType: string;
  readonly disposition: 'inline' | 'attachment';
} {
  if (inertTypes.has(storedType)) return { contentType: storedType, disposition: 'inline' };
  const contentType = storedType === 'application/pdf' ? storedType : defaultType;
  return { contentType, disposition: 'attachment' };
}
