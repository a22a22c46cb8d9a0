import { pageLanguage } from '../words/words.ts';

/**
 * The administrator to whom this page belongs. All pages of a browser share its cookie, so each names its owner to the service, which
 * refuses requests if somebody else has signed in since (`SignedInAsAnother`).
 */

let administrator: string | undefined;

/** `adminId`; undefined: nobody is signed in on this page. */
export function setWhosePage(adminId: string | undefined): void {
  administrator = adminId;
}

/** Undefined: nobody is signed in on this page. */
export const personOfPage = (): string | undefined => administrator;

export const isSomebodys = (): boolean => administrator !== undefined;

/** In which language the page is: mails to whoever is signed in come in it, too. */
export const languageHeaders = (): Readonly<Record<string, string>> => ({ 'Pharos-Language': pageLanguage() });

/** For every request of the page. */
export const pageHeaders = (): Readonly<Record<string, string>> => ({
  ...languageHeaders(),
  ...(administrator === undefined ? {} : { 'Pharos-Administrator': administrator }),
});

/** Adds the page's owner to an address that the browser opens itself. */
export function addressOfPage(address: string): string {
  if (administrator === undefined) return address;
  return `${address}${address.includes('?') ? '&' : '?'}administrator=${encodeURIComponent(administrator)}`;
}
