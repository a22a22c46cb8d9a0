import L from 'leaflet';
import type { Point } from '../../../lib/plan/floor-geometry.ts';
import { placeOf } from './map-handles.ts';

/**
 * Many beacons as one layer on the canvas of the map: a layer for each costs more at every step of a zoom than drawing them
 * all. It fills in what Leaflet asks of paths, which its types do not tell.
 */

interface Spot extends Point {
  readonly id: string;
  readonly name: string;
}

interface MapBeacon {
  readonly id: string;
  readonly name: string;
  readonly at: Point;
}

interface Inner {
  readonly _map?: L.Map;
  readonly _renderer: {
    readonly _drawing: boolean;
    readonly _ctx: CanvasRenderingContext2D;
    readonly _bounds?: L.Bounds;
    readonly _fillStroke: (context: CanvasRenderingContext2D, layer: L.Path) => void;
  };
  _pxBounds: L.Bounds;
}

const radius = 6;
/** How near a click has to be, pixels; fingers are not exact. */
const reach = 10;

export class Dots extends L.Path {
  readonly #beacons: readonly MapBeacon[];
  #spots: readonly Spot[] = [];
  /** Below the pointer. */
  found: MapBeacon | undefined;

  constructor(beacons: readonly MapBeacon[], labelOf: (beacon: MapBeacon) => HTMLElement) {
    super();
    L.setOptions(this, { color: '#fff', weight: 1.5, fill: true, fillColor: '#145a93', fillOpacity: 1 });
    this.#beacons = beacons;
    this.bindTooltip(() => (this.found ? labelOf(this.found) : ''), { sticky: true });
    this.on('mousemove', () => this.getTooltip()?.setContent(this.found ? labelOf(this.found) : ''));
  }

  get #inner(): Inner {
    return this as unknown as Inner;
  }

  protected _project(): void {
    const map = this.#inner._map;
    if (!map) return;
    this.#spots = this.#beacons.map(({ id, name, at }) => ({ id, name, ...map.latLngToLayerPoint(placeOf(at)) }));
    const bounds = L.bounds(this.#spots.map(({ x, y }) => L.point(x, y)));
    const edge = L.point(reach, reach);
    this.#inner._pxBounds = L.bounds((bounds.min ?? edge).subtract(edge), (bounds.max ?? edge).add(edge));
  }

  protected _update(): void {
    if (this.#inner._map) this._updatePath();
  }

  protected _updatePath(): void {
    const { _drawing, _ctx, _bounds, _fillStroke } = this.#inner._renderer;
    if (!_drawing) return;
    _ctx.beginPath();
    for (const { x, y } of this.#spots) {
      if (_bounds && !_bounds.contains(L.point(x, y))) continue;
      _ctx.moveTo(x + radius, y);
      _ctx.arc(x, y, radius, 0, 2 * Math.PI);
    }
    _fillStroke.call(this.#inner._renderer, _ctx, this);
  }

  protected _containsPoint(point: L.Point): boolean {
    let [nearest, least] = [-1, reach];
    for (const [index, { x, y }] of this.#spots.entries()) {
      const distance = Math.hypot(x - point.x, y - point.y);
      if (distance < least) [nearest, least] = [index, distance];
    }
    this.found = this.#beacons[nearest];
    return nearest >= 0;
  }
}
