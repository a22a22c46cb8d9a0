import { Group, Text } from '@mantine/core';
import type { Floor } from '@pharos/sdk';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { FailureNote } from '../../../components/page/blocks.tsx';
import { PlanDrawing } from '../../../components/plan/plan-drawing.tsx';
import { middleOf } from '../../../lib/plan/plan-frame.ts';
import { t } from '../../../lib/words/words.ts';
import { type Period, periodText } from '../period.ts';
import { NumberTable } from '../plot/number-table.tsx';
import { type Flow, flowsQuery, type WayPlace } from '../queries.ts';
import { type SiteOf, useWayNames } from '../site.ts';
import { comparedColumn, comparedCsv } from '../ways/compared.ts';
import { endOf } from '../ways/flow-csv.ts';
import { countText, plotted } from '../words.ts';
import { useFloorPlan } from './floor.ts';
import { Arrows } from './heat.tsx';
import { PlanDownloads } from './plan-downloads.tsx';

interface Props {
  readonly appId: string;
  readonly floor: Floor;
  readonly site: SiteOf;
  readonly period: Period;
  readonly compared: Period | undefined;
}

/** More arrows could not be told apart. */
const maxArrows = 25;
/** All are in the file. */
const maxRows = 40;

/** Ways between the zones of a floor as arrows, and how many came in and left in each. */
export function WaysPlan({ appId, floor, site, period, compared }: Props) {
  const { from, until } = period;
  const { plan, zones, beacons } = useFloorPlan(appId, floor, site);
  const { data, error } = useQuery(flowsQuery(appId, { from, until, floorId: floor.objectId }));
  const other = compared ?? period;
  const past = useQuery(
    flowsQuery(appId, { from: other.from, until: other.until, floorId: floor.objectId }, compared !== undefined),
  );
  const before = compared && { period: compared, flows: past.data };
  const column = comparedColumn(before);
  const drawing = useRef<SVGSVGElement>(null);
  const moves = data?.moves ?? [];
  const nameOf = useWayNames(
    appId,
    site,
    [...moves, ...(before?.flows?.moves ?? [])].flatMap((move) => [move.from, move.to]),
  );
  const places = new Map([
    ...zones.map(({ objectId, polygon }) => [objectId, middleOf(polygon)] as const),
    ...beacons.flatMap(({ objectId, location }) => (location ? [[objectId, location] as const] : [])),
  ]);
  const at = (place: WayPlace | null) => places.get(place?.zoneId ?? place?.beaconId ?? '');
  const size = ({ tours }: Flow) => plotted(tours) ?? 0;
  const inside = moves.filter((move) => at(move.from) && at(move.to)).slice(0, maxArrows);
  const most = Math.max(1, ...inside.map(size));
  const ends = (zoneId: string, end: 'from' | 'to') =>
    moves.find((move) => move[end] === null && (end === 'from' ? move.to : move.from)?.zoneId === zoneId);
  const elsewhere = moves.filter((move) => move.from && move.to && Boolean(at(move.from)) !== Boolean(at(move.to)));
  const arrows = inside.map((move) => ({
    id: `${JSON.stringify(move.from)}${JSON.stringify(move.to)}`,
    from: at(move.from) ?? { x: 0, y: 0 },
    to: at(move.to) ?? { x: 0, y: 0 },
    said: `${nameOf(move.from ?? {})} → ${nameOf(move.to ?? {})}: ${countText(move.tours)}`,
    strength: size(move) / most,
  }));
  return (
    <>
      <FailureNote message={error?.message} />
      <PlanDrawing
        drawing={drawing}
        label={t('Ways on {name} in {period}', { name: floor.name, period: periodText(period) })}
        plan={plan}
        walls={floor.walls}
        zones={zones.map(({ objectId, name, polygon }) => {
          const [came, left] = [ends(objectId, 'from'), ends(objectId, 'to')];
          const said = [
            came && t('in {count}', { count: countText(came.tours) }),
            left && t('out {count}', { count: countText(left.tours) }),
          ];
          return { id: objectId, name, polygon, said: said.filter(Boolean).join(', '), strength: 0 };
        })}
      >
        {(px) => <Arrows arrows={arrows} px={px} />}
      </PlanDrawing>
      <Group justify="space-between" mb="md">
        <Text c="dimmed" maw="42rem">
          {t(
            '{count, plural, =0 {No ways between zones} one {The commonest way} other {The # commonest ways}} on this floor; “in” and “out” are where tours began and ended.{hasOthers, select, true { To and from other floors: {list}.} other {}}{hasData, select, true { In this period there were none to show.} other {}}',
            {
              count: inside.length,
              list: elsewhere
                .slice(0, 4)
                .map((move) => `${nameOf(move.from ?? {})} → ${nameOf(move.to ?? {})} (${countText(move.tours)})`)
                .join(', '),
              hasOthers: elsewhere.length > 0,
              hasData: Boolean(data && moves.length === 0),
            },
          )}
        </Text>
        <PlanDownloads
          drawing={drawing}
          fileName={`ways-plan-${from}`}
          csv={{ fileName: `ways-${from}`, rows: comparedCsv({ period, flows: moves, before }, nameOf) }}
        />
      </Group>
      {moves.length > 0 && (
        <NumberTable
          label={t('Ways of the floor')}
          table={{
            header: [t('Way'), t('Tours'), t('Visitors'), ...column.header],
            rows: moves
              .slice(0, maxRows)
              .map((move) => [
                `${endOf(move.from, nameOf, t('In'))} → ${endOf(move.to, nameOf, t('Out'))}`,
                countText(move.tours),
                countText(move.visitors),
                ...column.cells(move),
              ]),
          }}
        />
      )}
    </>
  );
}
