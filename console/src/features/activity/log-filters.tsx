import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { BeaconPicker } from '../../components/form/beacon-picker.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { appQuery } from '../../lib/data/queries.ts';
import { type Range, ranges } from '../../lib/time/range.ts';
import { t } from '../../lib/words/words.ts';
import classes from './activity.module.css';
import type { ActivityTab } from './activity-tab.tsx';
import type { ActivitySearch, LogList } from './search.ts';
import { VisitorPicker } from './visitor-picker.tsx';

const route = getRouteApi('/signed-in/apps/$appId/activity');

/** Changes what the log shows, from its first page on. */
function useNarrowed() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (part: { readonly [Name in keyof ActivitySearch]?: ActivitySearch[Name] | undefined }) =>
    void navigate({ search: { ...search, page: undefined, ...part } as never });
}

const views = [
  { value: '', label: t('Everything'), needs: 'listEvents' },
  { value: 'events', label: t('Events'), needs: 'listEvents' },
  { value: 'visits', label: t('Visits'), needs: 'listVisits' },
  { value: 'deliveries', label: t('Deliveries'), needs: 'listDeliveries' },
  { value: 'logs', label: t('Log records'), needs: 'listLogs' },
] as const;

/** Chooses everything or one of the lists. Filters that only one list has do not go along. */
export function LogLists() {
  const { list = '' } = route.useSearch();
  const mayCall = useMayCall();
  const change = useNarrowed();
  return (
    <NativeSelect
      aria-label={t('View')}
      data={views.filter(({ needs }) => mayCall(needs)).map(({ value, label }) => ({ value, label }))}
      value={list}
      onChange={({ currentTarget: { value } }) =>
        change({
          list: (value || undefined) as LogList | undefined,
          kind: undefined,
          where: undefined,
          order: undefined,
        })
      }
    />
  );
}

interface Props {
  readonly kinds?: ActivityTab<never>['kinds'];
  readonly hasBeacon: boolean;
}

/** The filters that all lists of the log have: time, kind, place and person. */
export function LogFilters({ kinds, hasBeacon }: Props) {
  const { appId } = route.useParams();
  const { range, kind, beacon, visitor } = route.useSearch();
  // Pseudonyms change every day: no phone can be chosen by its id.
  const { data: app } = useQuery(appQuery(appId));
  const change = useNarrowed();
  return (
    <>
      <NativeSelect
        aria-label={t('Range of time')}
        data={[{ value: '', label: t('All times') }, ...ranges]}
        value={range ?? ''}
        onChange={({ currentTarget: { value } }) => change({ range: (value || undefined) as Range | undefined })}
      />
      {kinds && (
        <NativeSelect
          aria-label={t('Kind')}
          data={[{ value: '', label: kinds.label }, ...kinds.options]}
          value={kind ?? ''}
          onChange={({ currentTarget: { value } }) => change({ kind: value || undefined })}
        />
      )}
      {hasBeacon && (
        <div className={classes.picker}>
          <BeaconPicker appId={appId} value={beacon} onChange={(next) => change({ beacon: next })} />
        </div>
      )}
      {app?.policy.pseudonyms !== 'daily' && (
        <VisitorPicker
          appId={appId}
          aria-label={t('Visitor')}
          placeholder={t('All visitors')}
          className={classes.picker}
          value={visitor}
          onChange={(next) => change({ visitor: next })}
        />
      )}
    </>
  );
}
