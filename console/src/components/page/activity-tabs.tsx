import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { useMayCall } from '../../lib/data/access.ts';
import { t } from '../../lib/words/words.ts';
import classes from './activity-tabs.module.css';

const tabs = [
  { to: '/apps/$appId/activity/analytics', label: t('Analytics'), needs: 'getVisitNumbers' },
  { to: '/apps/$appId/activity/messages', label: t('Messages'), needs: 'getMessageNumbers' },
  { to: '/apps/$appId/activity/events', label: t('Events'), needs: 'listEvents' },
  { to: '/apps/$appId/activity/visits', label: t('Visits'), needs: 'listVisits' },
  { to: '/apps/$appId/activity/deliveries', label: t('Deliveries'), needs: 'listDeliveries' },
  { to: '/apps/$appId/activity/logs', label: t('Logs'), needs: 'listLogs' },
  { to: '/apps/$appId/activity/what-if', label: t('What would happen if'), needs: 'simulateSightings' },
  { to: '/apps/$appId/activity/walk', label: t('Rehearsal'), needs: 'simulateWalks' },
] as const;

/** The pages about what has happened. */
export function ActivityTabs({ appId }: { readonly appId: string }) {
  const mayCall = useMayCall();
  return (
    <TabRow label={t('Parts of activity')}>
      {tabs
        .filter(({ needs }) => mayCall(needs))
        .map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            params={{ appId }}
            activeProps={{ 'aria-current': 'page' }}
            activeOptions={{ includeSearch: false }}
          >
            {label}
          </Link>
        ))}
    </TabRow>
  );
}

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
