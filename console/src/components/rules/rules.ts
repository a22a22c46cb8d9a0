import type { Notification } from '@pharos/sdk';
import type { App } from '../../lib/wire.ts';
import { t } from '../../lib/words/words.ts';

/** How often and when a message may be shown. In a message, null switches off a rule of the app. */
export type Rules = NonNullable<Notification['delivery']>;
export type RuleName = keyof Rules;

/** The service's preset, as the policy describes it. */
const polite: Rules = {
  coolDown: { seconds: 900, per: 'trigger' },
  caps: [{ count: 3, per: 'app', window: 'day' }],
  quietHours: { from: '22:00', until: '08:00' },
};

export function appRules(policy: Pick<App['policy'], 'polite' | 'delivery'> | undefined): Rules {
  return { ...(policy?.polite ? polite : {}), ...policy?.delivery };
}

export function effectiveRules(app: Rules, own: Rules | undefined): Rules {
  return { ...app, ...own };
}

/** Without one rule; a missing rule is inherited from the app. */
export function withoutRule(rules: Rules, name: RuleName): Rules {
  return Object.fromEntries(Object.entries(rules).filter(([known]) => known !== name));
}

/** Null without any rule, because null clears the member. */
export const rulesOrNull = (rules: Rules): Rules | null => (Object.keys(rules).length > 0 ? rules : null);

export type EventKind = Notification['event'];

export const eventTexts: Readonly<Record<EventKind, { readonly label: string; readonly verb: string }>> = {
  ENTER: { label: t('Enters'), verb: t('enters') },
  EXIT: { label: t('Leaves'), verb: t('leaves') },
  IMMEDIATE: { label: t('Stands right at it'), verb: t('stands right at') },
  NEAR: { label: t('Comes near'), verb: t('comes near') },
  FAR: { label: t('Is farther away'), verb: t('is farther away from') },
};

export const eventOptions = Object.entries(eventTexts).map(([value, { label }]) => ({ value, label }));
