import { Group, Skeleton, Text } from '@mantine/core';
import type { Beacon } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { MetadataBlock } from '../../components/code/code-block.tsx';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { ShowRequest } from '../../components/code/show-request.tsx';
import { ConfirmedAction } from '../../components/dialogs/confirmed-action.tsx';
import { Block } from '../../components/page/block.tsx';
import blocks from '../../components/page/blocks.module.css';
import { Fact, Facts } from '../../components/page/facts.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { EditOrDelete, RecordPage } from '../../components/page/record-page.tsx';
import { useMayCall } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { eventWordsHere } from '../../lib/text/event-words.ts';
import { type MessageUses, messageUsesText } from '../../lib/text/message-uses.ts';
import { showDuration, useTimes } from '../../lib/time/times.ts';
import { placeText } from './beacon-list.tsx';
import { BeaconMessages } from './beacon-messages.tsx';
import classes from './beacons.module.css';
import { activityQuery, beaconKeys, beaconQuery, beaconUsesQuery } from './queries.ts';

const route = getRouteApi('/signed-in/apps/$appId/beacons/$beaconId');

export function BeaconPage() {
  const { appId, beaconId } = route.useParams();
  const query = useQuery(beaconQuery(appId, beaconId));
  const [isDeleting, setDeleting] = useState(false);
  const mayChange = useMayCall()('updateBeacon');
  const edit = { to: '/apps/$appId/beacons/$beaconId/edit', params: { appId, beaconId } };
  return (
    <RecordPage
      query={query}
      title={(beacon) => beacon?.name ?? 'Beacon'}
      all={{ label: 'All beacons', to: '/apps/$appId/beacons', params: { appId } }}
      action={() => mayChange && <EditOrDelete edit={edit} onDelete={() => setDeleting(true)} />}
    >
      {(beacon) => (
        <>
          <BeaconFacts appId={appId} beacon={beacon} />
          <BeaconMessages appId={appId} beaconId={beaconId} />
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
        <Fact label="Radius">{radius === undefined ? '3 m (default)' : `${radius} m`}</Fact>
        <Fact label="Measured power">
          {measuredPower === undefined ? 'not calibrated' : `${measuredPower} dBm at 1 m`}
        </Fact>
        <Fact label="Sensitivity">{sensitivity ?? 'as set for the app'}</Fact>
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
      <MetadataBlock metadata={metadata} />
    </Block>
  );
}

function Activity({ appId, beaconId }: { readonly appId: string; readonly beaconId: string }) {
  const { data, error } = useQuery(activityQuery(appId, beaconId));
  const times = useTimes(appId);
  const isQuiet = data?.events.results.length === 0 && data.visits.results.length === 0;
  return (
    <Block title="Recent activity" about={`The latest events and visits. Times are in ${times.zone}.`}>
      <FailureNote message={error?.message} />
      {!data && !error && <Skeleton h={90} />}
      {isQuiet && (
        <Text c="dimmed" size="sm">
          No visitor has come near yet. Events appear here as soon as an app reports this beacon.
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
  const { data: uses } = useQuery({ ...beaconUsesQuery(appId, beacon.objectId), enabled: isOpen });
  return (
    <ConfirmedAction
      isOpen={isOpen}
      onClose={onClose}
      title="Delete the beacon"
      confirm={`Delete ${beacon.name}`}
      run={() => dataOf(appId).beacons.delete(beacon.objectId)}
      done={`${beacon.name} was deleted.`}
      refresh={beaconKeys(appId)}
      leave={{ to: '/apps/$appId/beacons', params: { appId }, forget: beaconQuery(appId, beacon.objectId).queryKey }}
    >
      <b>{beacon.name}</b> is deleted permanently. Its events and visits stay in the history.
      <div className={blocks.meta}>{uses ? usesText(uses) : 'Looking for messages that use it …'}</div>
    </ConfirmedAction>
  );
}

function usesText(uses: MessageUses): string {
  const text = messageUsesText(uses);
  return text === undefined
    ? 'No notification and no storyline uses it.'
    : `Used by ${text}; they will no longer be shown.`;
}
