import { getRouteApi } from '@tanstack/react-router';
import { useEffect } from 'react';
import { tellReturn } from '../../lib/data/single-sign-on.ts';
import { t } from '../../lib/words/words.ts';
import { Front } from './front.tsx';

const route = getRouteApi('/signed-in-again');

/** The end of a window in which somebody has signed in again: the page behind it goes on. */
export function SignedInAgainPage() {
  const { window: kind } = route.useSearch();
  useEffect(() => {
    tellReturn();
    // Browsers close only windows that a page has opened.
    if (kind === 'own') window.close();
  }, [kind]);
  return (
    <Front
      title={t('You are signed in')}
      about={t('You can close this window. The page behind it goes on where you were.')}
    />
  );
}
