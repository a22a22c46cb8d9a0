import { NativeSelect } from '@mantine/core';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { BeaconPicker } from '../../components/form/beacon-picker.tsx';
import { Chip } from '../../components/list/filter-chips.tsx';
import { SectionList } from '../../components/list/section-list.tsx';
import { shortId } from '../../components/names/names.tsx';
import type { ListOperation } from '../../lib/data/listed.ts';
import { type Range, ranges } from '../../lib/time/range.ts';
import { type Times, useTimes } from '../../lib/time/times.ts';
import { rich, t } from '../../lib/words/words.ts';
import classes from './activity.module.css';
import type { ActivityTab } from './activity-tab.ts';
import { deliveriesTab } from './deliveries-tab.tsx';
import { eventsTab } from './events-tab.tsx';
import { logsTab } from './logs-tab.tsx';
import { type ActivitySearch, scopeOf } from './search.ts';
import { visitsTab } from './visits-tab.tsx';

export const EventsPage = () => (
  <Activity
    about={t('Open an event to see which messages it caused, and why others were not shown.')}
    part={t('Events')}
    tab={eventsTab}
    empty={t('Events appear here as soon as an app reports that a visitor came near a beacon.')}
  />
);

export const VisitsPage = () => (
  <Activity
    about={t('A visit is one visitor at one beacon, from entering to leaving.')}
    part={t('Visits')}
    tab={visitsTab}
    empty={t('A visit begins as soon as a visitor comes near a beacon.')}
  />
);

export const DeliveriesPage = () => (
  <Activity
    about={t('The outcome of each message for each visitor.')}
    part={t('Deliveries')}
    tab={deliveriesTab}
    empty={t('Deliveries appear here as soon as a message is sent.')}
  />
);

export const LogsPage = () => (
  <Activity
    about={t(
      'What apps write and read at /logs. Of a series of messages, coming and leaving are recorded twice: as presence, and for the series.',
    )}
    part={t('Logs')}
    tab={logsTab}
    empty={t('Each arrival and departure is recorded here, by the service or by the app.')}
  />
);

interface Props<Id extends ListOperation> {
  readonly about: string;
  readonly part: string;
  readonly empty: string;
  readonly tab: (appId: string, times: Times) => ActivityTab<Id>;
}

function Activity<Id extends ListOperation>({ about, part, empty, tab }: Props<Id>) {
  const { appId = '' } = useParams({ strict: false });
  const search = useSearch({ strict: false }) as ActivitySearch;
  const navigate = useNavigate();
  const times = useTimes(appId);
  const { list, narrowing, kinds } = tab(appId, times);
  const { range, beacon, visitor, kind } = search;
  // The start of a period is taken from the clock once, not on every render.
  const scope = useMemo(
    () =>
      scopeOf(
        {
          ...(range ? { range } : {}),
          ...(beacon ? { beacon } : {}),
          ...(visitor ? { visitor } : {}),
          ...(kind ? { kind } : {}),
        },
        {
          time: narrowing.time,
          ...(narrowing.kind ? { kind: narrowing.kind } : {}),
          hasBeacon: narrowing.hasBeacon,
        },
        times.zone,
      ),
    [range, beacon, visitor, kind, narrowing.time, narrowing.kind, narrowing.hasBeacon, times.zone],
  );
  return (
    <SectionList
      appId={appId}
      title={part}
      about={about}
      list={list}
      scope={scope}
      tools={
        <QuickFilters
          appId={appId}
          search={search}
          kinds={kinds}
          hasBeacon={narrowing.hasBeacon}
          onChange={(part) =>
            void navigate({ to: '.', search: { ...search, page: undefined, ...part } as never, replace: false })
          }
        />
      }
      empty={{ icon: 'activity', title: t('Nothing has happened yet'), text: empty }}
    />
  );
}

type Quick = { readonly [Name in 'range' | 'beacon' | 'visitor' | 'kind']?: string | undefined };

interface QuickProps {
  readonly appId: string;
  readonly search: ActivitySearch;
  readonly kinds: ActivityTab<ListOperation>['kinds'];
  readonly hasBeacon: boolean;
  readonly onChange: (part: Quick) => void;
}

function QuickFilters({ appId, search, kinds, hasBeacon, onChange }: QuickProps) {
  const { range, beacon, kind, visitor } = search;
  return (
    <>
      <NativeSelect
        aria-label={t('Range of time')}
        data={[{ value: '', label: t('All times') }, ...ranges]}
        value={range ?? ''}
        onChange={({ currentTarget: { value } }) => onChange({ range: (value || undefined) as Range | undefined })}
      />
      <NativeSelect
        aria-label={t('Kind')}
        data={[{ value: '', label: kinds.label }, ...kinds.options]}
        value={kind ?? ''}
        onChange={({ currentTarget: { value } }) => onChange({ kind: value || undefined })}
      />
      {hasBeacon && (
        <div className={classes.picker}>
          <BeaconPicker appId={appId} value={beacon} onChange={(next) => onChange({ beacon: next })} />
        </div>
      )}
      {visitor && (
        <Chip removeLabel={t('Show all visitors')} onRemove={() => onChange({ visitor: undefined })}>
          {rich('Visitor {shortId}', { shortId: <span className="mono">{shortId(visitor)}</span> })}
        </Chip>
      )}
    </>
  );
}
