import type { Unzipped } from 'fflate';
import { loadPart } from '../../../lib/actions/load-part.ts';
import { t } from '../../../lib/words/words.ts';

/** ZIP archives of JSON files. The library is loaded when it is needed. */

/** Of all files together, when they are unpacked. */
const maxBytes = 50_000_000;

export async function packed(files: Readonly<Record<string, object>>): Promise<Uint8Array<ArrayBuffer>> {
  const { strToU8, zipSync } = await loadPart(() => import('fflate'));
  const entries = Object.entries(files).map(([name, content]) => [name, strToU8(JSON.stringify(content))]);
  return zipSync(Object.fromEntries(entries) as Record<string, Uint8Array>) as Uint8Array<ArrayBuffer>;
}

/**
 * The JSON files of an archive by their names without folders.
 *
 * @throws Error whose message is a sentence about the whole archive
 */
export async function unpacked(bytes: Uint8Array): Promise<ReadonlyMap<string, unknown>> {
  const { strFromU8, unzipSync } = await loadPart(() => import('fflate'));
  const found = new Map<string, unknown>();
  let sum = 0;
  let files: Unzipped;
  try {
    files = unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        if (!isWanted(name)) return false;
        sum += originalSize;
        // What is announced is what is unpacked at most.
        if (sum > maxBytes) throw new TooLarge();
        return true;
      },
    });
  } catch (cause) {
    if (cause instanceof TooLarge)
      throw new Error(t('Unpacked, the files of this archive have more than {size} MB.', { size: maxBytes / 1e6 }));
    throw new Error(t('This is no ZIP archive that can be read.'), { cause });
  }
  for (const [path, content] of Object.entries(files)) {
    const name = baseOf(path);
    if (found.has(name)) throw new Error(t('{name} is in the archive twice.', { name }));
    found.set(name, parsed(name, strFromU8(content)));
  }
  return found;
}

class TooLarge extends Error {}

const baseOf = (path: string) => path.split('/').at(-1) ?? '';

/** Macs add files of their own, whose names begin with two dots and such. */
const isWanted = (path: string) =>
  /^(manifest\.json|[a-z]+\.geojson)$/.test(baseOf(path)) && !path.startsWith('__MACOSX/');

function parsed(name: string, text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new Error(t('{name} is no JSON.', { name }));
  }
}
