import { ActionIcon } from '@mantine/core';
import { useElementSize, useMediaQuery, useMergedRef } from '@mantine/hooks';
import type { Floor } from '@pharos/sdk';
import { type ReactNode, type Ref, useLayoutEffect, useRef, useState } from 'react';
import { Icon } from '../../../components/page/blocks.tsx';
import type { PlanFrame } from '../../../lib/plan/floor-geometry.ts';
import { t } from '../../../lib/words/words.ts';
import { Dot, Reach, Receiver } from './dot.tsx';
import classes from './plan.module.css';
import { frameAround } from './plan-frame.ts';
import {
  Arrows,
  type DrawnArrow,
  type DrawnSpot,
  type DrawnVisitor,
  type DrawnZone,
  Heat,
  Patterns,
  Walls,
  ZoneLabel,
  ZoneShapes,
} from './plan-shapes.tsx';

/** How many times as large a plan may be drawn. */
const steps = [1, 1.5, 2, 3, 4, 6, 8] as const;

/**
 * How large a plan is drawn in a box that scrolls; what is in the middle stays there.
 *
 * @param whole at which size all of it is seen, where that is smaller than it is drawn at first
 */
function useZoom(whole = 1) {
  const box = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState<number>(1);
  const before = useRef(zoom);
  useLayoutEffect(() => {
    const { current } = box;
    const ratio = zoom / before.current;
    before.current = zoom;
    if (!current || ratio === 1) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = current;
    current.scrollTo({
      left: (scrollLeft + clientWidth / 2) * ratio - clientWidth / 2,
      top: (scrollTop + clientHeight / 2) * ratio - clientHeight / 2,
      behavior: 'instant',
    });
  }, [zoom]);
  const sizes = whole < 1 ? [whole, ...steps] : steps;
  const nearer = sizes.find((step) => step > zoom);
  const farther = sizes.findLast((step) => step < zoom);
  return {
    box,
    zoom,
    zoomIn: nearer === undefined ? undefined : () => setZoom(nearer),
    zoomOut: farther === undefined ? undefined : () => setZoom(farther),
  };
}

/** The plan of a floor with what is drawn on it. Metres are its units, x to the right and y downwards. */

interface Props {
  readonly label: string;
  readonly plan: { readonly url: string; readonly frame: PlanFrame } | undefined;
  readonly zones: readonly DrawnZone[];
  readonly walls?: Floor['walls'];
  /** Receivers, shown so that missing visitors can be explained. */
  readonly gateways?: Floor['gateways'];
  readonly spots?: readonly DrawnSpot[];
  readonly arrows?: readonly DrawnArrow[];
  readonly visitors?: readonly DrawnVisitor[];
  readonly drawing?: Ref<SVGSVGElement>;
  /** False: spots only say how large a floor without a picture is. */
  readonly hasHeat?: boolean;
  /** On top of everything; `px` is the metres of a pixel on the screen. */
  readonly over?: (px: number, frame: PlanFrame) => ReactNode;
}

/** On a phone, names and arrows could not be read on a plan as wide as the screen: it is pushed sideways. Pixels. */
const narrowest = 704;

export function PlanDrawing(props: Props) {
  const {
    label,
    plan,
    zones,
    walls = [],
    gateways = [],
    spots = [],
    arrows = [],
    visitors = [],
    drawing,
    hasHeat = true,
    over,
  } = props;
  const { ref, width: measured } = useElementSize<HTMLDivElement>();
  const isNarrow = useMediaQuery('(max-width: 48rem)', false, { getInitialValueInEffect: false });
  const { box, zoom, zoomIn, zoomOut } = useZoom(isNarrow && measured > 0 ? measured / narrowest : 1);
  const boxRef = useMergedRef(ref, box);
  const { left, top, width, height } =
    plan?.frame ?? frameAround(zones, walls, [...spots.map((spot) => spot.at), ...gateways]);
  // Metres of a pixel on the screen, so that texts and lines keep their size.
  const across = Math.max(measured, isNarrow ? narrowest : 280);
  const px = width / (zoom * across);
  const isScrolled = zoom > 1 || isNarrow;
  const svg = (
    <svg
      ref={drawing}
      style={isScrolled ? { width: `${zoom * across}px` } : {}}
      viewBox={`${left} ${top} ${width} ${height}`}
      role="img"
      aria-label={label}
      xmlns="http://www.w3.org/2000/svg"
    >
      <title>{label}</title>
      <Patterns />
      {plan && <image href={plan.url} x={left} y={top} width={width} height={height} preserveAspectRatio="none" />}
      <ZoneShapes zones={zones} px={px} />
      <Walls walls={walls} px={px} />
      {gateways.map((gateway) => (
        <Receiver key={gateway.name} {...gateway} px={px} />
      ))}
      {hasHeat && <Heat spots={spots} />}
      <Arrows arrows={arrows} px={px} />
      {visitors.map(({ id, at, accuracy }) => (
        <g key={id}>
          <Reach at={at} accuracy={accuracy} />
          <Dot at={at} px={px} mark={{ 'data-visitor': id }} />
        </g>
      ))}
      {zones.map((zone) => (
        <ZoneLabel key={zone.id} zone={zone} px={px} />
      ))}
      {over?.(px, { left, top, width, height })}
    </svg>
  );
  return (
    <div className={classes.sheet}>
      {/* Scrolled with the keyboard, too; its height stays what it was. */}
      <section
        ref={boxRef}
        className={classes.box}
        aria-label={t('{label}: the part that is shown', { label })}
        {...(isScrolled ? { tabIndex: 0 } : {})}
        style={zoom > 1 ? { maxHeight: `${(across * height) / width}px` } : {}}
      >
        {svg}
      </section>
      <div className={classes.zoom}>
        <ZoomButton label={t('Zoom in')} icon="plus" onClick={zoomIn} />
        <ZoomButton label={t('Zoom out')} icon="minus" onClick={zoomOut} />
      </div>
    </div>
  );
}

interface ZoomProps {
  readonly label: string;
  readonly icon: 'plus' | 'minus';
  /** Absent: it cannot be larger, or smaller. */
  readonly onClick: (() => void) | undefined;
}

function ZoomButton({ label, icon, onClick }: ZoomProps) {
  return (
    <ActionIcon variant="default" aria-label={label} disabled={!onClick} onClick={onClick}>
      <Icon name={icon} size={16} />
    </ActionIcon>
  );
}
