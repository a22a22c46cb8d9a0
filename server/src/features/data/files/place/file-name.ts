import { randomBytes } from 'node:crypto';
import { type Failure, fail } from '../../../../base/errors.ts';
import { isLongerThan } from '../../../../base/text-length.ts';

const maxCodePoints = 128;
const prefixDigits = 32;

function refuse(problem: string): Failure {
  return fail('InvalidFileName', {
    message: `The file name ${problem}.`,
    details: [{ field: 'filename', problem }],
  });
}

/**
 * The file name of an upload, percent-decoded from the path. It is kept as given, in any script.
 *
 * @throws Failure InvalidFileName
 */
export function readFileName(given: string): string {
  if (given === '') throw refuse('is empty');
  if (isLongerThan(given, maxCodePoints)) throw refuse(`has more than ${maxCodePoints} characters`);
  if (/\p{Cc}/u.test(given)) throw refuse('contains a control character');
  if (/[/\\]/.test(given)) throw refuse('contains a path separator');
  if (given === '.' || given === '..') throw refuse('is the name of a folder');
  // Only an undecodable path can contain one, but it could not be stored.
  if (!given.isWellFormed()) throw refuse('is not valid Unicode');
  return given;
}

/** 128 random bits, so that an address cannot be guessed, and the given name for people. */
export function newStoredName(fileName: string): string {
  return storedNameOf(randomBytes(prefixDigits / 2).toString('hex'), fileName);
}

export const storedNameOf = (digits: string, fileName: string) => `${digits}_${fileName}`;
export const digitsOf = (storedName: string) => storedName.slice(0, prefixDigits);

/** The key of the file's bytes, without anything that the client called it. */
export function blobKeyOf(appId: string, storedName: string): string {
  return `${appId}/${digitsOf(storedName)}`;
}

export function fileUrl(publicUrl: string, appId: string, storedName: string): string {
  return `${publicUrl}/files/${appId}/${percentEncoded(storedName)}`;
}

/**
 * RFC 3986: everything but unreserved characters is escaped, so that an address can appear in any text and attribute.
 */
function percentEncoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * `Content-Disposition` (RFC 6266): the name in ASCII for old clients and, if that differs, also in UTF-8 (RFC 8187).
 */
export function contentDisposition(disposition: 'inline' | 'attachment', fileName: string): string {
  const ascii = fileName.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
  const exact = ascii === fileName ? '' : `; filename*=UTF-8''${percentEncoded(fileName)}`;
  return `${disposition}; filename="${ascii}"${exact}`;
}
