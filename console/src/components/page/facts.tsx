import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** Labels and values side by side. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}

interface FactProps {
  readonly label: string;
  /** For long values such as a UUID: twice as wide. */
  readonly isWide?: boolean;
  /** A date or time, which stays on one line. */
  readonly isTime?: boolean;
  readonly children: ReactNode;
}

export function Fact({ label, isWide = false, isTime = false, children }: FactProps) {
  const names = [classes.fact, isWide && classes.wide, isTime && classes.time];
  return (
    <div className={names.filter(Boolean).join(' ')}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
