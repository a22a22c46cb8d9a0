import L from 'leaflet';
import type { Point } from '../../../../lib/plan/floor-geometry.ts';
import { placeOf } from './map-handles.ts';

/**
 * Many beacons as one layer on the canvas of the map: a layer for each costs more at every step of a zoom than drawing them
 * all. It fills in what Leaflet asks of paths, which its types do not tell.
 */

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
  };
  _pxBounds: L.Bounds;
}

const radius = 6;
/** How near a click has to be, pixels; fingers are not exact. */
const reach = 10;

export class Dots extends L.Path {
  readonly #beacons: readonly MapBeacon[];
  readonly #least: Point;
  readonly #most: Point;
  /** Pixels, in the order of the beacons. */
  #spots: readonly Point[] = [];
  /** Below the pointer. */
  found: MapBeacon | undefined;

  constructor(beacons: readonly MapBeacon[], labelOf: (beacon: MapBeacon) => HTMLElement) {
    super();
    L.setOptions(this, { fill: true });
    this.#beacons = beacons;
    const [xs, ys] = [beacons.map(({ at }) => at.x), beacons.map(({ at }) => at.y)];
    this.#least = { x: Math.min(...xs), y: Math.min(...ys) };
    this.#most = { x: Math.max(...xs), y: Math.max(...ys) };
    this.bindTooltip(() => (this.found ? labelOf(this.found) : ''), { sticky: true });
    this.on('mousemove', () => this.getTooltip()?.setContent(this.found ? labelOf(this.found) : ''));
  }

  get #inner(): Inner {
    return this as unknown as Inner;
  }

  protected _project(): void {
    const map = this.#inner._map;
    if (!map) return;
    // Metres become pixels by one factor: asking the map about each of thousands takes longer than drawing them.
    const { x: left, y: top } = map.latLngToLayerPoint(placeOf({ x: 0, y: 0 }));
    const scale = map.getZoomScale(map.getZoom(), 0);
    const pixels = ({ x, y }: Point) => ({ x: Math.round(left + x * scale), y: Math.round(top + y * scale) });
    this.#spots = this.#beacons.map(({ at }) => pixels(at));
    const edge = L.point(reach, reach);
    const [first, last] = [pixels(this.#least), pixels(this.#most)];
    this.#inner._pxBounds = L.bounds(L.point(first.x, first.y).subtract(edge), L.point(last.x, last.y).add(edge));
  }

  protected _update(): void {
    if (this.#inner._map) this._updatePath();
  }

  protected _updatePath(): void {
    const { _drawing, _ctx, _bounds } = this.#inner._renderer;
    if (!_drawing) return;
    const dot = dotPicture();
    const { min = L.point(-Infinity, -Infinity), max = L.point(Infinity, Infinity) } = _bounds ?? {};
    for (const { x, y } of this.#spots)
      if (x >= min.x && x <= max.x && y >= min.y && y <= max.y)
        _ctx.drawImage(dot, x - dotSize / 2, y - dotSize / 2, dotSize, dotSize);
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

/** Twice as many pixels as the screen's CSS pixels, for high-density screens. */
const density = 2;
const dotSize = 2 * radius + 4;
let picture: HTMLCanvasElement | undefined;

/** A dot, drawn once: a path of thousands of circles is filled as one shape, which takes a tenth of a second. */
function dotPicture(): HTMLCanvasElement {
  if (picture) return picture;
  picture = document.createElement('canvas');
  picture.width = picture.height = dotSize * density;
  const context = picture.getContext('2d');
  if (!context) return picture;
  context.scale(density, density);
  context.beginPath();
  context.arc(dotSize / 2, dotSize / 2, radius, 0, 2 * Math.PI);
  context.fillStyle = '#145a93';
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = '#fff';
  context.stroke();
  return picture;
}
