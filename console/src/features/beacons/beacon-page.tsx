import { Group, Skeleton, Text } from '@mantine/core';
import type { Beacon } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { MetadataBlock } from '../../components/code/code-block.tsx';
import { CopyButton } from '../../components/code/copy-field.tsx';
import { ShowRequest } from '../../components/code/show-request.tsx';
import { ConfirmedAction } from '../../components/dialogs/confirmed-action.tsx';
import { HistoryButton } from '../../components/history/history-button.tsx';
import names from '../../components/names/names.module.css';
import { OwnerBlock } from '../../components/owner/owner-block.tsx';
import { Block } from '../../components/page/block.tsx';
import blocks from '../../components/page/blocks.module.css';
import { Fact, Facts } from '../../components/page/facts.tsx';
import { FailureNote } from '../../components/page/failure-note.tsx';
import { EditOrDelete, RecordPage } from '../../components/page/record-page.tsx';
import { useMayCall, usePutBack } from '../../lib/data/access.ts';
import { dataOf } from '../../lib/data/api.ts';
import { trashKey } from '../../lib/data/history.ts';
import { venueNamesQuery } from '../../lib/data/venue-names.ts';
import { eventWordsHere } from '../../lib/text/event-words.ts';
import { messageUsesText } from '../../lib/text/message-uses.ts';
import { showDuration, useTimes } from '../../lib/time/times.ts';
import { rich, t, tenths } from '../../lib/words/words.ts';
import { beaconLabels } from './beacon-fields.ts';
import { placeText } from './beacon-list.tsx';
import { BeaconMessages } from './beacon-messages.tsx';
import { beaconStop } from './beacon-stop.ts';
import classes from './beacons.module.css';
import { Calibration } from './calibration.tsx';
import { PlacementFact } from './placement.tsx';
import { activityQuery, type BeaconUses, beaconKeys, beaconQuery, beaconUsesQuery } from './queries.ts';
import { SignalFact } from './signal.tsx';

const route = getRouteApi('/signed-in/apps/$appId/beacons/$beaconId');

