import type { Floor, Venue } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TextLink } from '../../components/names/names.tsx';
import { Block } from '../../components/page/blocks.tsx';
import { Fact, Facts } from '../../components/page/facts.tsx';
import { week as weekDays } from '../../components/rules/days.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { dataKey, dataOf } from '../../lib/data/api.ts';
import { floorsQuery } from '../../lib/data/venue-queries.ts';
import { usePlan } from '../../lib/plan/use-plan.ts';
import { showDuration, useTimes } from '../../lib/time/times.ts';
import { addDays, wallTime } from '../../lib/time/zoned-time.ts';
import { pageLanguage, t } from '../../lib/words/words.ts';
import { hoursText } from './venue-fields.ts';
import classes from './venues.module.css';

interface Props {
  readonly appId: string;
  readonly venue: Venue;
}

/** The house at a glance: its plan, when it is open today, and how many have been there. */
export function VenueToday({ appId, venue }: Props) {
  const { zone } = useTimes(appId);
  const { objectId: venueId, openingHours, exceptions, timeZone = zone } = venue;
  const { data: floors } = useQuery(floorsQuery(appId, venueId));
  // The one at the door, rather than one below the ground.
  const floor = floors?.filter(({ plan }) => plan).toSorted((a, b) => Math.abs(a.level) - Math.abs(b.level))[0];
  const here = wallTime(Date.now(), timeZone).slice(0, 10);
  const day = weekDays[(new Date(`${here}T12:00Z`).getUTCDay() + 6) % 7];
  const special = exceptions.find(({ date }) => date === here)?.hours;
  const hours = special ?? openingHours?.filter(({ dayName }) => dayName === day);
  return (
    <Block title={t('Today')}>
      <div className={classes.today}>
        {floor && <FloorPicture appId={appId} venueId={venueId} floor={floor} />}
        <Facts>
          {hours && <Fact label={t('Opening hours')}>{hoursText(hours)}</Fact>}
          <Numbers appId={appId} venueId={venueId} today={wallTime(Date.now(), zone).slice(0, 10)} />
        </Facts>
      </div>
    </Block>
  );
}

function FloorPicture({ appId, venueId, floor }: { appId: string; venueId: string; floor: Floor }) {
  const { plan } = usePlan(appId, floor);
  return (
    <Link
      to="/apps/$appId/beacons/venues/$venueId/floors/$floorId"
      params={{ appId, venueId, floorId: floor.objectId }}
      className={classes.planPicture}
    >
      {plan && <img src={plan.url} alt={t('Plan of {name}', { name: floor.name })} />}
    </Link>
  );
}

/** Visitors of the app's day; nothing for whoever may not read numbers. */
function Numbers({ appId, venueId, today }: { appId: string; venueId: string; today: string }) {
  const asked = { from: today, until: addDays(today, 1), interval: 'total', venueId } as const;
  const may = useMayCall()('getVisitNumbers');
  const { data } = useQuery({
    queryKey: dataKey(appId, 'getVisitNumbers', asked),
    queryFn: () => dataOf(appId).analytics.visits(asked),
    enabled: may,
    refetchInterval: 60_000,
  });
  if (!may) return null;
  const { visitors, visits, dwellMedian } = data?.total ?? {};
  const count = (of: typeof visitors) => (of === undefined ? '…' : (of?.toLocaleString(pageLanguage()) ?? '–'));
  return (
    <>
      <Fact label={t('Visitors')}>
        <TextLink to="/apps/$appId/activity/analytics" params={{ appId }} search={{ unit: 'day', venue: venueId }}>
          {count(visitors)}
        </TextLink>
      </Fact>
      <Fact label={t('Visits')}>{count(visits)}</Fact>
      <Fact label={t('Stay (median)')}>{typeof dwellMedian === 'number' ? showDuration(dwellMedian) : '–'}</Fact>
    </>
  );
}
