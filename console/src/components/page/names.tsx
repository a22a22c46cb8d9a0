import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMayCall } from '../../lib/data/access.ts';
import { beaconNameQuery, triggerNameQuery } from '../../lib/data/names.ts';
import classes from './names.module.css';

interface BeaconProps {
  readonly appId: string;
  readonly beaconId: string;
}

/** What a beacon is called. */
export function BeaconName({ appId, beaconId }: BeaconProps) {
  const { data: name } = useQuery(beaconNameQuery(appId, beaconId));
  if (name === undefined) return <span className={classes.waiting}>…</span>;
  return name === null ? <i>a deleted beacon</i> : name;
}

export function BeaconLink({ appId, beaconId }: BeaconProps) {
  return (
    <Link to="/apps/$appId/beacons/$beaconId" params={{ appId, beaconId }} className={classes.link}>
      <BeaconName appId={appId} beaconId={beaconId} />
    </Link>
  );
}

interface TriggerProps {
  readonly appId: string;
  readonly triggerId: string;
}

const gone = <i>a deleted message</i>;

/** What a notification or a scenario is called. */
export function TriggerName({ appId, triggerId }: TriggerProps) {
  const { data: found } = useQuery(triggerNameQuery(appId, triggerId));
  if (found === undefined) return <span className={classes.waiting}>…</span>;
  return found === null ? gone : found.name;
}

/** The same with the way to it. */
export function TriggerLink({ appId, triggerId }: TriggerProps) {
  const { data: found } = useQuery(triggerNameQuery(appId, triggerId));
  if (found === undefined) return <span className={classes.waiting}>…</span>;
  if (found === null) return gone;
  if (found.storylineId !== undefined)
    return (
      <Link
        to="/apps/$appId/storylines/$storylineId/scenarios/$detailId"
        params={{ appId, storylineId: found.storylineId, detailId: triggerId }}
        className={classes.link}
      >
        {found.name}
      </Link>
    );
  return (
    <Link
      to="/apps/$appId/notifications/$notificationId"
      params={{ appId, notificationId: triggerId }}
      className={classes.link}
    >
      {found.name}
    </Link>
  );
}

/** The end of an id is what tells two of them apart: they begin with a time. */
export const shortId = (objectId: string): string => objectId.slice(-6);

/** A visitor is known by the installation's id alone. */
export function VisitorId({ objectId }: { readonly objectId: string }) {
  return (
    <span className="mono" title={objectId}>
      {shortId(objectId)}
    </span>
  );
}

/** The same with the way to the installation, for those who may see it. */
export function VisitorLink({ appId, installationId }: { readonly appId: string; readonly installationId: string }) {
  const mayOpen = useMayCall()('getInstallation');
  if (!mayOpen) return <VisitorId objectId={installationId} />;
  return (
    <Link to="/apps/$appId/installations/$installationId" params={{ appId, installationId }} className={classes.link}>
      <VisitorId objectId={installationId} />
    </Link>
  );
}
