import { useQuery } from '@tanstack/react-query';
import { type Stop, stopOf } from '../../components/dialogs/confirm-dialog.tsx';
import { isShownSoon } from '../../components/rules/days.ts';
import { appRules, effectiveRules } from '../../components/rules/rules.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { t } from '../../lib/words/words.ts';
import { type MessageFields, nameOf } from './message.ts';

/** What is asked before a change after which visitors do not get a message any more that is on. */
export function useMessageStop(appId: string) {
  const { data: app } = useQuery(appQuery(appId));
  const isShown = ({ showOn, delivery }: MessageFields) => {
    const rules = effectiveRules(appRules(app?.policy), delivery);
    return isShownSoon({ showOn, rules, isEnabled: true, zone: rules.timeZone ?? app?.policy.timeZone ?? 'UTC' });
  };
  return (before: MessageFields, after: MessageFields): Stop | undefined => {
    const what = nameOf(after);
    if (!isShown(before) || isShown(after)) return undefined;
    return stopOf(t('Stop showing {what}', { what }), t('Save and stop showing it'), [
      t('{what} is shown to nobody on any of the coming 14 days.', { what }),
    ]);
  };
}
