import type { Bulk } from '../../components/bulk/bulk.ts';
import { type AnyBulkField, bulkField, choiceBulk, numberBulk, textBulk } from '../../components/bulk/bulk-fields.tsx';
import { BeaconSelect } from '../../components/form/beacon-select.tsx';
import { type Goal, goalKind, goalKinds } from '../../components/message/effects.ts';
import { GoalFields } from '../../components/message/goal-fields.tsx';
import { MessageRuleFields } from '../../components/message/message-rules.tsx';
import { limitTexts } from '../../components/rules/rule-words.ts';
import { eventOptions, type Rules } from '../../components/rules/rules.ts';
import { differenceText } from '../../lib/text/json-compare.ts';
import { languageName, languageOptions } from '../../lib/text/languages.ts';
import type { Times } from '../../lib/time/times.ts';
import { listed, t } from '../../lib/words/words.ts';
import { notificationLabels as labels, typeTexts } from './notification-fields.ts';
import { notificationKeys } from './queries.ts';

/** What can be done with several notifications at once. Variants and translations belong to the words of one message. */
export const notificationBulk = (appId: string, times: Times): Bulk => ({
  kind: 'notifications',
  change: 'patchNotification',
  replace: 'updateNotification',
  remove: 'deleteNotification',
  hasSwitch: true,
  move: {
    label: t('Move to a beacon'),
    control: (value, onChange) => (
      <BeaconSelect
        appId={appId}
        label={t('Beacon')}
        value={value ? [value] : []}
        onChange={([id = '']) => onChange(id)}
      />
    ),
    changeOf: (objectId) => ({ beaconId: { __type: 'Pointer', className: 'Beacon', objectId } }),
  },
  fields: [
    textBulk({ label: labels.description, path: ['description'] }),
    choiceBulk({ label: t('Event'), path: ['event'] }, eventOptions),
    choiceBulk(
      { label: labels.type, path: ['type'] },
      Object.entries(typeTexts).map(([value, { label }]) => ({ value, label })),
    ),
    textBulk({ label: labels['message.alertTitle'], path: ['message', 'alertTitle'] }),
    textBulk({ label: labels['message.alertMessage'], path: ['message', 'alertMessage'] }, { isLong: true }),
    textBulk({ label: labels['message.url'], path: ['message', 'url'], isOptional: true }),
    deliveryBulk(appId, times),
    choiceBulk(
      { label: labels.language, path: ['language'], isOptional: true },
      languageOptions([]).map((one) => (typeof one === 'string' ? { value: one, label: languageName(one) } : one)),
    ),
    goalBulk(appId),
    numberBulk({ label: t('Percent of visitors who get nothing'), path: ['holdout'], isOptional: true }),
  ],
  refresh: notificationKeys(appId),
});

const deliveryBulk = (appId: string, times: Times): AnyBulkField =>
  bulkField<Rules>({
    label: labels.delivery,
    path: ['delivery'],
    isOptional: true,
    isWhole: true,
    start: {},
    control: ({ value, onChange }) => (
      <MessageRuleFields appId={appId} value={value} problem={() => undefined} onChange={onChange} />
    ),
    read: (value) => (Object.keys(value).length === 0 ? undefined : { value }),
    textOf: (value) => listed(limitTexts(value as Rules, times)) || differenceText(value),
  });

const goalBulk = (appId: string): AnyBulkField =>
  bulkField<Goal | null>({
    label: labels.goal,
    path: ['goal'],
    isOptional: true,
    isWhole: true,
    start: null,
    control: ({ value, onChange }) => (
      <GoalFields appId={appId} goal={value} problem={() => undefined} onChange={onChange} />
    ),
    read: (value) => (value === null ? undefined : { value }),
    textOf: (value) => goalKinds[goalKind(value as Goal)],
  });
