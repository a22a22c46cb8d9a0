import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react';
import { type Point, roundPoint } from '../../lib/plan/floor-geometry.ts';
import classes from './plan-drawing.module.css';
import { metresAt } from './use-view.ts';

interface HandleProps {
  /** Of what is chosen with it. */
  readonly id: string;
  readonly at: Point;
  readonly label: string;
  /** Metres of a pixel on the screen. */
  readonly px: number;
  readonly isLink?: boolean;
  readonly snap?: (to: Point) => Point;
  /** Absent: it stays where it is. */
  readonly onMove?: ((to: Point) => void) | undefined;
  /** On the way, and undefined at its end. */
  readonly onDrag?: (to: Point | undefined) => void;
  readonly onRemove?: () => void;
  /** Around 0, 0, in pixels. */
  readonly children: ReactNode;
}

/** Pixels: a click of an unsteady hand moves nothing. */
const slack = 3;

const steps: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

/** What can be chosen on a plan, and what the mouse, a finger or the arrow keys move there. */
export function Handle(props: HandleProps) {
  const { id, at, label, px, isLink = false, snap = roundPoint, onMove, onDrag, onRemove, children } = props;
  const [dragged, setDragged] = useState<Point>();
  /** From the finger to the middle, while it is held. */
  const grip = useRef<Point>(undefined);
  /** A key that is held down comes again before the plan is drawn anew. */
  const now = useRef(at);
  now.current = at;
  const drag = (to: Point | undefined) => {
    setDragged(to);
    onDrag?.(to);
  };
  const svgOf = (event: PointerEvent<SVGGElement>) => event.currentTarget.ownerSVGElement as SVGSVGElement;
  const press = (event: PointerEvent<SVGGElement>) => {
    if (!onMove || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const from = metresAt(svgOf(event), event);
    grip.current = { x: at.x - from.x, y: at.y - from.y };
  };
  const move = (event: PointerEvent<SVGGElement>) => {
    if (!grip.current) return;
    const { x, y } = metresAt(svgOf(event), event);
    const to = { x: x + grip.current.x, y: y + grip.current.y };
    if (dragged || Math.hypot(to.x - at.x, to.y - at.y) > slack * px) drag(to);
  };
  const release = () => {
    grip.current = undefined;
    if (!dragged) return;
    drag(undefined);
    onMove?.(roundPoint(snap(dragged)));
  };
  const pressKey = (event: KeyboardEvent<SVGGElement>) => {
    const { key, shiftKey } = event;
    const step = steps[key];
    if (key === 'Enter' || key === ' ') {
      event.preventDefault();
      event.currentTarget.dispatchEvent(new MouseEvent('click', { bubbles: true }));
    }
    if (key === 'Delete' || key === 'Backspace') onRemove?.();
    if (!step || !onMove) return;
    event.preventDefault();
    const far = shiftKey ? 1 : 0.1;
    now.current = roundPoint({ x: now.current.x + step.x * far, y: now.current.y + step.y * far });
    onMove(now.current);
  };
  const { x, y } = dragged ?? at;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it is a button or a link
    <g
      data-id={id}
      data-movable={onMove !== undefined}
      className={classes.handle}
      transform={`translate(${x} ${y}) scale(${px})`}
      role={isLink ? 'link' : 'button'}
      tabIndex={0}
      aria-label={label}
      onPointerDown={press}
      onPointerMove={move}
      onPointerUp={release}
      onPointerCancel={() => {
        grip.current = undefined;
        drag(undefined);
      }}
      onKeyDown={pressKey}
    >
      {/* As large as a finger. */}
      <circle r={14} fill="transparent" />
      {children}
    </g>
  );
}
