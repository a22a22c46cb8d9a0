import { Badge, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ListDefinition } from '../../components/list/list-definition.ts';
import type { Times } from '../../lib/time/times.ts';
import { countsOf, isUnderWay, type ListedPush, outcomeOf, pushName, pushStates } from './push-states.ts';
import { StateBar } from './state-bar.tsx';

export function PushStateBadge(push: Pick<ListedPush, 'state' | 'sent' | 'audience'>) {
  const { label, color } = outcomeOf(push);
  return (
    <Badge color={color} variant="light" tt="none" miw="max-content">
      {label}
    </Badge>
  );
}

/** The table of push messages, as data. */
export const pushList = (appId: string, times: Times): ListDefinition<'listPushes'> => ({
  operation: 'listPushes',
  plural: 'push messages',
  defaultOrder: '-createdAt',
  isChanging: isUnderWay,
  columns: [
    {
      name: 'message',
      label: 'Message',
      render: (push: ListedPush) => (
        <Link to="/apps/$appId/push/$pushId" params={{ appId, pushId: push.objectId }}>
          {pushName(push)}
        </Link>
      ),
    },
    { name: 'audience', label: 'To', render: ({ where }) => (where ? 'Some' : 'Everyone') },
    { name: 'state', label: 'State', sortBy: 'state', render: PushStateBadge },
    { name: 'bar', label: 'Outcome', render: (push: ListedPush) => <StateBar counts={countsOf(push)} /> },
    {
      name: 'count',
      label: 'Recipients',
      isNumber: true,
      render: ({ audience }) => <Text inherit>{(audience ?? 0).toLocaleString('en')}</Text>,
    },
    {
      name: 'createdAt',
      label: 'Written',
      sortBy: 'createdAt',
      isTime: true,
      render: ({ createdAt }) => times.minute(createdAt),
    },
  ],
  filters: [
    {
      name: 'state',
      label: 'State',
      kind: 'choice',
      choices: Object.entries(pushStates).map(([value, { label }]) => ({ value, label })),
    },
    { name: 'createdAt', label: 'Written', kind: 'date' },
    { name: 'sendAt', label: 'Scheduled for', kind: 'date' },
  ],
});
