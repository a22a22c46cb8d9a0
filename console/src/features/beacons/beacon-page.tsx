import { Group, Skeleton, Text } from '@mantine/core';
import type { Beacon } from '@pharos/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { ShowRequest } from '../../components/code/show-request.tsx';
import { ConfirmDialog } from '../../components/dialogs/confirm-dialog.tsx';
import { Block } from '../../components/page/block.tsx';
import blocks from '../../components/page/blocks.module.css';
import { Fact, Facts } from '../../components/page/facts.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { ChangeOrDelete, RecordPage } from '../../components/page/record-page.tsx';
import { useAction } from '../../lib/actions/use-action.ts';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { eventWordsHere } from '../../lib/text/event-words.ts';
import { showDuration, useTimes } from '../../lib/time/times.ts';
import { placeText } from './beacon-list.tsx';
import classes from './beacons.module.css';
import { activityQuery, beaconKeys, beaconQuery, usesQuery } from './queries.ts';

const route = getRouteApi('/signed-in/apps/$appId/beacons/$beaconId');

export function BeaconPage() {
  const { appId, beaconId } = route.useParams();
  const query = useQuery(beaconQuery(appId, beaconId));
  const [isDeleting, setDeleting] = useState(false);
  const mayChange = useMayCall()('updateBeacon');
  const change = { to: '/apps/$appId/beacons/$beaconId/edit', params: { appId, beaconId } };
  return (
    <RecordPage
      query={query}
      title={(beacon) => beacon?.name ?? 'Beacon'}
      all={{ label: 'All beacons', to: '/apps/$appId/beacons', params: { appId } }}
      action={() => mayChange && <ChangeOrDelete change={change} onDelete={() => setDeleting(true)} />}
    >
      {(beacon) => (
        <>
          <BeaconFacts appId={appId} beacon={beacon} />
          <Activity appId={appId} beaconId={beaconId} />
          <Group justify="flex-end" mt="xs">
            <ShowRequest appId={appId} request={{ operation: 'getBeacon', params: { objectId: beaconId } }} />
          </Group>
          <DeleteBeacon appId={appId} beacon={beacon} isOpen={isDeleting} onClose={() => setDeleting(false)} />
        </>
      )}
    </RecordPage>
  );
}

function BeaconFacts({ appId, beacon }: { readonly appId: string; readonly beacon: Beacon }) {
  const times = useTimes(appId);
  const { radius, measuredPower, sensitivity, metadata } = beacon;
  return (
    <Block title="Facts" about={`Times are in ${times.zone}.`}>
      <Facts>
        <Fact label="UUID" isWide>
          <span className="mono">{beacon.uuid}</span>
          <CopyButton text={beacon.uuid} label="UUID" />
        </Fact>
        <Fact label="Major, minor">
          {beacon.major}, {beacon.minor}
        </Fact>
        <Fact label="Place">{placeText(beacon) || 'not set'}</Fact>
        <Fact label="Radius">{radius === undefined ? 'as usual, 3 m' : `${radius} m`}</Fact>
        <Fact label="Measured power">
          {measuredPower === undefined ? 'not calibrated' : `${measuredPower} dBm at 1 m`}
        </Fact>
        <Fact label="Sensitivity">{sensitivity ?? 'as the app says'}</Fact>
        <Fact label="Created" isTime>
          {times.dateTime(beacon.createdAt)}
        </Fact>
        <Fact label="Changed" isTime>
          {times.dateTime(beacon.updatedAt)}
        </Fact>
        <Fact label="objectId">
          <span className="mono">{beacon.objectId}</span>
          <CopyButton text={beacon.objectId} label="objectId" />
        </Fact>
      </Facts>
      {Object.keys(metadata).length > 0 && <pre className={classes.json}>{JSON.stringify(metadata, null, 2)}</pre>}
    </Block>
  );
}

function Activity({ appId, beaconId }: { readonly appId: string; readonly beaconId: string }) {
  const { data, error } = useQuery(activityQuery(appId, beaconId));
  const times = useTimes(appId);
  const isQuiet = data?.events.results.length === 0 && data.visits.results.length === 0;
  return (
    <Block title="What happened here" about={`The last events and visits. Times are in ${times.zone}.`}>
      <FailureNote message={error?.message} />
      {!data && !error && <Skeleton h={90} />}
      {isQuiet && (
        <Text c="dimmed" size="sm">
          Nobody has come near yet. As soon as an app reports this beacon, its events stand here.
        </Text>
      )}
      {data && !isQuiet && (
        <div className={classes.activity}>
          <section aria-label="Events">
            <h3 className={classes.small}>Events · {(data.events.count ?? 0).toLocaleString('en')}</h3>
            <ul className={classes.lines}>
              {data.events.results.map((event) => (
                <li key={event.objectId}>
                  <Link
                    to="/apps/$appId/activity/events/$eventId"
                    params={{ appId, eventId: event.objectId }}
                    className={classes.what}
                  >
                    {eventWordsHere[event.event]}
                    {event.distance !== undefined && (
                      <span className={classes.soft}> {event.distance.toFixed(1)} m</span>
                    )}
                  </Link>
                  <span className={classes.soft}>{times.dateTime(event.occurredAt)}</span>
                </li>
              ))}
            </ul>
          </section>
          <section aria-label="Visits">
            <h3 className={classes.small}>Visits · {(data.visits.count ?? 0).toLocaleString('en')}</h3>
            <ul className={classes.lines}>
              {data.visits.results.map((visit) => (
                <li key={visit.objectId}>
                  <span className={classes.what}>
                    {visit.dwell === null ? 'still here' : `Stayed ${showDuration(visit.dwell)}`}
                  </span>
                  <span className={classes.soft}>{times.dateTime(visit.enteredAt)}</span>
                </li>
              ))}
            </ul>
          </section>
        </div>
      )}
    </Block>
  );
}

interface DeleteProps {
  readonly appId: string;
  readonly beacon: Beacon;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

function DeleteBeacon({ appId, beacon, isOpen, onClose }: DeleteProps) {
  const { data: uses } = useQuery({ ...usesQuery(appId, beacon.objectId), enabled: isOpen });
  const navigate = useNavigate();
  const queries = useQueryClient();
  const remove = useAction({
    run: () => dataOf(appId).beacons.delete(beacon.objectId),
    done: `${beacon.name} is deleted.`,
    showsError: true,
    after: async () => {
      await navigate({ to: '/apps/$appId/beacons', params: { appId } });
      queries.removeQueries({ queryKey: beaconQuery(appId, beacon.objectId).queryKey });
      await Promise.all(beaconKeys(appId).map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
  });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Delete the beacon"
      confirm={`Delete ${beacon.name}`}
      isBusy={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate()}
    >
      <b>{beacon.name}</b> goes for good. Its events and visits stay in the history.
      <div className={blocks.meta}>{uses ? usesText(uses) : 'Looking for messages that name it …'}</div>
    </ConfirmDialog>
  );
}

interface Uses {
  readonly names: readonly string[];
  readonly notifications: number;
  readonly scenarios: number;
}

function usesText({ names, notifications, scenarios }: Uses): string {
  if (notifications + scenarios === 0) return 'No notification and no storyline names it.';
  const more = notifications > names.length ? ` and ${notifications - names.length} more` : '';
  const parts = [
    ...(notifications > 0 ? [`${count(notifications, 'notification')} (${names.join(', ')}${more})`] : []),
    ...(scenarios > 0 ? [count(scenarios, 'scenario')] : []),
  ];
  return `It is named by ${parts.join(' and ')}; they stop firing.`;
}

const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;
