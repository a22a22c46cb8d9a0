import { Recogniser } from './recogniser.ts';
import { type Catalogue, formatted, pageLanguage } from './words.ts';

/** Sentences that the service has made, in the language of the page. Without a catalogue they stay English. */

const ofPage = (catalogue: Catalogue) => new Recogniser({ catalogue, language: pageLanguage(), formatted });
let recogniser: Recogniser | undefined;

/** Sets what the sentences of the service are in the language of the page, which has been set before. */
export function setServiceCatalogue(words: Catalogue): void {
  recogniser = ofPage(words);
}

/** A sentence of the service in the language of the page. One that is translated already is left as it is. */
export function translated(sentence: string): string {
  recogniser ??= ofPage({});
  return recogniser.translated(sentence);
}
