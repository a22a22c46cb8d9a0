import classes from './demo-banner.module.css';

/** Says on every page that nothing here is real, so that no picture of it is mistaken for a museum's own figures. */
export function DemoBanner() {
  return (
    <aside aria-label="Demo">
      <p className={classes.banner} role="note">
        <strong>Demo.</strong> This museum and its visitors do not exist. No push leaves.
      </p>
    </aside>
  );
}
