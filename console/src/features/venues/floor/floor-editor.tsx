import { Skeleton, Text } from '@mantine/core';
import type { Beacon, Floor } from '@pharos/sdk';
import { useRef } from 'react';
import { FailureNote } from '../../../components/page/blocks.tsx';
import { centreOf } from '../../../components/plan/use-view.ts';
import { useMayCall } from '../../../lib/data/access.ts';
import { isOnFloor, type Point } from '../../../lib/plan/floor-geometry.ts';
import { usePlan } from '../../../lib/plan/use-plan.ts';
import { t, tenths } from '../../../lib/words/words.ts';
import { kindTexts } from '../venue-fields.ts';
import classes from '../venues.module.css';
import { BeaconPanel } from './beacon-panel.tsx';
import { BringIn } from './bring-in.tsx';
import { Items, ZonePanel } from './floor-panels.tsx';
import { FloorPlan } from './floor-plan.tsx';
import { ScaleForm, Tools } from './floor-tools.tsx';
import { GatewayPanel } from './gateway-panel.tsx';
import { type Drawing, type Mode, useDrawing } from './use-drawing.ts';
import { type Known, useFloor } from './use-floor.ts';
import { lengthText, WallPanel } from './wall-panel.tsx';

interface Props {
  readonly appId: string;
  readonly floor: Floor;
}

interface EditorProps extends Props {
  /** Where surveys found the wrong zone reported. */
  readonly spots: readonly Point[];
}

const hints: Readonly<Record<Mode, string>> = {
  move: t(
    'Drag a beacon, or choose a zone and drag its corners. The arrow keys move what has the focus by 10 cm, with Shift by 1 m.',
  ),
  draw: t('Click the corners of the zone one after the other, then finish.'),
  wall: t('Click along the wall from corner to corner, then finish.'),
  scale: t('Click two points on the plan whose distance you know.'),
};

/** The plan with its zones and beacons, and beside it the same as lists. */
export function FloorEditor({ appId, floor, spots }: EditorProps) {
  const may = useMayCall();
  const mayEdit = may('updateZone');
  const mayPlace = may('updateBeacon');
  const known = useFloor(appId, floor);
  const drawing = useDrawing(known);
  const { mode, points, begin } = drawing;
  const svg = useRef<SVGSVGElement>(null);
  const { plan, isWithout } = usePlan(appId, floor);
  const centre = () => centreOf(svg.current);
  return (
    <>
      <div className={classes.note}>
        <FailureNote message={known.error?.message} />
      </div>
      {mayEdit && (
        <Tools drawing={drawing} known={known} hasPlan={plan ? true : isWithout ? false : undefined} centre={centre} />
      )}
      {mode === 'scale' && points.length === 2 && (
        <ScaleForm appId={appId} floor={floor} points={points} onDone={() => begin('move')} />
      )}
      {known.isPending ? (
        <Skeleton h="min(68vh, 40rem)" />
      ) : (
        <div className={classes.editor}>
          <div>
            <FloorPlan
              label={t('Plan of {name}', { name: floor.name })}
              plan={plan}
              known={known}
              drawing={drawing}
              spots={spots}
              svg={svg}
              mayEdit={mayEdit}
              mayPlace={mayPlace}
            />
            <Text c="dimmed" mt={6}>
              {mayEdit ? hints[mode] : t('Choose a zone or a beacon to see what it is.')}
            </Text>
          </div>
          <Side appId={appId} floor={floor} known={known} drawing={drawing} centre={centre} />
        </div>
      )}
    </>
  );
}

interface SideProps extends Props {
  readonly known: Known;
  readonly drawing: Drawing;
  /** The middle of what is seen. */
  readonly centre: () => Point;
}

/** What is chosen, in numbers, and all that is on the floor. */
function Side({ appId, floor, known, drawing: { selected, setSelected }, centre }: SideProps) {
  const may = useMayCall();
  const mayPlace = may('updateBeacon');
  const zone = known.zones.find(({ objectId }) => objectId === selected);
  const beacon = known.beacons.find(({ objectId }) => objectId === selected);
  const wall = known.walls.find(({ id }) => id === selected);
  const gateway = known.gateways.find(({ id }) => id === selected);
  const zoneName = (of: Beacon) => known.zones.find(({ objectId }) => objectId === of.zoneId?.objectId)?.name;
  return (
    <div className={classes.panel}>
      {zone && (
        <ZonePanel
          key={zone.objectId}
          appId={appId}
          zone={zone}
          mayEdit={may('updateZone')}
          onChange={(change, refused) => known.changeZone(zone, change, refused)}
          onCopy={() => known.copyZone(zone, setSelected)}
          onRemove={() => {
            known.removeZone(zone);
            setSelected(undefined);
          }}
        />
      )}
      {wall && (
        <WallPanel
          wall={wall}
          mayEdit={may('updateFloor')}
          onChange={(points, refused) => known.changeWall(wall, points, refused)}
          onRemove={() => {
            known.removeWall(wall);
            setSelected(undefined);
          }}
        />
      )}
      {gateway && (
        <GatewayPanel
          key={JSON.stringify(gateway)}
          appId={appId}
          gateway={gateway}
          taken={known.gateways.flatMap(({ name }) => (name === gateway.name ? [] : [name]))}
          mayEdit={may('updateFloor')}
          onChange={(change) => {
            known.changeGateway(gateway, change);
            if (change.name !== undefined) setSelected(`gateway ${change.name}`);
          }}
          onRemove={() => {
            known.removeGateway(gateway);
            setSelected(undefined);
          }}
        />
      )}
      {beacon && (
        <BeaconPanel
          key={beacon.objectId}
          appId={appId}
          beacon={beacon}
          zone={zoneName(beacon)}
          mayEdit={mayPlace}
          onPlace={(to, ifMatch) => known.placeBeacon(beacon, to, ifMatch)}
        />
      )}
      <Items
        title={t('Zones')}
        selected={selected}
        onSelect={setSelected}
        items={known.zones.map(({ objectId, name, kind }) => ({ id: objectId, name, note: kindTexts[kind] }))}
      />
      {known.walls.length > 0 && (
        <Items
          title={t('Walls')}
          selected={selected}
          onSelect={setSelected}
          items={known.walls.map((one) => ({ id: one.id, name: one.name, note: lengthText(one) }))}
        />
      )}
      <Items
        title={t('Beacons')}
        selected={selected}
        onSelect={setSelected}
        items={known.beacons.map((one) => ({ id: one.objectId, name: one.name, note: zoneName(one) ?? '' }))}
      />
      {known.gateways.length > 0 && (
        <Items
          title={t('Receivers (gateways)')}
          selected={selected}
          onSelect={setSelected}
          items={known.gateways.map(({ id, name, x, y }) => ({ id, name, note: `${tenths(x)}, ${tenths(y)}` }))}
        />
      )}
      <BringIn
        appId={appId}
        floor={floor}
        unplaced={known.unplaced}
        isEmpty={known.beacons.length === 0}
        centre={centre}
        onPick={(picked) => {
          known.placeBeacon(picked, placeFor(picked, floor) ?? centre());
          setSelected(picked.objectId);
        }}
      />
    </div>
  );
}

/** A beacon that has a place on a floor of this level keeps it. */
function placeFor({ location }: Beacon, floor: Floor): Point | undefined {
  return location && isOnFloor({ location }, floor) ? { x: location.x, y: location.y } : undefined;
}
