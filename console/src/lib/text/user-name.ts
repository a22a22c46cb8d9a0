import { t } from '../words/words.ts';

interface Named {
  readonly firstname: string;
  readonly lastname: string;
  readonly email: string;
}

/** Identity providers may give neither a name nor an address. */
export const userName = ({ firstname, lastname, email }: Named): string =>
  [firstname, lastname].filter((name) => name !== '').join(' ') || email || t('No name');
