import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../../lib/words/words.ts';
import classes from './message-layout.module.css';

interface Props {
  /** The live preview and the summary sentence. */
  readonly aside: ReactNode;
  readonly children: ReactNode;
}

/** A form with a preview: beside it on a large screen, below it on a phone. */
export function MessageLayout({ aside, children }: Props) {
  return (
    <div className={classes.layout}>
      <Box miw={0}>{children}</Box>
      <aside className={classes.aside} aria-label={t('Preview')}>
        {aside}
      </aside>
    </div>
  );
}

MessageLayout.Fields = function Fields({ isLocked, children }: { isLocked: boolean; children: ReactNode }) {
  return (
    <fieldset className="bare" disabled={isLocked}>
      {children}
    </fieldset>
  );
};
