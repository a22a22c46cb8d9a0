import type { Floor } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { ownFilePath } from '../../../lib/data/own-files.ts';
import { planFileQuery, venueBeaconsQuery } from '../../../lib/data/venue-queries.ts';
import { frameOf, isOnFloor } from '../../../lib/plan/floor-geometry.ts';
import type { SiteOf } from '../site.ts';

/** What a floor is drawn from. */
export function useFloorPlan(appId: string, floor: Floor, site: SiteOf) {
  const fileId = floor.plan?.fileId ?? '';
  const { data: file } = useQuery({ ...planFileQuery(appId, fileId), enabled: fileId !== '' });
  const { data: all = [] } = useQuery(venueBeaconsQuery(appId, floor.venueId.objectId));
  const frame = frameOf(floor);
  const url = file ? ownFilePath(file.url, appId) : undefined;
  return {
    plan: url && frame ? { url, frame } : undefined,
    zones: site.zones.filter(({ floorId }) => floorId.objectId === floor.objectId),
    /** Of the whole venue. */
    all,
    beacons: all.filter((beacon) => isOnFloor(beacon, floor)),
  };
}
