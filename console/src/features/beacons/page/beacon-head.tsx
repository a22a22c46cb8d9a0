import { Badge, Group, Text } from '@mantine/core';
import type { Beacon } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Fact, Facts } from '../../../components/page/facts.tsx';
import { PlanCut } from '../../../components/plan/plan-cut.tsx';
import { ownFilePath } from '../../../lib/data/own-files.ts';
import { placementsQuery } from '../../../lib/data/placements.ts';
import { planFileQuery } from '../../../lib/data/venue-queries.ts';
import { findingsQuery } from '../../../lib/fleet/findings.ts';
import { showAge, useTimes } from '../../../lib/time/times.ts';
import { rich, t, translated } from '../../../lib/words/words.ts';
import { stateOf } from '../beacon-state.ts';
import classes from '../beacons.module.css';
import { FindingActions } from '../condition/finding-actions.tsx';
import { useBeaconVisits } from '../queries.ts';
import { useFloorOf, WhereLinks } from '../where.tsx';

interface Props {
  readonly appId: string;
  readonly beacon: Beacon;
}

interface HeadProps extends Props {
  /** What helps where it does not work. */
  readonly action: ReactNode;
}

/** Where a beacon is, as a picture and in words, and whether it works. */
export function BeaconHead({ appId, beacon, action }: HeadProps) {
  const times = useTimes(appId);
  const { data: visits } = useBeaconVisits(appId, [beacon.objectId]);
  const here = visits?.get(beacon.objectId);
  const { data: findings } = useQuery(findingsQuery(appId));
  const own = findings?.filter(({ beaconId, isFound }) => isFound && beaconId === beacon.objectId);
  const state = visits && own && stateOf(here, own, translated);
  return (
    <Group
      component="section"
      gap="1.25rem"
      mb="1.25rem"
      align="stretch"
      aria-label={t('Where it is, and whether it works')}
    >
      <BeaconPicture appId={appId} beacon={beacon} />
      <div className={classes.facts}>
        <div className={classes.state}>
          <div role="status">
            {state && (
              <>
                <Badge color={state.color} size="lg">
                  {state.text}
                </Badge>
                <Text>{state.sentence}</Text>
              </>
            )}
          </div>
          {action}
        </div>
        {own?.map((finding) => (
          <FindingActions key={finding.kind} appId={appId} finding={finding} />
        ))}
        <Facts>
          <Fact label={t('Place')} isWide>
            <span>
              <WhereLinks appId={appId} beacon={beacon} />
            </span>
          </Fact>
          {here && (
            <Fact label={t('Last visitor')}>
              <span title={times.dateTime(here.lastVisitAt)}>
                {here.visitors > 0 ? t('now') : showAge(here.lastVisitAt)}
              </span>
            </Fact>
          )}
          <VerifiedFact appId={appId} beaconId={beacon.objectId} />
        </Facts>
      </div>
    </Group>
  );
}

/** The photograph of its place, else a cut of the plan. */
function BeaconPicture({ appId, beacon }: Props) {
  const { objectId, name, location } = beacon;
  const { data: placements } = useQuery(placementsQuery(appId, { beaconId: objectId }));
  const photoId = placements?.get(objectId)?.photoId ?? '';
  const { data: photo, isLoading } = useQuery({ ...planFileQuery(appId, photoId), enabled: photoId !== '' });
  const floor = useFloorOf(appId, beacon);
  const url = photo ? ownFilePath(photo.url, appId) : undefined;
  return (
    <>
      {(url || isLoading) && (
        <a href={url} className={classes.picture}>
          {url && <img src={url} alt={t('Where the beacon is')} />}
        </a>
      )}
      {floor?.plan && location && (
        <div className={classes.picture}>
          <PlanCut
            appId={appId}
            floor={floor}
            at={location}
            label={t('{name} on the plan of {floor}', { name, floor: floor.name })}
          />
        </div>
      )}
    </>
  );
}

/** Who found it where it is said to be, and when. */
function VerifiedFact({ appId, beaconId }: { readonly appId: string; readonly beaconId: string }) {
  const times = useTimes(appId);
  const { data } = useQuery(placementsQuery(appId, { beaconId }));
  const placement = data?.get(beaconId);
  if (!placement) return null;
  return (
    <Fact label={t('Verified')} isWide>
      <span>
        {rich('{who} <time>{when}</time>{isMoved, select, true {, and moved since} other {}}', {
          who: placement.verifiedBy ?? t('A user of the app'),
          when: times.minute(placement.verifiedAt),
          isMoved: placement.isMoved,
          time: (inner) => <time dateTime={placement.verifiedAt}>{inner}</time>,
        })}
      </span>
    </Fact>
  );
}
