import type { Beacon, Floor, Zone } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { zonesQuery } from '../../../lib/data/venue-queries.ts';
import { isOnFloor, type Point } from '../../../lib/plan/floor-geometry.ts';
import { usePlan } from '../../../lib/plan/use-plan.ts';
import { t } from '../../../lib/words/words.ts';
import { PlanCanvas } from './plan-canvas.tsx';
import { wallsOf } from './walls.ts';

interface Props {
  readonly appId: string;
  readonly floor: Floor;
  /** Of the venue. */
  readonly beacons: readonly Beacon[];
  /** Where it was tapped. */
  readonly points: readonly Point[];
  /** The points are a way. */
  readonly isWay?: boolean;
  readonly onTap: (point: Point) => void;
}

/** The plan of a floor, for somebody who says on it where something is. */
export function FloorTap({ appId, floor, beacons, points, isWay = false, onTap }: Props) {
  const { plan } = usePlan(appId, floor);
  const { data: zones = [] } = useQuery(zonesQuery(appId, floor.venueId.objectId));
  return (
    <PlanCanvas
      label={t('Plan of {name}', { name: floor.name })}
      shown={{
        plan,
        zones: zones.filter((zone) => zone.floorId.objectId === floor.objectId).map(mapZone),
        walls: wallsOf(floor),
        beacons: beacons.filter((one) => isOnFloor(one, floor)).map(mapBeacon),
        mode: 'place',
        points,
        way: isWay ? points : [],
      }}
      events={{ onPoint: onTap }}
    />
  );
}

export const mapZone = ({ objectId, name, polygon }: Zone) => ({ id: objectId, name, polygon });

export const mapBeacon = ({ objectId, name, location }: Beacon) => ({
  id: objectId,
  name,
  at: { x: location?.x ?? 0, y: location?.y ?? 0 },
});
