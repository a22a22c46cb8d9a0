import type { Beacon } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import names from '../../components/names/names.module.css';
import { Fact } from '../../components/page/facts.tsx';
import { ownFilePath } from '../../lib/data/own-files.ts';
import { placementsQuery } from '../../lib/data/placements.ts';
import { planFileQuery } from '../../lib/data/venue-queries.ts';
import { type Times, useTimes } from '../../lib/time/times.ts';
import { rich, t } from '../../lib/words/words.ts';
import classes from './beacons.module.css';

interface Props {
  readonly appId: string;
  readonly beaconId: string;
}

/** Who found it where it is said to be, and when, with the photograph. */
export function PlacementFact({ appId, beaconId }: Props) {
  const times = useTimes(appId);
  const { data } = useQuery(placementsQuery(appId, { beaconId }));
  const placement = data?.get(beaconId);
  const photoId = placement?.photoId ?? '';
  const { data: photo } = useQuery({ ...planFileQuery(appId, photoId), enabled: photoId !== '' });
  if (!placement) return null;
  const url = photo ? ownFilePath(photo.url, appId) : undefined;
  return (
    <Fact label={t('Verified')} isWide>
      <div className={classes.verified}>
        {rich('{who} <time>{when}</time>{isMoved, select, true {, and moved since} other {}}', {
          who: placement.verifiedBy ?? t('A user of the app'),
          when: times.minute(placement.verifiedAt),
          isMoved: placement.isMoved,
          time: (inner) => <time dateTime={placement.verifiedAt}>{inner}</time>,
        })}
        {url && (
          <a href={url} className={names.link}>
            <img src={url} alt={t('Where the beacon is')} className={classes.photo} />
          </a>
        )}
      </div>
    </Fact>
  );
}

/** In the table of beacons: one question for all beacons of a venue. */
export function VerifiedCell({
  appId,
  beacon,
  times,
}: {
  readonly appId: string;
  readonly beacon: Beacon;
  readonly times: Times;
}) {
  const venueId = beacon.venueId?.objectId ?? '';
  const { data } = useQuery({ ...placementsQuery(appId, { venueId }), enabled: venueId !== '' });
  const placement = data?.get(beacon.objectId);
  if (!placement) return null;
  return placement.isMoved ? t('moved since') : times.date(placement.verifiedAt);
}
