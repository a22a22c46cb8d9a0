import type { Listed } from '../data/api.ts';
import { t } from '../words/words.ts';

export type Installation = Listed<'listInstallations'>;

export type TokenState = 'live' | 'dead' | 'none';

export function tokenState({ tokenAt, tokenDeadAt }: Pick<Installation, 'tokenAt' | 'tokenDeadAt'>): TokenState {
  if (!tokenAt) return 'none';
  return tokenDeadAt ? 'dead' : 'live';
}

export const tokenWords: Readonly<Record<TokenState, { readonly label: string; readonly color: string }>> = {
  live: { label: t('valid'), color: 'teal' },
  dead: { label: t('invalid'), color: 'red' },
  none: { label: t('no address'), color: 'gray' },
};

export const deviceWords: Readonly<Record<Installation['deviceType'], string>> = {
  ios: 'iOS',
  android: t('Android'),
  web: t('Web'),
  embedded: t('Embedded'),
};

/** `Museum 2.4.1` */
export const appText = ({ appName, appVersion }: Installation): string =>
  [appName, appVersion].filter(Boolean).join(' ');
