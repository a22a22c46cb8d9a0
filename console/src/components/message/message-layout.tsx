import type { ReactNode } from 'react';
import classes from './message-layout.module.css';

interface Props {
  /** What follows the typing: the preview and the sentence. */
  readonly aside: ReactNode;
  readonly children: ReactNode;
}

/** A form with its preview beside it on a desk, and above its end on a phone. */
export function MessageLayout({ aside, children }: Props) {
  return (
    <div className={classes.layout}>
      <div className={classes.form}>{children}</div>
      <aside className={classes.aside} aria-label="Preview">
        {aside}
      </aside>
    </div>
  );
}

MessageLayout.Fields = function Fields({ isLocked, children }: { isLocked: boolean; children: ReactNode }) {
  return (
    <fieldset className={classes.fieldset} disabled={isLocked}>
      {children}
    </fieldset>
  );
};
