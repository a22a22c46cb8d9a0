import type { ReactNode } from 'react';
import { t } from '../../lib/words/words.ts';
import classes from './blocks.module.css';

interface Props {
  readonly title: string;
  readonly children: ReactNode;
}

/** What few need: closed until somebody opens it. */
export function Folded({ title, children }: Props) {
  return (
    <details className={classes.details}>
      <summary>{title}</summary>
      <div className={classes.detailsInside}>{children}</div>
    </details>
  );
}

/** What only installers and developers ask for. */
export const TechnicalDetails = ({ children }: Pick<Props, 'children'>) => (
  <Folded title={t('Technical details')}>{children}</Folded>
);
