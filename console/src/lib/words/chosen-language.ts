import { asLanguage, type Language, languageOf } from './language.ts';

const kept = 'pharos language';

/** What somebody has chosen on this device; undefined: as the browser is set. */
export function chosenLanguage(): Language | undefined {
  try {
    return asLanguage(localStorage.getItem(kept));
  } catch {
    // The storage is switched off.
    return undefined;
  }
}

export const presentLanguage = (): Language => chosenLanguage() ?? languageOf(navigator.languages);

/** Keeps the choice on this device, empty for the browser's, and loads the page again. Forms keep what is typed as a draft. */
export function chooseLanguage(tag: string): void {
  const language = asLanguage(tag);
  try {
    if (language) localStorage.setItem(kept, language);
    else localStorage.removeItem(kept);
  } catch {
    // Nothing can be kept, so the language stays that of the browser.
  }
  location.reload();
}
