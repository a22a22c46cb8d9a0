import { Group, Text } from '@mantine/core';
import type { Floor } from '@pharos/sdk';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { FailureNote } from '../../../components/page/blocks.tsx';
import { PlanDrawing } from '../../../components/plan/plan-drawing.tsx';
import { t } from '../../../lib/words/words.ts';
import { heatAsked } from '../asked.ts';
import { comparedText } from '../head.tsx';
import { csvOf, metricColumns } from '../number-cells.ts';
import { type Period, periodText } from '../period.ts';
import { csvOfPeriods } from '../plot/csv.ts';
import { NumberTable } from '../plot/number-table.tsx';
import type { NumberRow } from '../queries.ts';
import type { SiteOf } from '../site.ts';
import { countText, hoursText, plotted } from '../words.ts';
import { useFloorPlan } from './floor.ts';
import { Heat } from './heat.tsx';
import { PlanDownloads } from './plan-downloads.tsx';

interface Props {
  readonly appId: string;
  readonly floor: Floor;
  readonly site: SiteOf;
  readonly period: Period;
  /** The period that the table compares with. */
  readonly compared: Period | undefined;
  readonly of: 'time' | 'visits';
}

/** Where visitors were in a period: the zones by their colour, and the beacons by spots of heat. */
export function HeatPlan({ appId, floor, site, period, compared, of }: Props) {
  const { from } = period;
  const { plan, zones, beacons } = useFloorPlan(appId, floor, site);
  const byZone = useQuery({
    ...heatAsked({ appId, period }, floor.objectId, 'zone'),
    placeholderData: keepPreviousData,
  });
  const byBeacon = useQuery({
    ...heatAsked({ appId, period }, floor.objectId, 'beacon'),
    placeholderData: keepPreviousData,
  });
  const past = useQuery({
    ...heatAsked({ appId, period: compared ?? period }, floor.objectId, 'zone'),
    enabled: compared !== undefined,
  });
  const drawing = useRef<SVGSVGElement>(null);
  const sizeOf = (row: NumberRow | undefined) => (of === 'time' ? (row?.dwellTotal ?? 0) : (plotted(row?.visits) ?? 0));
  const said = (row: NumberRow | undefined) => {
    // Before the answer is there nobody knows that nobody was there.
    if (!byZone.data) return '–';
    if (!row) return of === 'time' ? hoursText(0) : '0';
    // About a small group nothing is shown except that it is one.
    if (row.visitors === '1-4') return t('1–4 visitors');
    return of === 'time' ? hoursText(row.dwellTotal) : countText(row.visits);
  };
  const zoneRows = new Map(byZone.data?.rows.map((row) => [row.zoneId, row]));
  const beaconRows = new Map(byBeacon.data?.rows.map((row) => [row.beaconId, row]));
  const most = Math.max(1, ...zones.map(({ objectId }) => sizeOf(zoneRows.get(objectId))));
  const maxAtBeacon = Math.max(1, ...beacons.map(({ objectId }) => sizeOf(beaconRows.get(objectId))));
  const title = of === 'time' ? t('Time that visitors spent') : t('Visits');
  const label = t('{title} on {name} in {period}', { title, name: floor.name, period: periodText(period) });
  const rows = zones
    .flatMap(({ objectId, name }) => {
      const row = zoneRows.get(objectId);
      return row ? [{ name, row }] : [];
    })
    .sort((a, b) => sizeOf(b.row) - sizeOf(a.row));
  const pastRows = new Map(past.data?.rows.map((row) => [row.zoneId, row]));
  const was = ({ zoneId }: NumberRow) => (compared ? [past.data ? said(pastRows.get(zoneId)) : '–'] : []);
  const { header, cells } = metricColumns('zone');
  const table = {
    header: [t('Zone'), t('Time spent'), ...header, ...(compared ? [comparedText(compared)] : [])],
    rows: rows.map(({ name, row }) => [name, hoursText(row.dwellTotal), ...cells(row), ...was(row)]),
  };
  const names = new Map(zones.map(({ objectId, name }) => [objectId, name]));
  const csv = (of: readonly NumberRow[]) =>
    csvOf(of, { kind: 'zone', places: ['zoneId'], name: ['zone', ({ zoneId = '' }) => names.get(zoneId) ?? zoneId] });
  const spots = beacons.flatMap(({ objectId, name, location }) => {
    const size = sizeOf(beaconRows.get(objectId));
    if (!location || size === 0) return [];
    const text = `${name}: ${said(beaconRows.get(objectId))}`;
    return [{ id: objectId, at: location, said: text, strength: size / maxAtBeacon }];
  });
  return (
    <>
      <FailureNote message={(byZone.error ?? byBeacon.error)?.message} />
      <PlanDrawing
        drawing={drawing}
        label={label}
        plan={plan}
        walls={floor.walls}
        zones={zones.map(({ objectId, name, polygon }) => ({
          id: objectId,
          name,
          polygon,
          said: said(zoneRows.get(objectId)),
          strength: sizeOf(zoneRows.get(objectId)) / most,
        }))}
      >
        {() => <Heat spots={spots} />}
      </PlanDrawing>
      <Group justify="space-between" mb="md">
        <Text c="dimmed" maw="42rem">
          {t(
            'The darker a zone and the hotter a spot around a beacon, the more {isTime, select, true {time} other {visits}}. A visit counts in the zone in which its beacon was at the time.',
            { isTime: of === 'time' },
          )}
        </Text>
        <PlanDownloads
          drawing={drawing}
          fileName={`plan-${from}`}
          csv={{
            fileName: `zones-${from}`,
            rows: csvOfPeriods(
              { period, rows: csv(byZone.data?.rows ?? []) },
              compared && { period: compared, rows: past.data && csv(past.data.rows) },
            ),
          }}
        />
      </Group>
      {byZone.data && <NumberTable label={t('Zones of the floor')} table={table} />}
    </>
  );
}
