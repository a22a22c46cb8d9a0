import { readFileSync } from 'node:fs';
import { setServiceCatalogue, translated } from '../../src/lib/words/words.ts';

const catalogue = new URL('../../src/lib/words/catalogues/service-de.json', import.meta.url);

/** Every text in answers of the service that the catalogue of German has in other words, of three words and more. */
export function englishOf(answers: readonly unknown[]): string[] {
  setServiceCatalogue(JSON.parse(readFileSync(catalogue, 'utf8')) as Record<string, string>);
  const texts = new Set<string>();
  const walk = (value: unknown): void => {
    if (typeof value === 'string') texts.add(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
  };
  answers.forEach(walk);
  const found = [...texts].filter((text) => text.split(' ').length > 2 && translated(text) !== text);
  setServiceCatalogue({});
  return found;
}
