import { Badge, CloseButton, NativeSelect } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { CsvExport } from '../../components/export/csv-export.tsx';
import { BeaconPicker } from '../../components/form/beacon-picker.tsx';
import { bothOf } from '../../components/list/list-search.ts';
import { type ListOperation, RecordList } from '../../components/list/record-list.tsx';
import { EmptyState } from '../../components/page/empty-state.tsx';
import { shortId } from '../../components/page/names.tsx';
import { SectionHeader } from '../../components/page/page-header.tsx';
import { type Range, ranges } from '../../lib/time/range.ts';
import { type Times, useTimes } from '../../lib/time/times.ts';
import classes from './activity.module.css';
import { type ActivityTab, deliveriesTab, eventsTab, logsTab, visitsTab } from './lists.tsx';
import { type ActivitySearch, scopeOf } from './search.ts';

const tabs = [
  { to: '/apps/$appId/activity/events', label: 'Events' },
  { to: '/apps/$appId/activity/visits', label: 'Visits' },
  { to: '/apps/$appId/activity/deliveries', label: 'Deliveries' },
  { to: '/apps/$appId/activity/logs', label: 'Logs' },
] as const;

export const EventsPage = () => (
  <Activity
    about="Each event opens its why: which messages it caused, and what stopped the others."
    tab={eventsTab}
    empty="As soon as an app reports that somebody came near a beacon, it stands here."
  />
);

export const VisitsPage = () => (
  <Activity
    about="A visit runs from entering to leaving, of one visitor at one beacon."
    tab={visitsTab}
    empty="As soon as somebody comes near a beacon, a visit begins."
  />
);

export const DeliveriesPage = () => (
  <Activity
    about="What became of each message for each visitor."
    tab={deliveriesTab}
    empty="As soon as a message goes out, its deliveries stand here."
  />
);

export const LogsPage = () => (
  <Activity
    about="The records that apps write and read at /logs."
    tab={logsTab}
    empty="Each entering and leaving is recorded here, by the service or by the app."
  />
);

interface Props<Id extends ListOperation> {
  readonly about: string;
  readonly empty: string;
  readonly tab: (appId: string, times: Times) => ActivityTab<Id>;
}

function Activity<Id extends ListOperation>({ about, empty, tab }: Props<Id>) {
  const { appId = '' } = useParams({ strict: false });
  const search = useSearch({ strict: false }) as ActivitySearch;
  const navigate = useNavigate();
  const times = useTimes(appId);
  const { list, csv, narrowing, kinds } = tab(appId, times);
  const { range, beacon, visitor, kind } = search;
  // The start of a range is read off the clock once, not at every drawing.
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
  const go = (next: ActivitySearch, replace = false) =>
    void navigate({ to: '.', search: { ...next } as never, replace });
  return (
    <>
      <SectionHeader title="Activity">{about}</SectionHeader>
      <nav className={classes.tabs} aria-label="Parts of activity">
        {tabs.map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            params={{ appId }}
            activeProps={{ 'aria-current': 'page' }}
            activeOptions={{ includeSearch: false }}
          >
            {label}
          </Link>
        ))}
      </nav>
      <RecordList
        appId={appId}
        list={list}
        search={search}
        scope={scope}
        onSearch={(next, options) => go(next, options?.replace)}
        onAll={() => go({})}
        tools={
          <QuickFilters
            appId={appId}
            search={search}
            kinds={kinds}
            hasBeacon={narrowing.hasBeacon}
            onChange={(part) => go({ ...search, page: undefined, ...part } as ActivitySearch)}
            tools={
              <CsvExport
                appId={appId}
                operation={list.operation}
                plural={list.plural}
                where={bothOf(scope, search.where)}
                columns={csv}
              />
            }
          />
        }
        note={`Times are in ${times.zone}.`}
        empty={
          <EmptyState icon="activity" title="Nothing has happened yet">
            {empty}
          </EmptyState>
        }
      />
    </>
  );
}

type Quick = { readonly [Name in 'range' | 'beacon' | 'visitor' | 'kind']?: string | undefined };

interface QuickProps {
  readonly appId: string;
  readonly search: ActivitySearch;
  readonly kinds: ActivityTab<ListOperation>['kinds'];
  readonly hasBeacon: boolean;
  readonly onChange: (part: Quick) => void;
  readonly tools: React.ReactNode;
}

function QuickFilters({ appId, search, kinds, hasBeacon, onChange, tools }: QuickProps) {
  const { range, beacon, kind, visitor } = search;
  return (
    <>
      <NativeSelect
        aria-label="Range of time"
        data={[{ value: '', label: 'All times' }, ...ranges]}
        value={range ?? ''}
        onChange={({ currentTarget: { value } }) => onChange({ range: (value || undefined) as Range | undefined })}
      />
      <NativeSelect
        aria-label="Kind"
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
        <Badge
          variant="light"
          size="lg"
          tt="none"
          fw={500}
          rightSection={
            <CloseButton size="xs" aria-label="Show all visitors" onClick={() => onChange({ visitor: undefined })} />
          }
        >
          Visitor <span className="mono">{shortId(visitor)}</span>
        </Badge>
      )}
      <div className={classes.end}>{tools}</div>
    </>
  );
}
