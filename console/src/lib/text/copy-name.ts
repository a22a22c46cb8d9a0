import { t } from '../words/words.ts';

const longest = 50;

/** The name of a copy, within what the service takes: `Welcome (copy)`. */
export function copyName(name: string): string {
  const mark = ` ${t('(copy)')}`;
  return `${name.slice(0, longest - mark.length)}${mark}`;
}
