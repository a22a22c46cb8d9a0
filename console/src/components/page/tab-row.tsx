import { type ReactNode, useEffect, useRef } from 'react';
import classes from './tab-row.module.css';

/** Links as tabs. On a phone the row can be pushed sideways, and begins with the tab of this page in sight. */
export function TabRow({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const row = useRef<HTMLElement>(null);
  // Each page has a row of its own. It is also told of at once, when it is first observed.
  useEffect(() => {
    const nav = row.current;
    if (!nav) return;
    const observer = new ResizeObserver(() => bringIntoSight(nav));
    observer.observe(nav);
    // Tabs get their widths after the row has its own, when styles or letters arrive late.
    for (const tab of nav.children) observer.observe(tab);
    return () => observer.disconnect();
  }, []);
  return (
    <nav ref={row} className={classes.tabs} aria-label={label}>
      {children}
    </nav>
  );
}

/** Pixels of the next tab that say that there are more. */
const peek = 24;

function bringIntoSight(row: HTMLElement): void {
  const chosen = row.querySelector('[aria-current=page]');
  if (!chosen) return;
  const [tab, seen] = [chosen.getBoundingClientRect(), row.getBoundingClientRect()];
  if (tab.right > seen.right) row.scrollLeft += tab.right - seen.right + peek;
  else if (tab.left < seen.left) row.scrollLeft -= seen.left - tab.left + peek;
}
