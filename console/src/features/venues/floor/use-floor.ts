import type { Beacon, Body, Floor, Zone } from '@pharos/sdk';
import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { usePutBack } from '../../../lib/data/access.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { floorsQuery, pointer, venueBeaconsQuery, zonesQuery } from '../../../lib/data/venue-queries.ts';
import { isOnFloor, type Point } from '../../../lib/plan/floor-geometry.ts';
import { copyName } from '../../../lib/text/copy-name.ts';
import { t } from '../../../lib/words/words.ts';
import {
  changeGateways,
  type DrawnGateway,
  freeName,
  type GatewayChange,
  type GatewayEdit,
  gatewaysOf,
  withChanged,
  withGateway,
  withoutGateway,
} from './gateways.ts';
import { changeZoneNow, placeNow } from './meanwhile.ts';
import { type Step, useSteps } from './use-steps.ts';
import {
  changeWalls,
  type DrawnWall,
  type Wall,
  type WallChange,
  wallsOf,
  withOther,
  withoutWall,
  withWall,
} from './walls.ts';

/** Null: no limit. */
export type ZoneChange = Partial<Pick<Zone, 'name' | 'kind' | 'polygon'> & { readonly capacity: number | null }>;

/** The zones and beacons of a floor, and what can be done with them. Each change is stored at once and can be undone. */
export function useFloor(appId: string, floor: Floor) {
  const venueId = floor.venueId.objectId;
  const { data: allZones = [], error: zonesError, isPending: zonesPend } = useQuery(zonesQuery(appId, venueId));
  const {
    data: allBeacons = [],
    error: beaconsError,
    isPending: beaconsPend,
  } = useQuery(venueBeaconsQuery(appId, venueId));
  const { data: floors = [floor] } = useQuery(floorsQuery(appId, venueId));
  const { commit, error, ...history } = useSteps(appId);
  const queries = useQueryClient();
  const zones = allZones.filter((zone) => zone.floorId.objectId === floor.objectId);
  const beacons = allBeacons.filter((beacon) => isOnFloor(beacon, floor));
  const data = dataOf(appId);
  const expect = <T extends { readonly objectId: string }>(
    queryKey: QueryKey,
    objectId: string,
    change: Partial<T>,
  ) => {
    // An answer that is on its way knows nothing of the change.
    void queries.cancelQueries({ queryKey });
    queries.setQueryData<readonly T[]>(queryKey, (known) =>
      known?.map((one) => (one.objectId === objectId ? { ...one, ...change } : one)),
    );
  };
  const { queryKey: zonesKey } = zonesQuery(appId, venueId);
  const { queryKey: beaconsKey } = venueBeaconsQuery(appId, venueId);

  /** With the changes that were made since the page was drawn: a key that is held down comes again before that. */
  const latest = <T extends { readonly objectId: string }>(queryKey: QueryKey, one: T): T =>
    queries.getQueryData<readonly T[]>(queryKey)?.find(({ objectId }) => objectId === one.objectId) ?? one;
  const expectZone = (id: string, change: Partial<Zone>) => expect<Zone>(zonesKey, id, change);
  const zoneActions = zoneSteps(
    {
      appId,
      floor,
      putBack: usePutBack(appId, 'zones'),
      expectZone,
      latestZone: (zone) => latest<Zone>(zonesKey, zone),
    },
    commit,
  );
  /** Puts a beacon somewhere on this floor, or brings it here from elsewhere. */
  function placeBeacon(shown: Beacon, { x, y }: Point, ifMatch?: string) {
    const beacon = latest<Beacon>(beaconsKey, shown);
    const location = { ...beacon.location, x, y, floor: floor.level };
    const change = { location, ...(beacon.venueId ? {} : { venueId: floor.venueId }) };
    const before = { location: beacon.location ?? null, venueId: beacon.venueId ?? null };
    commit({
      label: t('{name} moved', { name: beacon.name }),
      isRepeatable: true,
      run: () =>
        ifMatch === undefined
          ? placeNow(appId, beacon, { from: beacon.location, change })
          : data.beacons.update(beacon.objectId, change, { ifMatch }),
      undo: () => placeNow(appId, beacon, { from: location, change: before as Body<'updateBeacon'> }),
      expect: () => expect<Beacon>(beaconsKey, beacon.objectId, change as Partial<Beacon>),
      // The next step may begin where the beacon then is.
      expectUndo: () => {
        const { location, venueId, zoneId } = beacon;
        expect<Beacon>(beaconsKey, beacon.objectId, { location, venueId, zoneId } as Partial<Beacon>);
      },
    });
  }
  const { queryKey: floorsKey } = floorsQuery(appId, venueId);
  const latestFloor = () => latest<Floor>(floorsKey, floor);
  const { addWall, changeWall, removeWall } = wallSteps(appId, latestFloor, commit, (walls) =>
    expect<Floor>(floorsKey, floor.objectId, { walls: walls as Floor['walls'] & {} }),
  );
  const gateways = gatewaySteps(appId, floor, commit, (change) => {
    const all = change(latestFloor().gateways ?? []) as Floor['gateways'] & {};
    expect<Floor>(floorsKey, floor.objectId, { gateways: all });
  });
  return {
    isPending: zonesPend || beaconsPend,
    zones,
    beacons,
    gateways: gatewaysOf(floor),
    ...gateways,
    walls: wallsOf(floor),
    addWall,
    changeWall,
    removeWall,
    /** Beacons of the venue that no plan shows: without a place, or at a level without a floor. */
    unplaced: allBeacons.filter((beacon) => floors.every((one) => !isOnFloor(beacon, one))),
    error: zonesError ?? beaconsError ?? error,
    ...zoneActions,
    placeBeacon,
    ...history,
  };
}

