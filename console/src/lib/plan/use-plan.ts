import type { Floor } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { ownFilePath } from '../data/own-files.ts';
import { planFileQuery } from '../data/venue-queries.ts';
import { frameOf, type PlanFrame } from './floor-geometry.ts';

interface Plan {
  readonly plan: { readonly url: string; readonly frame: PlanFrame } | undefined;
  /** The floor has no plan, or it was deleted; false while loading. */
  readonly isWithout: boolean;
}

/** The picture of a floor, as far as it has one. */
export function usePlan(appId: string, floor: Pick<Floor, 'plan' | 'scale' | 'origin'>): Plan {
  const { data: file } = useQuery({
    ...planFileQuery(appId, floor.plan?.fileId ?? ''),
    enabled: floor.plan !== undefined,
  });
  const frame = frameOf(floor);
  const url = file ? ownFilePath(file.url, appId) : undefined;
  return { plan: url && frame ? { url, frame } : undefined, isWithout: !floor.plan || file === null };
}
