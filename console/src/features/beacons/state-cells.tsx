import { Badge, Box } from '@mantine/core';
import type { Beacon } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { placementsQuery } from '../../lib/data/placements.ts';
import { findingsQuery } from '../../lib/fleet/findings.ts';
import type { Times } from '../../lib/time/times.ts';
import { showAge } from '../../lib/time/times.ts';
import { t, translated } from '../../lib/words/words.ts';
import { stateOf } from './beacon-state.ts';
import classes from './beacons.module.css';
import { useBeaconVisits } from './queries.ts';

interface Props {
  readonly appId: string;
  readonly beacon: Beacon;
  /** All beacons of the page, which are asked about at once. */
  readonly ids: readonly string[];
}

export function StateCell({ appId, beacon, ids }: Props) {
  const { data } = useBeaconVisits(appId, ids);
  const { data: findings } = useQuery(findingsQuery(appId));
  const own = findings?.filter(({ beaconId }) => beaconId === beacon.objectId);
  const state = data && own && stateOf(data.get(beacon.objectId), own, translated);
  return (
    <span className={classes.stateCell}>
      {state ? (
        <Badge color={state.color} title={state.sentence}>
          {state.text}
        </Badge>
      ) : (
        '…'
      )}
    </span>
  );
}

export function LastVisitCell({ appId, beacon, ids, times }: Props & { readonly times: Times }) {
  const { data } = useBeaconVisits(appId, ids);
  const visits = data?.get(beacon.objectId);
  return (
    <Box component="span" display="inline-block" miw="6.5rem" title={visits && times.dateTime(visits.lastVisitAt)}>
      {visits && (visits.visitors > 0 ? t('now') : showAge(visits.lastVisitAt))}
    </Box>
  );
}

/** One question for all beacons of a venue. */
export function VerifiedCell({ appId, beacon, times }: Omit<Props, 'ids'> & { readonly times: Times }) {
  const venueId = beacon.venueId?.objectId ?? '';
  const { data } = useQuery({ ...placementsQuery(appId, { venueId }), enabled: venueId !== '' });
  const placement = data?.get(beacon.objectId);
  if (!placement) return null;
  return placement.isMoved ? t('moved since') : times.date(placement.verifiedAt);
}
