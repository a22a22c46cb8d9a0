import { useQuery } from '@tanstack/react-query';
import type { Stop } from '../../components/dialogs/stop-dialog.tsx';
import { isShownSoon } from '../../components/rules/days.ts';
import { neverSoon } from '../../components/rules/never-soon.ts';
import { appRules, effectiveRules } from '../../components/rules/rules.ts';
import { appQuery } from '../../lib/data/queries.ts';
import type { ScenarioFields } from './scenario-fields.ts';

type Shown = Pick<ScenarioFields, 'showOn' | 'delivery' | 'alertTitle'>;

/** What is asked before a change after which visitors do not get a scenario any more. */
export function useScenarioStop(appId: string, storyline: { readonly title: string; readonly isEnabled: boolean }) {
  const { data: app } = useQuery(appQuery(appId));
  const isShown = ({ showOn, delivery }: Shown) => {
    const rules = effectiveRules(appRules(app?.policy), delivery);
    const zone = rules.timeZone ?? app?.policy.timeZone ?? 'UTC';
    return isShownSoon({ showOn, rules, isEnabled: storyline.isEnabled, zone });
  };
  return (before: Shown, after: Shown): Stop | undefined =>
    isShown(before) && !isShown(after) ? neverSoon(after.alertTitle.trim() || storyline.title) : undefined;
}
