import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { SectionList } from '../../components/list/section-list.tsx';
import type { ListOperation } from '../../lib/data/api.ts';
import { type Times, useTimes } from '../../lib/time/times.ts';
import { t } from '../../lib/words/words.ts';
import type { ActivityTab } from './activity-tab.tsx';
import { deliveriesTab } from './deliveries-tab.tsx';
import { eventsTab } from './events-tab.tsx';
import { LogFilters, LogLists } from './log-filters.tsx';
import { logsTab } from './logs-tab.tsx';
import { type LogList, scopeOf } from './search.ts';
import { Timeline } from './timeline.tsx';
import { visitsTab } from './visits-tab.tsx';

const route = getRouteApi('/signed-in/apps/$appId/activity');

/** What happened, as one list with the latest first, or one kind of it with all its columns and filters. */
export function LogPage() {
  const { list } = route.useSearch();
  return list ? lists[list] : <Timeline />;
}

interface Props<Id extends ListOperation> {
  readonly about: string;
  readonly part: string;
  readonly empty: string;
  readonly tab: (appId: string, times: Times) => ActivityTab<Id>;
}

function List<Id extends ListOperation>({ about, part, empty, tab }: Props<Id>) {
  const { appId } = route.useParams();
  const { list: shown, range, beacon, visitor, kind } = route.useSearch();
  const times = useTimes(appId);
  const { list, narrowing, kinds } = tab(appId, times);
  const { time, kind: member, hasBeacon } = narrowing;
  // The start of a period is taken from the clock once, not on every render.
  const scope = useMemo(
    () => scopeOf({ range, beacon, visitor, kind }, { time, kind: member, hasBeacon }, times.zone),
    [range, beacon, visitor, kind, time, member, hasBeacon, times.zone],
  );
  return (
    <SectionList
      appId={appId}
      title={t('Log')}
      part={part}
      about={about}
      list={list}
      scope={scope}
      all={{ list: shown }}
      views={<LogLists />}
      tools={
        <>
          <LogLists />
          <LogFilters kinds={kinds} hasBeacon={hasBeacon} />
        </>
      }
      empty={{ icon: 'activity', title: t('Nothing has happened yet'), text: empty }}
    />
  );
}

const lists = {
  events: (
    <List
      key="events"
      about={t('Open an event to see which messages it caused, and why others were not shown.')}
      part={t('Events')}
      tab={eventsTab}
      empty={t('Events appear here as soon as an app reports that a visitor came near a beacon.')}
    />
  ),
  visits: (
    <List
      key="visits"
      about={t('A visit is one visitor at one beacon, from entering to leaving.')}
      part={t('Visits')}
      tab={visitsTab}
      empty={t('A visit begins as soon as a visitor comes near a beacon.')}
    />
  ),
  deliveries: (
    <List
      key="deliveries"
      about={t('The outcome of each message for each visitor.')}
      part={t('Deliveries')}
      tab={deliveriesTab}
      empty={t('Deliveries appear here as soon as a message is sent.')}
    />
  ),
  logs: (
    <List
      key="logs"
      about={t(
        'What apps write and read at /logs. Of a series of messages, coming and leaving are recorded twice: as presence, and for the series.',
      )}
      part={t('Logs')}
      tab={logsTab}
      empty={t('Each arrival and departure is recorded here, by the service or by the app.')}
    />
  ),
} satisfies Readonly<Record<LogList, unknown>>;
