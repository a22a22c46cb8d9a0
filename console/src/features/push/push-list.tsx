import { Badge } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ListDefinition } from '../../components/list/list-definition.ts';
import { pushName } from '../../lib/data/names.ts';
import type { Times } from '../../lib/time/times.ts';
import { pageLanguage, t } from '../../lib/words/words.ts';
import { countsOf, hasRecipients, isUnderWay, type ListedPush, outcomeOf, pushStates } from './push-states.ts';
import { StateBar } from './state-bar.tsx';

export function PushStateBadge(push: Pick<ListedPush, 'state' | 'sent' | 'audience' | 'approval'>) {
  const { label, color } = outcomeOf(push);
  return <Badge color={color}>{label}</Badge>;
}

export const pushList = (appId: string, times: Times): ListDefinition<'listPushes'> => ({
  operation: 'listPushes',
  plural: t('push messages'),
  defaultOrder: '-createdAt',
  isChanging: isUnderWay,
  columns: [
    {
      name: 'message',
      label: t('Message'),
      render: (push: ListedPush) => (
        <Link to="/apps/$appId/push/$pushId" params={{ appId, pushId: push.objectId }}>
          {pushName(push)}
        </Link>
      ),
    },
    { name: 'audience', label: t('Goes to'), render: ({ where }) => (where ? t('Some') : t('Everyone')) },
    { name: 'state', label: t('State'), sortBy: 'state', render: PushStateBadge },
    {
      name: 'bar',
      label: t('Outcome'),
      render: (push: ListedPush) => {
        if (hasRecipients(push)) return <StateBar counts={countsOf(push)} />;
        return push.sendAt && t('Scheduled for {time}', { time: times.minute(push.sendAt) });
      },
    },
    {
      name: 'count',
      label: t('Recipients'),
      isNumber: true,
      render: (push: ListedPush) => hasRecipients(push) && (push.audience ?? 0).toLocaleString(pageLanguage()),
    },
    {
      name: 'createdAt',
      label: t('Written'),
      sortBy: 'createdAt',
      isTime: true,
      render: ({ createdAt }) => times.minute(createdAt),
    },
  ],
  filters: [
    {
      name: 'state',
      label: t('State'),
      kind: 'choice',
      choices: Object.entries(pushStates).map(([value, { label }]) => ({ value, label })),
    },
    { name: 'createdAt', label: t('Written'), kind: 'date' },
    { name: 'sendAt', label: t('Scheduled for'), kind: 'date' },
  ],
});
