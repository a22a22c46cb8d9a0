import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useMayCall } from '../../../lib/data/access.ts';
import { listAll } from '../../../lib/data/all-records.ts';
import { dataKey, dataOf } from '../../../lib/data/api.ts';
import { venueBeaconsQuery } from '../../../lib/data/venue-queries.ts';
import { isOnFloor } from '../../../lib/plan/floor-geometry.ts';
import { addDays, wallTime } from '../../../lib/time/zoned-time.ts';
import { listed, t } from '../../../lib/words/words.ts';
import { type AnalyticsSearch, dayText, type Period } from '../period.ts';
import type { SiteOf } from '../site.ts';
import type { Campaign } from './marks.ts';

const maxNamed = 6;

interface Asked {
  readonly period: Period;
  /** Of the app. */
  readonly zone: string;
  /** Which place the page is about. */
  readonly search: AnalyticsSearch;
  readonly site: SiteOf | undefined;
}

/** The notifications and scenarios that were valid only for a time, were so in the period, and are at a beacon of the place. */
export function useCampaigns(appId: string, { period, zone, search, site }: Asked): readonly Campaign[] {
  const mayCall = useMayCall();
  const { data: notifications } = useQuery({
    queryKey: dataKey(appId, 'listNotifications', 'campaigns'),
    queryFn: () => listAll(dataOf(appId).notifications.list),
    enabled: mayCall('listNotifications'),
  });
  const { data: scenarios } = useQuery({
    queryKey: dataKey(appId, 'listAllStorylineDetails', 'campaigns'),
    queryFn: () => enabledScenarios(appId),
    enabled: mayCall('listAllStorylineDetails') && mayCall('listStorylines'),
  });
  const isThere = useIsThere(appId, search, site);
  const { from, until } = period;
  return useMemo(() => {
    const timeOf = (time: string | null | undefined) => (time ? wallTime(Date.parse(time), zone) : undefined);
    const messages = [
      ...(notifications ?? [])
        .filter(({ isEnabled }) => isEnabled)
        .map(({ description, objectId, beaconId, delivery }) => ({
          name: description || objectId,
          beacons: [beaconId.objectId],
          delivery,
        })),
      ...(scenarios ?? []),
    ];
    return messages
      .filter(({ beacons }) => beacons.some(isThere))
      .map(({ name, delivery }) => ({ name, from: timeOf(delivery?.validFrom), until: timeOf(delivery?.validUntil) }))
      .filter((campaign) => isWithin(campaign, { from, until }));
  }, [notifications, scenarios, isThere, from, until, zone]);
}

async function enabledScenarios(appId: string) {
  const { storylines } = dataOf(appId);
  const titles = new Map(
    (await listAll(storylines.list))
      .filter(({ isEnabled }) => isEnabled)
      .map(({ objectId, title }) => [objectId, title]),
  );
  const details = await listAll(storylines.listAllDetails);
  return details.flatMap(({ storylineId, alertTitle, beacons, delivery }) => {
    const title = titles.get(storylineId);
    // As the numbers of messages call them.
    return title === undefined ? [] : [{ name: alertTitle ? `${title}: ${alertTitle}` : title, beacons, delivery }];
  });
}

/** Whether a beacon is in the place that the page is about; false until the places are loaded. */
function useIsThere(appId: string, search: AnalyticsSearch, site: SiteOf | undefined): (beaconId: string) => boolean {
  const { beacon, zone, floor, venue } = search;
  const ofFloor = site?.floors.find(({ objectId }) => objectId === floor);
  const ofZone = site?.zones.find(({ objectId }) => objectId === zone);
  const venueId = venue ?? ofFloor?.venueId.objectId ?? ofZone?.venueId?.objectId ?? '';
  const { data: beacons } = useQuery({ ...venueBeaconsQuery(appId, venueId), enabled: venueId !== '' });
  return useMemo(() => {
    if (beacon !== undefined) return (id: string) => id === beacon;
    if (venue === undefined && floor === undefined && zone === undefined) return () => true;
    const inside = (beacons ?? []).filter(
      (one) =>
        (zone === undefined || one.zoneId?.objectId === zone) &&
        (floor === undefined || (ofFloor !== undefined && isOnFloor(one, ofFloor))),
    );
    const ids = new Set(inside.map(({ objectId }) => objectId));
    return (id: string) => ids.has(id);
  }, [beacons, beacon, zone, floor, venue, ofFloor]);
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
    <Text c="dimmed" mt="xs">
      {t('Campaigns in this time: {list}.{more, plural, =0 {} one { And one more.} other { And # more.}}', {
        list: listed(texts.slice(0, maxNamed)),
        more: Math.max(0, texts.length - maxNamed),
      })}
    </Text>
  );
}

/** The last day of a campaign that ends at midnight is the day before. */
const lastDay = (until: string) => (until.endsWith('T00:00') ? addDays(until.slice(0, 10), -1) : until);