export type Known = ReturnType<typeof useFloor>;

interface ZonesOf {
  readonly appId: string;
  readonly floor: Floor;
  readonly putBack: ReturnType<typeof usePutBack>;
  readonly expectZone: (zoneId: string, change: Partial<Zone>) => void;
  readonly latestZone: (zone: Zone) => Zone;
}

function zoneSteps({ appId, floor, putBack, expectZone, latestZone }: ZonesOf, commit: (step: Step) => void) {
  const data = dataOf(appId);
  function changeZone(shown: Zone, change: ZoneChange, refused?: () => void) {
    const zone = latestZone(shown);
    // Only what was changed here: the rest may be somebody else's by then.
    const before = Object.fromEntries(
      Object.keys(change).map((member) => [member, zone[member as keyof ZoneChange] ?? null]),
    );
    const moved = change.polygon && { before: zone.polygon, after: change.polygon };
    commit({
      label: t('{name} changed', { name: zone.name }),
      isRepeatable: true,
      run: () => changeZoneNow(appId, zone, change as Body<'updateZone'>, moved),
      undo: () =>
        changeZoneNow(appId, zone, before as Body<'updateZone'>, moved && { before: moved.after, after: moved.before }),
      expect: () => expectZone(zone.objectId, change as Partial<Zone>),
      expectUndo: () => expectZone(zone.objectId, before as Partial<Zone>),
      refused,
    });
  }
  function addZone(polygon: readonly Point[], name: string, added: (id: string) => void) {
    let id = '';
    commit({
      label: t('{name} added', { name }),
      run: async () => {
        const body = {
          floorId: pointer('Floor', floor.objectId),
          name,
          kind: 'room',
          polygon: [...polygon],
        } as const;
        id = (await data.zones.create(body)).objectId;
        added(id);
      },
      undo: () => data.zones.delete(id),
    });
  }
  /** Another zone of the same form, a metre beside it, so that both are seen. */
  function copyZone({ name, kind, polygon, capacity }: Zone, added: (id: string) => void) {
    let id = '';
    const copied = copyName(name);
    commit({
      label: t('{name} added', { name: copied }),
      run: async () => {
        const beside = polygon.map(({ x, y }) => ({ x: x + 1, y: y + 1 }));
        const body = { floorId: pointer('Floor', floor.objectId), name: copied, kind, polygon: beside };
        id = (await data.zones.create({ ...body, ...(capacity ? { capacity } : {}) })).objectId;
        added(id);
      },
      undo: () => data.zones.delete(id),
    });
  }
  function removeZone({ objectId, name }: Zone) {
    commit({
      label: t('{name} deleted', { name }),
      run: () => data.zones.delete(objectId),
      // The same zone: what was counted of it and the goals of messages name it.
      undo: async () => putBack?.(objectId),
    });
  }
  return { changeZone, addZone, copyZone, removeZone };
}

function wallSteps(
  appId: string,
  latestFloor: () => Floor,
  commit: (step: Step) => void,
  expectWalls: (walls: readonly Wall[]) => void,
) {
  const step = (
    label: string,
    change: WallChange,
    back: WallChange,
    more: Pick<Step, 'isRepeatable' | 'refused'> = {},
  ) => {
    const { objectId, walls = [] } = latestFloor();
    commit({
      ...more,
      label,
      run: () => changeWalls(appId, objectId, change),
      undo: () => changeWalls(appId, objectId, back),
      expect: () => expectWalls(change(walls)),
      expectUndo: () => expectWalls(walls),
    });
  };
  return {
    addWall: (points: readonly Point[]) => {
      const name = t('Wall {number}', { number: (latestFloor().walls ?? []).length + 1 });
      step(t('{name} added', { name }), withWall({ points }), withoutWall({ points }));
    },
    changeWall: (shown: DrawnWall, points: readonly Point[], refused?: () => void) => {
      const wall = wallsOf(latestFloor()).find(({ id }) => id === shown.id) ?? shown;
      const label = t('{name} changed', { name: wall.name });
      step(label, withOther(wall, points), withOther({ points }, wall.points), { isRepeatable: true, refused });
    },
    removeWall: (wall: DrawnWall) => step(t('{name} deleted', { name: wall.name }), withoutWall(wall), withWall(wall)),
  };
}

function gatewaySteps(
  appId: string,
  { objectId, gateways = [] }: Floor,
  commit: (step: Step) => void,
  expectGateways: (change: GatewayChange) => void,
) {
  const step = (label: string, change: GatewayChange, back: GatewayChange, isRepeatable?: true) =>
    commit({
      label,
      ...(isRepeatable && { isRepeatable }),
      run: () => changeGateways(appId, objectId, change),
      undo: () => changeGateways(appId, objectId, back),
      expect: () => expectGateways(change),
      expectUndo: () => expectGateways(() => gateways),
    });
  return {
    /** Answers its name. */
    addGateway: ({ x, y }: Point): string => {
      const name = freeName(gateways);
      step(t('{name} added', { name }), withGateway({ name, x, y }), withoutGateway(name));
      return name;
    },
    changeGateway: ({ name, x, y, keyId }: DrawnGateway, change: GatewayEdit) =>
      step(
        t('{name} changed', { name }),
        withChanged(name, change),
        withChanged(change.name ?? name, { name, x, y, keyId }),
        true,
      ),
    removeGateway: (gateway: DrawnGateway) =>
      step(t('{name} deleted', { name: gateway.name }), withoutGateway(gateway.name), withGateway(gateway)),
  };
}
