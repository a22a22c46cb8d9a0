import type { ReactNode } from 'react';
import { CopyButton } from '../code/copy-field.tsx';
import classes from './facts.module.css';

/** Labels and values side by side. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>;
}

interface FactProps {
  readonly label: string;
  /** For long values such as a UUID: twice as wide. */
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

/** A date or time, which stays on one line. */
export const TimeFact = ({ label, children }: Pick<FactProps, 'label' | 'children'>) => (
  <div className={`${classes.fact} ${classes.time}`}>
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
);

interface IdProps extends Partial<Omit<FactProps, 'children'>> {
  readonly children: string;
}

export const IdFact = ({ label = 'objectId', isWide, children }: IdProps) => (
  <Fact label={label} isWide={isWide ?? false}>
    <span className="mono">{children}</span>
    <CopyButton text={children} label={label} />
  </Fact>
);
