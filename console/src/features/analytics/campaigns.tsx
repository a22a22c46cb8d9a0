import { Text } from '@mantine/core';
import type { Notification } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { dataKey } from '../../lib/data/listed.ts';
import { wallTime } from '../../lib/time/zoned-time.ts';
import { listed, t } from '../../lib/words/words.ts';
import { dayText, type Period } from './period.ts';

interface Props {
  readonly appId: string;
  readonly period: Period;
  /** Of the app. */
  readonly zone: string;
}

const mostNamed = 6;

/** The messages that were valid only for a time, and were so in the period: what may stand behind its numbers. */
export function Campaigns({ appId, period, zone }: Props) {
  const isAllowed = useMayCall()('listNotifications');
  const { data = [] } = useQuery({
    queryKey: dataKey(appId, 'listNotifications', 'campaigns'),
    queryFn: async () => (await dataOf(appId).notifications.list({ limit: 1_000 })).results,
    enabled: isAllowed,
  });
  const dayOf = (time: string | null | undefined) => (time ? wallTime(Date.parse(time), zone).slice(0, 10) : undefined);
  const found = data
    .map((message) => ({
      message,
      from: dayOf(message.delivery?.validFrom),
      until: dayOf(message.delivery?.validUntil),
    }))
    .filter(({ message, from, until }) => message.isEnabled && isWithin({ from, until }, period))
    .map(({ message, from = '', until = '' }) =>
      t('{name} ({kind, select, both {{from} to {until}} from {from {from}} other {until {until}}})', {
        name: nameOf(message),
        from: from && dayText(from),
        until: until && dayText(until),
        kind: from && until ? 'both' : from ? 'from' : 'until',
      }),
    );
  if (found.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" mt="xs">
      {t('Campaigns in this time: {list}.{more, plural, =0 {} one { And one more.} other { And # more.}}', {
        list: listed(found.slice(0, mostNamed)),
        more: Math.max(0, found.length - mostNamed),
      })}
    </Text>
  );
}

interface Days {
  readonly from: string | undefined;
  readonly until: string | undefined;
}

function isWithin({ from, until }: Days, period: Period): boolean {
  if (from === undefined && until === undefined) return false;
  return (from ?? '') < period.until && (until ?? '9999') >= period.from;
}

const nameOf = ({ description, objectId }: Notification) => description || objectId;
