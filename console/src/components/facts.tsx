import type { ReactNode } from 'react';
import classes from './facts.module.css';

/** Labelled facts side by side. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}

interface FactProps {
  readonly label: string;
  /** Long ones, such as a UUID, take the room of two. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

export function Fact({ label, isWide = false, children }: FactProps) {
  return (
    <div className={isWide ? `${classes.fact} ${classes.wide}` : classes.fact}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
