import { rich, t } from '../lib/words/words.ts';
import classes from './demo-banner.module.css';

/** Marks every page as a demo, so that screenshots are not mistaken for real figures. */
export function DemoBanner() {
  return (
    <aside aria-label={t('Demo')}>
      <p className={classes.banner} role="note">
        {rich('<strong>Demo.</strong> This museum and its visitors do not exist. No push leaves.', {
          strong: (inner) => <strong>{inner}</strong>,
        })}
      </p>
    </aside>
  );
}
