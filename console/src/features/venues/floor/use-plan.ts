import type { Floor } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { ownFilePath } from '../../../lib/data/own-files.ts';
import { planFileQuery } from '../../../lib/data/venue-queries.ts';
import { frameOf } from '../../../lib/plan/floor-geometry.ts';
import type { Shown } from './map/floor-map.ts';

interface Plan {
  readonly plan: Shown['plan'];
  /** It has none, or it was deleted; not while that is being asked. */
  readonly isWithout: boolean;
}

/** The picture of a floor, as far as it has one. */
export function usePlan(appId: string, floor: Floor): Plan {
  const { data: file } = useQuery({
    ...planFileQuery(appId, floor.plan?.fileId ?? ''),
    enabled: floor.plan !== undefined,
  });
  const frame = frameOf(floor);
  const url = file ? ownFilePath(file.url, appId) : undefined;
  return { plan: url && frame ? { url, frame } : undefined, isWithout: !floor.plan || file === null };
}
