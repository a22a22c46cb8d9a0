import { type ReactNode, useEffect, useRef } from 'react';
import { t } from '../../lib/words/words.ts';
import classes from './blocks.module.css';

interface Props {
  readonly title: string;
  /** Opens it, since something in it has to be seen. */
  readonly isOpen?: boolean;
  readonly children: ReactNode;
}

/** What few need: closed until somebody opens it. */
export function Folded({ title, isOpen = false, children }: Props) {
  const details = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isOpen && details.current) details.current.open = true;
  }, [isOpen]);
  return (
    <details ref={details} className={classes.details}>
      <summary>{title}</summary>
      <div className={classes.detailsInside}>{children}</div>
    </details>
  );
}

/** What only installers and developers ask for. */
export const TechnicalDetails = (props: Omit<Props, 'title'>) => <Folded title={t('Technical details')} {...props} />;
