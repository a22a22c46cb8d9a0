import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Picture {
  readonly name: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Only where pages have their pictures in them. */
  readonly bytes: Buffer | undefined;
}

export const pictureFolder = 'images';
/** `console-heat-dark.png` is shown instead of `console-heat.png` where the reader has dark colours. */
export const darkName = (name: string): string => name.replace(/\.png$/, '-dark.png');

const signature = Buffer.from('89504e470d0a1a0a', 'hex');
/** Where a PNG says how wide and high it is. */
const [widthAt, heightAt] = [16, 20];

export const isPicture = (name: string): boolean => /^[\w-]+\.png$/.test(name);

export async function readPictures(docs: string, keepsBytes: boolean): Promise<ReadonlyMap<string, Picture>> {
  const folder = join(docs, pictureFolder);
  const names = (await readdir(folder).catch(() => [])).filter(isPicture);
  const found = new Map<string, Picture>();
  for (const name of names) {
    const bytes = await readFile(join(folder, name));
    if (bytes.length <= heightAt + 4 || !bytes.subarray(0, signature.length).equals(signature)) continue;
    const [width, height] = [bytes.readUInt32BE(widthAt), bytes.readUInt32BE(heightAt)];
    found.set(name, { name, width, height, bytes: keepsBytes ? bytes : undefined });
  }
  return found;
}
