import { NativeSelect, Skeleton } from '@mantine/core';
import type { Floor } from '@pharos/sdk';
import type { ReactNode } from 'react';
import { EmptyState, LinkButton } from '../../../components/page/blocks.tsx';
import { t } from '../../../lib/words/words.ts';
import classes from '../analytics.module.css';
import type { SiteOf } from '../site.ts';

/** The floor on which everybody comes in, where none is chosen. */
export const usualFloor = ({ floors }: SiteOf): Floor | undefined =>
  floors.find(({ level }) => level === 0) ?? floors[0];

interface FrameProps {
  readonly appId: string;
  /** Undefined until it is known. */
  readonly site: SiteOf | undefined;
  readonly floor: Floor | undefined;
  /** Where there is no floor. */
  readonly empty: { readonly title: string; readonly text: string };
  readonly children: (site: SiteOf, floor: Floor) => ReactNode;
}

/** What is shown of a floor, or how to get one. */
export function FloorFrame({ appId, site, floor, empty, children }: FrameProps) {
  if (!site) return <Skeleton h={420} />;
  if (floor) return children(site, floor);
  return (
    <EmptyState
      icon="map"
      {...empty}
      action={
        <LinkButton icon="map" to="/apps/$appId/beacons/venues" params={{ appId }}>
          {t('To the venues')}
        </LinkButton>
      }
    />
  );
}

interface ChoiceProps {
  readonly site: SiteOf;
  readonly floor: Floor;
  readonly onChange: (floorId: string) => void;
}

export function FloorChoice({ site: { venues, floors }, floor, onChange }: ChoiceProps) {
  const groups = venues.map(({ objectId, name }) => ({
    group: name,
    items: floors
      .filter(({ venueId }) => venueId.objectId === objectId)
      .map((one) => ({ value: one.objectId, label: one.name })),
  }));
  return (
    <NativeSelect
      className={classes.picker}
      aria-label={t('Floor')}
      data={groups}
      value={floor.objectId}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
