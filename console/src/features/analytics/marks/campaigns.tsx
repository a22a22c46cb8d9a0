import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useMayCall } from '../../../lib/data/access.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { dataKey } from '../../../lib/data/listed.ts';
import { addDays, wallTime } from '../../../lib/time/zoned-time.ts';
import { listed, t } from '../../../lib/words/words.ts';
import { dayText, type Period } from '../period.ts';
import type { Campaign } from './marks.ts';

const mostNamed = 6;

/**
 * The messages that were valid only for a time, and were so in the period.
 *
 * @param zone of the app
 */
export function useCampaigns(appId: string, period: Period, zone: string): readonly Campaign[] {
  const isAllowed = useMayCall()('listNotifications');
  const { data } = useQuery({
    queryKey: dataKey(appId, 'listNotifications', 'campaigns'),
    queryFn: async () => (await dataOf(appId).notifications.list({ limit: 1_000 })).results,
    enabled: isAllowed,
  });
  const { from, until } = period;
  return useMemo(() => {
    const timeOf = (time: string | null | undefined) => (time ? wallTime(Date.parse(time), zone) : undefined);
    return (data ?? [])
      .filter(({ isEnabled }) => isEnabled)
      .map(({ description, objectId, delivery }) => ({
        name: description || objectId,
        from: timeOf(delivery?.validFrom),
        until: timeOf(delivery?.validUntil),
      }))
      .filter((campaign) => isWithin(campaign, { from, until }));
  }, [data, from, until, zone]);
}

function isWithin({ from, until }: Campaign, period: Pick<Period, 'from' | 'until'>): boolean {
  if (from === undefined && until === undefined) return false;
  return (from ?? '') < `${period.until}T00:00` && (until ?? '9999') > `${period.from}T00:00`;
}

/** Their names and days, in words. */
export function Campaigns({ campaigns }: { readonly campaigns: readonly Campaign[] }) {
  if (campaigns.length === 0) return null;
  const texts = campaigns.map(({ name, from, until }) =>
    t('{name} ({kind, select, both {{from} to {until}} from {from {from}} other {until {until}}})', {
      name,
      from: from && dayText(from),
      until: until && dayText(lastDay(until)),
      kind: from && until ? 'both' : from ? 'from' : 'until',
    }),
  );
  return (
    <Text size="sm" c="dimmed" mt="xs">
      {t('Campaigns in this time: {list}.{more, plural, =0 {} one { And one more.} other { And # more.}}', {
        list: listed(texts.slice(0, mostNamed)),
        more: Math.max(0, texts.length - mostNamed),
      })}
    </Text>
  );
}

/** One that ends at midnight has its last day before. */
const lastDay = (until: string) => (until.endsWith('T00:00') ? addDays(until.slice(0, 10), -1) : until);
