import { ActionIcon } from '@mantine/core';
import { useElementSize, useMediaQuery, useMergedRef } from '@mantine/hooks';
import type { Floor } from '@pharos/sdk';
import { type ReactNode, type Ref, useRef } from 'react';
import type { PlanFrame, Point } from '../../lib/plan/floor-geometry.ts';
import { frameAround } from '../../lib/plan/plan-frame.ts';
import { t } from '../../lib/words/words.ts';
import { Icon } from '../page/blocks.tsx';
import classes from './plan-drawing.module.css';
import { type DrawnZone, Walls, ZoneLabel, ZoneShapes } from './plan-shapes.tsx';
import { metresAt, useView } from './use-view.ts';

interface Props {
  readonly label: string;
  readonly plan: { readonly url: string; readonly frame: PlanFrame } | undefined;
  readonly zones: readonly DrawnZone[];
  readonly walls?: Floor['walls'];
  /** What else has to be seen. */
  readonly around?: readonly Point[];
  /** Metres around everything, where there is no picture. */
  readonly margin?: number;
  readonly selected?: string | undefined;
  readonly drawing?: Ref<SVGSVGElement>;
  /** Somebody is to say where something is. */
  readonly isPointing?: boolean;
  /** Somebody clicks or taps a place, in metres, or something with an id. */
  readonly onTap?: (at: Point, id: string | undefined, px: number) => void;
  /** Below the names of zones; `px` is the metres of a pixel on the screen. */
  readonly children?: (px: number, frame: PlanFrame) => ReactNode;
}

/** On a phone, names and arrows could not be read on a plan as wide as the screen: what is only read is pushed sideways. Pixels. */
const narrowest = 704;
const maxHeight = 640;
const none: readonly never[] = [];

/** The plan of a floor with what is drawn on it. Metres are its units, x to the right and y downwards. */
export function PlanDrawing(props: Props) {
  const {
    label,
    plan,
    zones,
    walls = none,
    around = none,
    margin,
    selected,
    drawing,
    isPointing,
    onTap,
    children,
  } = props;
  const { ref, width: measured } = useElementSize<HTMLDivElement>();
  const isNarrow = useMediaQuery('(max-width: 48rem)', false, { getInitialValueInEffect: false });
  const svg = useRef<SVGSVGElement>(null);
  const corners = [...zones.flatMap(({ polygon }) => polygon), ...walls.flatMap(({ points }) => points)];
  const frame = frameAround(plan?.frame, [...corners, ...around], margin);
  const { left, top, width, height } = frame;
  const room = Math.max(measured, 280);
  const isPushed = isNarrow && !onTap;
  const across = isPushed ? Math.max(measured, narrowest) : Math.min(room, (maxHeight * width) / height);
  const tap = (event: MouseEvent) => {
    if (!svg.current) return;
    const id = (event.target as Element).closest<SVGElement>('[data-id]')?.dataset['id'];
    onTap?.(metresAt(svg.current, event), id, px);
  };
  const { box, zoom, zoomIn, zoomOut } = useView(measured > 0 ? measured / across : 1, onTap && tap);
  const boxRef = useMergedRef(ref, box);
  const svgRef = useMergedRef(svg, drawing);
  // Metres of a pixel on the screen, so that texts and lines keep their size.
  const px = width / (zoom * across);
  const isScrolled = zoom > 1 || isPushed;
  return (
    <div className={classes.sheet} data-pointing={isPointing}>
      {/* Scrolled with the keyboard, too; its height stays what it was. */}
      <section
        ref={boxRef}
        className={classes.box}
        aria-label={t('{label}: the part that is shown', { label })}
        {...(isScrolled ? { tabIndex: 0 } : {})}
        style={isScrolled ? { maxHeight: `${Math.min(maxHeight, (across * height) / width)}px` } : {}}
      >
        <svg
          ref={svgRef}
          // As wide as `across`, also before it is measured.
          style={{
            width: `calc(${zoom} * ${isPushed ? `max(100%, ${narrowest}px)` : `min(100%, ${(maxHeight * width) / height}px)`})`,
          }}
          viewBox={`${left} ${top} ${width} ${height}`}
          role={onTap ? 'group' : 'img'}
          aria-label={label}
          xmlns="http://www.w3.org/2000/svg"
        >
          <title>{label}</title>
          {plan && (
            <image
              href={plan.url}
              x={plan.frame.left}
              y={plan.frame.top}
              width={plan.frame.width}
              height={plan.frame.height}
              preserveAspectRatio="none"
            />
          )}
          <ZoneShapes zones={zones} selected={selected} px={px} />
          <Walls walls={walls} selected={selected} px={px} />
          {children?.(px, frame)}
          {zones.map((zone) => (
            <ZoneLabel key={zone.id} zone={zone} px={px} />
          ))}
        </svg>
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
