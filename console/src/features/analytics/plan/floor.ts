import type { Floor } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { venueBeaconsQuery } from '../../../lib/data/venue-queries.ts';
import { isOnFloor } from '../../../lib/plan/floor-geometry.ts';
import { usePlan } from '../../../lib/plan/use-plan.ts';
import type { SiteOf } from '../site.ts';

export function useFloorPlan(appId: string, floor: Floor, site: SiteOf) {
  const { plan } = usePlan(appId, floor);
  const { data: all = [] } = useQuery(venueBeaconsQuery(appId, floor.venueId.objectId));
  return {
    plan,
    zones: site.zones.filter(({ floorId }) => floorId.objectId === floor.objectId),
    /** Of the whole venue. */
    all,
    beacons: all.filter((beacon) => isOnFloor(beacon, floor)),
  };
}
