import { useQuery } from '@tanstack/react-query';
import type { Stop } from '../../components/dialogs/stop-dialog.tsx';
import { everyDay, isShownSoon } from '../../components/rules/days.ts';
import { neverSoon } from '../../components/rules/never-soon.ts';
import { appRules, effectiveRules, type Rules } from '../../components/rules/rules.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { t } from '../../lib/words/words.ts';
import { notificationOff } from './notification-list.tsx';

interface Shown {
  readonly description: string;
  readonly isEnabled: boolean;
  readonly delivery: Rules;
}

/** What is asked before a change after which visitors do not get a notification any more. */
export function useNotificationStop(appId: string) {
  const { data: app } = useQuery(appQuery(appId));
  const isShown = ({ isEnabled, delivery }: Shown) => {
    const rules = effectiveRules(appRules(app?.policy), delivery);
    return isShownSoon({ showOn: everyDay, rules, isEnabled, zone: rules.timeZone ?? app?.policy.timeZone ?? 'UTC' });
  };
  return (before: Shown, after: Shown): Stop | undefined => {
    const what = after.description.trim();
    if (before.isEnabled && !after.isEnabled)
      return {
        title: t('Switch off {what}', { what }),
        confirm: t('Save and switch off'),
        text: notificationOff(what),
      };
    return isShown(before) && !isShown(after) ? neverSoon(what) : undefined;
  };
}