export function BeaconPage() {
  const { appId, beaconId } = route.useParams();
  const query = useQuery(beaconQuery(appId, beaconId));
  const [isDeleting, setDeleting] = useState(false);
  const mayChange = useMayCall()('updateBeacon');
  const edit = { to: '/apps/$appId/beacons/$beaconId/edit', params: { appId, beaconId } };
  const copy = { to: '/apps/$appId/beacons/new', params: { appId }, from: beaconId };
  return (
    <RecordPage
      query={query}
      title={(beacon) => beacon?.name ?? t('Beacon')}
      all={{ label: t('All beacons'), to: '/apps/$appId/beacons', params: { appId } }}
      action={(beacon) => (
        <Group gap="xs">
          <HistoryButton
            appId={appId}
            kind="beacons"
            recordId={beaconId}
            present={beacon}
            updatedAt={beacon.updatedAt}
            labels={beaconLabels}
            mayChange={mayChange}
            stop={beaconStop}
            refresh={beaconKeys(appId)}
          />
          {mayChange && <EditOrDelete edit={edit} copy={copy} onDelete={() => setDeleting(true)} />}
        </Group>
      )}
    >
      {(beacon) => (
        <>
          <BeaconFacts appId={appId} beacon={beacon} />
          <BeaconMessages appId={appId} beaconId={beaconId} />
          <Activity appId={appId} beaconId={beaconId} />
          {mayChange && <Calibration appId={appId} beacon={beacon} />}
          <OwnerBlock
            appId={appId}
            name={beacon.name}
            createdBy={beacon.createdBy}
            operation="updateBeaconOwner"
            rules={{ group: 'resources', name: 'beacons' }}
            read={() => dataOf(appId).beacons.get(beaconId)}
            handOver={(userId, how) => dataOf(appId).beacons.handOver(beaconId, userId, how)}
            refresh={beaconKeys(appId)}
          />
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
    <Block title={t('Facts')} about={t('Times are in {zone}.', { zone: times.zone })}>
      <Facts>
        <Fact label={t('UUID')} isWide>
          <span className="mono">{beacon.uuid}</span>
          <CopyButton text={beacon.uuid} label={t('UUID')} />
        </Fact>
        <Fact label={t('Major, minor')}>
          {beacon.major}, {beacon.minor}
        </Fact>
        <Fact label={t('Place')}>{placeText(beacon) || t('not set')}</Fact>
        <VenueFact appId={appId} beacon={beacon} />
        <PlacementFact appId={appId} beaconId={beacon.objectId} />
        <Fact label={t('Radius')}>{radius === undefined ? t('3 m (default)') : `${radius} m`}</Fact>
        <Fact label={t('Measured power')}>
          {measuredPower === undefined ? t('not calibrated') : t('{measuredPower} dBm at 1 m', { measuredPower })}
        </Fact>
        <Fact label={t('Sensitivity')}>{sensitivity ?? t('as set for the app')}</Fact>
        <SignalFact appId={appId} beaconId={beacon.objectId} />
        <Fact label={t('Created')} isTime>
          {times.dateTime(beacon.createdAt)}
        </Fact>
        <Fact label={t('Changed')} isTime>
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

/** Its venue, with the page of its plan. */
function VenueFact({ appId, beacon: { venueId } }: { readonly appId: string; readonly beacon: Beacon }) {
  const { data: venues } = useQuery({ ...venueNamesQuery(appId), enabled: venueId !== undefined });
  if (!venueId) return null;
  const name = venues?.find(({ objectId }) => objectId === venueId.objectId)?.name ?? venueId.objectId;
  return (
    <Fact label={t('Venue')}>
      <Link
        to="/apps/$appId/beacons/venues/$venueId"
        params={{ appId, venueId: venueId.objectId }}
        className={names.link}
      >
        {name}
      </Link>
    </Fact>
  );
}

function Activity({ appId, beaconId }: { readonly appId: string; readonly beaconId: string }) {
  const { data, error } = useQuery(activityQuery(appId, beaconId));
  const times = useTimes(appId);
  const isQuiet = data?.events.results.length === 0 && data.visits.results.length === 0;
  return (
    <Block
      title={t('Recent activity')}
      about={t('The latest events and visits. Times are in {zone}.', { zone: times.zone })}
    >
      <FailureNote message={error?.message} />
      {!data && !error && <Skeleton h={90} />}
      {isQuiet && (
        <Text c="dimmed" size="sm">
          {t('No visitor has come near yet. Events appear here as soon as an app reports this beacon.')}
        </Text>
      )}
      {data && !isQuiet && (
        <div className={classes.activity}>
          <section aria-label={t('Events')}>
            <h3 className={classes.small}>{t('Events · {count, number}', { count: data.events.count ?? 0 })}</h3>
            <ul className={classes.lines}>
              {data.events.results.map((event) => (
                <li key={event.objectId}>
                  <Link
                    to="/apps/$appId/activity/events/$eventId"
                    params={{ appId, eventId: event.objectId }}
                    className={classes.what}
                  >
                    {eventWordsHere[event.event]}
                    {event.distance !== undefined && <span className={classes.soft}> {tenths(event.distance)} m</span>}
                  </Link>
                  <span className={classes.soft}>{times.dateTime(event.occurredAt)}</span>
                </li>
              ))}
            </ul>
          </section>
          <section aria-label={t('Visits')}>
            <h3 className={classes.small}>{t('Visits · {count, number}', { count: data.visits.count ?? 0 })}</h3>
            <ul className={classes.lines}>
              {data.visits.results.map((visit) => (
                <li key={visit.objectId}>
                  <span className={classes.what}>
                    {visit.dwell === null
                      ? t('still here')
                      : t('Stayed {duration}', { duration: showDuration(visit.dwell) })}
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
  const { data: uses } = useQuery({ ...beaconUsesQuery(appId, beacon.objectId, useMayCall()), enabled: isOpen });
  const putBack = usePutBack(appId, 'beacons');
  return (
    <ConfirmedAction
      isOpen={isOpen}
      onClose={onClose}
      title={t('Delete the beacon')}
      confirm={t('Delete {name}', { name: beacon.name })}
      run={() => dataOf(appId).beacons.delete(beacon.objectId)}
      done={t('{name} was deleted.', { name: beacon.name })}
      undo={putBack && (() => putBack(beacon.objectId))}
      refresh={[...beaconKeys(appId), trashKey(appId)]}
      leave={{ to: '/apps/$appId/beacons', params: { appId }, forget: beaconQuery(appId, beacon.objectId).queryKey }}
    >
      {rich('<b>{name}</b> is deleted. It stays in the trash for 30 days; its events and visits stay in the history.', {
        name: beacon.name,
        b: (inner) => <b>{inner}</b>,
      })}
      <div className={blocks.meta}>{uses ? usesText(uses) : t('Looking for messages that use it …')}</div>
    </ConfirmedAction>
  );
}

function usesText(uses: BeaconUses): string {
  const text = messageUsesText(uses);
  if (uses.isPart && text === undefined)
    return t('No notification uses it. Whether a storyline does is shown to those who have the whole app.');
  return text === undefined
    ? t('No notification and no storyline uses it.')
    : t('Used by {text}; they will no longer be shown.', { text });
}
