import type { ReactNode } from 'react';
import { t } from '../../lib/words/words.ts';
import classes from './blocks.module.css';

/** What only installers and developers ask for: closed until somebody opens it. */
export function TechnicalDetails({ children }: { readonly children: ReactNode }) {
  return (
    <details className={classes.details}>
      <summary>{t('Technical details')}</summary>
      <div className={classes.detailsInside}>{children}</div>
    </details>
  );
}
