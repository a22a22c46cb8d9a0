import L from 'leaflet';
import { type Point, roundPoint } from '../../../../lib/plan/floor-geometry.ts';
import { t } from '../../../../lib/words/words.ts';
import classes from '../../venues.module.css';

export const placeOf = ({ x, y }: Point): L.LatLngTuple => [-y, x];
export const pointOf = ({ lat, lng }: L.LatLng): Point => ({ x: lng, y: -lat });

export interface Handle {
  readonly key: string;
  readonly label: string;
  readonly className: string | undefined;
  /** True unless given. */
  readonly isMovable?: boolean;
  /** The zone or wall to whose corners it does not snap. */
  readonly except?: string;
  readonly onDrag?: (to: Point) => unknown;
  readonly onMove: (to: Point) => void;
}

interface Plan {
  /** Whether anything can be moved now. */
  readonly isMovable: () => boolean;
  readonly snapped: (point: Point, except: string | undefined) => Point;
  /** Nothing is redrawn until the drag ends. */
  readonly hold: () => void;
}

/** The outline of a zone, or a wall. */
interface Outline {
  readonly id: string;
  readonly name: string;
  readonly points: readonly Point[];
  /** The last point is joined to the first. */
  readonly isClosed: boolean;
}

interface Drawn {
  setLatLngs(points: L.LatLngTuple[]): unknown;
}

/** What the mouse, a finger or the arrow keys move on the plan. */
export class MapHandles {
  readonly #layers: L.LayerGroup;
  readonly #plan: Plan;

  constructor(layers: L.LayerGroup, plan: Plan) {
    this.#layers = layers;
    this.#plan = plan;
  }

  add(at: Point, handle: Handle): L.Marker {
    const isMovable = (handle.isMovable ?? true) && this.#plan.isMovable();
    const icon = L.divIcon({ className: handle.className ?? '', iconSize: [16, 16] });
    const marker = L.marker(placeOf(at), { icon, draggable: isMovable, keyboard: true }).addTo(this.#layers);
    marker.on('drag', () => handle.onDrag?.(pointOf(marker.getLatLng())));
    marker.on('dragend', () => handle.onMove(this.#plan.snapped(pointOf(marker.getLatLng()), handle.except)));
    const element = marker.getElement();
    element?.setAttribute('aria-label', handle.label);
    if (element) element.dataset['mapKey'] = handle.key;
    if (isMovable) element?.addEventListener('pointerdown', () => this.#plan.hold());
    // A key that is held down comes again before the plan is drawn anew.
    let now = at;
    element?.addEventListener('keydown', (event) => {
      const step = steps[event.key];
      if (!step || !isMovable) return;
      event.preventDefault();
      event.stopPropagation();
      const far = event.shiftKey ? 1 : 0.1;
      now = roundPoint({ x: now.x + step.x * far, y: now.y + step.y * far });
      handle.onMove(now);
    });
    return marker;
  }

  /** A handle at each corner, and a paler one in the middle of each side that makes a new corner. */
  addCorners(outline: Outline, drawn: Drawn, change: (corners: readonly Point[]) => void): void {
    const { id, name, points, isClosed } = outline;
    const fewest = isClosed ? 3 : 2;
    points.forEach((corner, index) => {
      const replaced = (to: Point) => points.map((point, at) => (at === index ? to : point));
      const handle = this.add(corner, {
        key: `corner ${index}`,
        label: t('Corner {index} of {name}', { index: index + 1, name }),
        className: classes.corner,
        except: id,
        onDrag: (to) => drawn.setLatLngs(replaced(to).map(placeOf)),
        onMove: (to) => change(replaced(to)),
      });
      handle.getElement()?.addEventListener('keydown', ({ key }) => {
        if ((key === 'Delete' || key === 'Backspace') && points.length > fewest)
          change(points.filter((_, at) => at !== index));
      });
      const next = points[index + 1] ?? (isClosed ? points[0] : undefined);
      if (!next) return;
      const between = (to: Point) => [...points.slice(0, index + 1), to, ...points.slice(index + 1)];
      this.add(
        { x: (corner.x + next.x) / 2, y: (corner.y + next.y) / 2 },
        {
          key: `side ${index}`,
          label: t('Side {index} of {name}: moving it makes a corner', { index: index + 1, name }),
          className: classes.side,
          except: id,
          onDrag: (to) => drawn.setLatLngs(between(to).map(placeOf)),
          onMove: (to) => change(between(to)),
        },
      );
    });
  }
}

const steps: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};
