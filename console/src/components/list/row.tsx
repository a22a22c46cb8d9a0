import { Button } from '@mantine/core';
import { createElement, type ReactNode } from 'react';
import blocks from '../page/blocks.module.css';

interface Props {
  /** What it is called, perhaps with its state. */
  readonly title: ReactNode;
  /** In front of it, such as a box to choose it. */
  readonly before?: ReactNode;
  /** Facts about it, side by side; those that are empty are left out. */
  readonly facts?: readonly ReactNode[];
  /** Beside it: what can be done with it. */
  readonly tools?: ReactNode;
  /** Below the facts. */
  readonly children?: ReactNode;
}

/** An entry of a short list: a line on a desk, a card on a phone. */
export function Row({ title, before, facts = [], tools, children }: Props) {
  const shown = facts.filter(Boolean).map((fact) => createElement('span', null, fact));
  return (
    <li className={`${blocks.row} ${blocks.stacking}`}>
      <div className={blocks.main}>
        {before}
        <div className={blocks.grow}>
          <div className={blocks.title}>{title}</div>
          {shown.length > 0 && createElement('div', { className: blocks.meta }, ...shown)}
          {children}
        </div>
      </div>
      {tools && <div className={blocks.tools}>{tools}</div>}
    </li>
  );
}

interface ButtonProps {
  readonly label: string;
  /** The label with the name of the entry, for those who hear the page. */
  readonly of?: string;
  readonly isBusy?: boolean;
  readonly isOff?: boolean | undefined;
  readonly onClick: () => void;
}

export const RowButton = ({ label, of, isBusy = false, isOff = false, onClick }: ButtonProps) => (
  <Button size="xs" aria-label={of} loading={isBusy} disabled={isOff} onClick={onClick}>
    {label}
  </Button>
);
