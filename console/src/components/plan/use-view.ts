import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { type Point, roundPoint } from '../../lib/plan/floor-geometry.ts';

/** How many times as large a plan may be drawn. */
const largest = 8;
/** Of a press of a button. */
const step = 1.5;
/** Pixels; who moves farther does not tap. */
const slack = 4;

type Tap = (event: MouseEvent) => void;

/**
 * How large a plan is drawn in a box that scrolls, and which part of it is seen: by buttons, with two fingers, with Ctrl and the wheel, and
 * pushed with the mouse.
 *
 * @param whole at which size all of it is seen, where that is smaller than it is drawn at first
 */
export function useView(whole: number, onTap: Tap | undefined) {
  const box = useRef<HTMLDivElement>(null);
  const [wanted, setZoom] = useState(1);
  const smallest = Math.min(1, whole);
  const zoom = Math.max(smallest, wanted);
  const before = useRef(zoom);
  /** What stays where it is, in pixels of the box; else its middle. */
  const held = useRef<Point>(undefined);
  useLayoutEffect(() => {
    const { current } = box;
    const ratio = zoom / before.current;
    before.current = zoom;
    if (!current || ratio === 1) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = current;
    const { x, y } = held.current ?? { x: clientWidth / 2, y: clientHeight / 2 };
    held.current = undefined;
    current.scrollTo({ left: (scrollLeft + x) * ratio - x, top: (scrollTop + y) * ratio - y, behavior: 'instant' });
  }, [zoom]);
  const zoomBy = useRef((_ratio: number) => {});
  zoomBy.current = (ratio) => setZoom((known) => Math.min(largest, Math.max(smallest, known * ratio)));
  const tap = useRef(onTap);
  tap.current = onTap;
  useEffect(() => {
    if (box.current) return listen(box.current, { zoomBy, held, tap });
  }, []);
  return {
    box,
    zoom,
    zoomIn: zoom < largest ? () => zoomBy.current(step) : undefined,
    zoomOut: zoom > smallest ? () => zoomBy.current(1 / step) : undefined,
  };
}

interface Latest<T> {
  current: T;
}

interface View {
  readonly zoomBy: Latest<(ratio: number) => void>;
  readonly held: Latest<Point | undefined>;
  readonly tap: Latest<Tap | undefined>;
}

const isMovable = ({ target }: Event) => (target as Element).closest('[data-movable="true"]') !== null;

function listen(box: HTMLDivElement, { zoomBy, held, tap }: View): () => void {
  const zoomAt = (ratio: number, x: number, y: number) => {
    const { left, top } = box.getBoundingClientRect();
    held.current = { x: x - left, y: y - top };
    zoomBy.current(ratio);
  };
  let pressed: Point = { x: 0, y: 0 };
  /** Between two fingers. */
  let apart = 0;
  const events = new AbortController();
  const options = { signal: events.signal, passive: false };
  const wheel = (event: WheelEvent) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomAt(2 ** (-event.deltaY / 200), event.clientX, event.clientY);
  };
  const touch = (event: TouchEvent) => {
    const [one, other] = event.touches;
    const was = apart;
    const isDrag = event.type === 'touchmove' && isMovable(event);
    apart = one && other ? Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) : 0;
    // The page stays where it is, of which no style can say so: it counts for nothing within a drawing.
    if (event.cancelable && (isDrag || other)) event.preventDefault();
    if (one && other && was > 0)
      zoomAt(apart / was, (one.clientX + other.clientX) / 2, (one.clientY + other.clientY) / 2);
  };
  const press = (event: PointerEvent) => {
    pressed = { x: event.clientX, y: event.clientY };
    if (event.pointerType !== 'mouse' || event.button !== 0 || isMovable(event)) return;
    const { scrollLeft, scrollTop } = box;
    const push = new AbortController();
    const go = ({ clientX, clientY }: PointerEvent) =>
      box.scrollTo({
        left: scrollLeft + event.clientX - clientX,
        top: scrollTop + event.clientY - clientY,
        behavior: 'instant',
      });
    addEventListener('pointermove', go, { signal: push.signal });
    for (const name of ['pointerup', 'pointercancel'])
      addEventListener(name, () => push.abort(), { signal: push.signal });
  };
  const click = (event: MouseEvent) => {
    const isPush = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > slack;
    // By the keyboard there is no place.
    if (event.detail === 0 || !isPush) tap.current?.(event);
  };
  box.addEventListener('wheel', wheel, options);
  box.addEventListener('touchstart', touch, options);
  box.addEventListener('touchmove', touch, options);
  box.addEventListener('touchend', touch, options);
  box.addEventListener('pointerdown', press, options);
  box.addEventListener('click', click, options);
  return () => events.abort();
}

/** Where something on the screen is on a plan that is drawn in metres. */
export function metresAt(drawing: SVGSVGElement, { clientX, clientY }: { clientX: number; clientY: number }): Point {
  const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(drawing.getScreenCTM()?.inverse());
  return { x, y };
}

/** The middle of what is seen of a plan in the box in which it scrolls. */
export function centreOf(drawing: SVGSVGElement | null): Point {
  const box = drawing?.parentElement?.getBoundingClientRect();
  if (!drawing || !box) return { x: 0, y: 0 };
  return roundPoint(metresAt(drawing, { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 }));
}
