import { Skeleton } from '@mantine/core';
import type { Beacon, Floor, Zone } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { PlanDrawing } from '../../../components/plan/plan-drawing.tsx';
import { DrawnLine, Mark } from '../../../components/plan/plan-shapes.tsx';
import { zonesQuery } from '../../../lib/data/venue-queries.ts';
import { isOnFloor, type Point, roundPoint } from '../../../lib/plan/floor-geometry.ts';
import { usePlan } from '../../../lib/plan/use-plan.ts';
import { t } from '../../../lib/words/words.ts';

interface Props {
  readonly appId: string;
  readonly floor: Floor;
  /** Of the venue. */
  readonly beacons: readonly Beacon[];
  /** Where it was tapped. */
  readonly points: readonly Point[];
  readonly onTap: (point: Point) => void;
}

/** The plan of a floor, for somebody who says on it where something is. */
export function FloorTap({ appId, floor, beacons, points, onTap }: Props) {
  const { plan } = usePlan(appId, floor);
  const { data: zones = [], isPending } = useQuery(zonesQuery(appId, floor.venueId.objectId));
  const marks = beacons.filter((one) => isOnFloor(one, floor)).map(markOf);
  if (isPending) return <Skeleton h={420} />;
  return (
    <PlanDrawing
      label={t('Plan of {name}', { name: floor.name })}
      plan={plan}
      zones={zones.filter((zone) => zone.floorId.objectId === floor.objectId).map(zoneOf)}
      walls={floor.walls}
      around={marks.map(({ at }) => at)}
      margin={roomAround}
      isPointing
      onTap={(at) => onTap(roundPoint(at))}
    >
      {(px) => (
        <>
          {marks.map((mark) => (
            <Mark key={mark.id} {...mark} px={px} />
          ))}
          <DrawnLine points={points} px={px} />
        </>
      )}
    </PlanDrawing>
  );
}

/** For what is new beside what is there, where no picture says how large the floor is. Metres. */
export const roomAround = 8;

export const zoneOf = ({ objectId, name, polygon }: Zone) => ({ id: objectId, name, polygon, strength: 0.15 });

export const markOf = ({ objectId, name, location, metadata }: Beacon) => ({
  id: objectId,
  name,
  at: { x: location?.x ?? 0, y: location?.y ?? 0 },
  isGateway: typeof metadata?.['gatewayId'] === 'string',
});
