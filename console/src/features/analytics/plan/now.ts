import { type Beacon, type LiveStream, openLiveStream, operations } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { Listed } from '../../../lib/data/api.ts';
import { dataKey, dataOf } from '../../../lib/data/api.ts';
import type { Count } from '../queries.ts';
import { plotted } from '../words.ts';

/** Where visitors are now, from the live stream. */

export type SensedPosition = Listed<'listPositions'>;

/** A visitor not heard for longer is not here. */
export const presentMs = 60_000;
const maxVisitors = 1_000;
const ignore = () => undefined;
/** How often the page is redrawn, however many events arrive. */
const drawEveryMs = 200;
/** So often the list is asked where there is no stream. */
const askEveryMs = 5_000;

/**
 * The newest position of each installation heard in the last minute, and whether the stream is connected. A hidden page does not
 * listen.
 */
export function useNow(appId: string, isWanted: boolean) {
  const known = useRef(new Map<string, SensedPosition>());
  const [positions, setPositions] = useState<readonly SensedPosition[]>([]);
  const [isLive, setLive] = useState(false);
  useEffect(() => {
    if (!isWanted) return;
    known.current.clear();
    let stream: LiveStream | undefined;
    let isRefused = false;
    let hasChanged = true;
    const note = (position: SensedPosition) => {
      const before = known.current.get(position.objectId);
      if (before && before.occurredAt > position.occurredAt) return;
      known.current.set(position.objectId, position);
      hasChanged = true;
    };
    async function readAll() {
      const where = { occurredAt: { $gte: new Date(Date.now() - presentMs).toISOString() } };
      const query = { where, order: '-occurredAt', limit: maxVisitors };
      const { results } = await dataOf(appId).call(operations.listPositions, { query });
      for (const position of results) note(position);
    }
    function open() {
      stream?.close();
      stream = undefined;
      isRefused = false;
      if (document.visibilityState !== 'visible') return;
      stream = openLiveStream(dataOf(appId), {
        kinds: ['position.changed'],
        onState: (state) => {
          setLive(state === 'open');
          // The stream continues; the positions from before it are read again after the next event.
          if (state === 'open') readAll().catch(ignore);
        },
        onLost: () => void readAll().catch(ignore),
        onRefused: () => {
          isRefused = true;
        },
        onEvent: ({ data }) => note(data as unknown as SensedPosition),
      });
    }
    const draw = setInterval(() => {
      const since = new Date(Date.now() - presentMs).toISOString();
      for (const [id, { occurredAt }] of known.current)
        if (occurredAt < since) {
          known.current.delete(id);
          hasChanged = true;
        }
      if (hasChanged) setPositions([...known.current.values()]);
      hasChanged = false;
    }, drawEveryMs);
    // Administrators limited to some venues have no stream, since it covers all.
    const ask = setInterval(() => {
      if (!isRefused) return;
      readAll().then(
        () => setLive(true),
        () => setLive(false),
      );
    }, askEveryMs);
    document.addEventListener('visibilitychange', open);
    open();
    return () => {
      clearInterval(draw);
      clearInterval(ask);
      document.removeEventListener('visibilitychange', open);
      stream?.close();
    };
  }, [appId, isWanted]);
  return { positions, isLive };
}

export type Occupied = Listed<'listOccupancy'>;

const countedEveryMs = 10_000;

/** The zones and venues that have a limit, as the service counts them, by the id of the zone or venue. */
export function useLimits(appId: string, isWanted: boolean): ReadonlyMap<string, Occupied> {
  const { data } = useQuery({
    queryKey: dataKey(appId, 'listOccupancy'),
    enabled: isWanted,
    refetchInterval: countedEveryMs,
    queryFn: () => dataOf(appId).analytics.occupancy(),
  });
  return new Map(data?.map((one) => [(one.zoneId ?? one.venueId).objectId, one]));
}

export interface Stay {
  readonly beaconId: string;
  readonly installationId: string;
  /** Epoch ms. */
  readonly from: number;
  readonly until: number;
}

export const backMs = 2 * 3_600_000;
const pageSize = 1_000;
const maxPages = 10;

/** The visits of the last two hours, read again every half minute: whoever came and when they left. */
export function useStays(appId: string, isWanted: boolean) {
  return useQuery({
    queryKey: dataKey(appId, 'listVisits', 'two hours'),
    enabled: isWanted,
    refetchInterval: 30_000,
    queryFn: async (): Promise<readonly Stay[]> => {
      const now = Date.now();
      // One that is longer than four hours and has not ended is a beacon beside somebody's desk.
      const since = new Date(now - 2 * backMs).toISOString();
      const stays: Stay[] = [];
      for (let page = 0, last = ''; page < maxPages; page++) {
        const behind = last === '' ? {} : { objectId: { $lt: last } };
        const { results } = await dataOf(appId).call(operations.listVisits, {
          query: { where: { enteredAt: { $gte: since }, ...behind }, order: '-objectId', limit: pageSize },
        });
        for (const visit of results) {
          const from = Date.parse(visit.enteredAt);
          const until = visit.isOpen ? Number.POSITIVE_INFINITY : from + (visit.dwell ?? 0) * 1000;
          if (until >= now - backMs)
            stays.push({
              beaconId: visit.beaconId.objectId,
              installationId: visit.installationId.objectId,
              from,
              until,
            });
        }
        if (results.length < pageSize) break;
        last = results.at(-1)?.objectId ?? '';
      }
      return stays;
    },
  });
}

/** How many are in each zone: by where they are now, or by their visits at a time (ms). */
export function countByZone(
  beacons: readonly Beacon[],
  here: readonly { readonly beaconId: string; readonly installationId: string }[],
): ReadonlyMap<string, number> {
  const zoneOf = new Map(beacons.map(({ objectId, zoneId }) => [objectId, zoneId?.objectId]));
  const sets = new Map<string, Set<string>>();
  for (const { beaconId, installationId } of here) {
    const zone = zoneOf.get(beaconId);
    if (zone !== undefined) sets.set(zone, (sets.get(zone) ?? new Set()).add(installationId));
  }
  return new Map([...sets].map(([zone, { size }]) => [zone, size]));
}

export const fewest = 5;

/** A count as it is told where small groups are protected: in fives, and 1 to 4 as one group. */
const inFives = (count: number): Count => (count > 0 && count < fewest ? '1-4' : Math.round(count / fewest) * fewest);

/**
 * How many are told of each zone, and of all of them. Where small groups are protected, everything that is shown follows from what is told of the
 * zones: from an exact total the large zones could be subtracted.
 */
export function shownCounts(counts: ReadonlyMap<string, number>, zoneIds: readonly string[], isProtected: boolean) {
  const shown = (count: number): Count => (isProtected ? inFives(Math.round(count)) : count);
  const byZone = new Map(zoneIds.map((id) => [id, shown(counts.get(id) ?? 0)]));
  return { byZone, total: shown([...byZone.values()].reduce<number>((sum, count) => sum + (plotted(count) ?? 0), 0)) };
}
