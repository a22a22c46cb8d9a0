import { store, stored } from '../actions/storage.ts';
import { asLanguage, type Language, languageOf } from './language.ts';

const kept = 'pharos language';

/** What somebody has chosen on this device; undefined: as the browser is set. */
export const chosenLanguage = (): Language | undefined => asLanguage(stored(kept));

export const presentLanguage = (): Language => chosenLanguage() ?? languageOf(navigator.languages);

/** Keeps the choice on this device, empty for the browser's, and loads the page again. Forms keep what is typed as a draft. */
export function chooseLanguage(tag: string): void {
  store(kept, asLanguage(tag) ?? null);
  location.reload();
}
