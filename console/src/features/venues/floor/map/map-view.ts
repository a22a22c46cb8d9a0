import L from 'leaflet';
import { type PlanFrame, type Point, roundPoint } from '../../../../lib/plan/floor-geometry.ts';
import classes from '../../venues.module.css';
import { placeOf, pointOf } from './map-handles.ts';

interface Inner {
  readonly _redrawRequest?: number | null;
}

const { _redraw: redraw } = L.Canvas.prototype as unknown as { readonly _redraw: (this: L.Canvas) => void };

/**
 * Leaflet's canvas, which asks for a frame when something is to be drawn. When it draws everything at once it forgets that it has asked:
 * nothing calls the frame off any more when the map is removed before it comes, and it would draw on a canvas that is gone.
 */
class MapCanvas extends L.Canvas {
  protected _redraw(): void {
    const { _redrawRequest: asked } = this as unknown as Inner;
    if (asked) L.Util.cancelAnimFrame(asked);
    redraw.call(this);
  }
}

/** The picture of a floor and where it lies. */
export interface Picture {
  readonly url: string;
  readonly frame: PlanFrame;
}

interface Drawn {
  /** All corners and places, so that everything can be shown. */
  readonly points: () => readonly Point[];
  /** Whether somebody is dragging something, and the view has to stay. */
  readonly isHeld: () => boolean;
}

/** What is seen of a floor: the map itself, how far it is zoomed and moved, and the picture below everything. */
export class MapView {
  readonly map: L.Map;
  readonly #drawn: Drawn;
  #picture: Picture | undefined;
  #overlay: L.ImageOverlay | undefined;
  #isFitted = false;
  /** Nobody has moved or zoomed it since it was fitted: it is fitted again when there is more or less room. */
  #isWhole = false;
  readonly #room = new ResizeObserver(() => this.#changeRoom());

  constructor(element: HTMLElement, drawn: Drawn) {
    this.#drawn = drawn;
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.map = L.map(element, {
      crs: L.CRS.Simple,
      minZoom: -2,
      maxZoom: 8,
      zoomSnap: 0,
      attributionControl: false,
      zoomControl: false,
      zoomAnimation: !isStill,
      fadeAnimation: !isStill,
      markerZoomAnimation: !isStill,
      doubleClickZoom: false,
      renderer: new MapCanvas({ padding: 0.3 }),
    }).setView([0, 0], 3);
    // The names of rooms are at their tops.
    L.control.zoom({ position: 'bottomright' }).addTo(this.map);
    const isMoved = () => {
      this.#isWhole = false;
    };
    this.map.on({ movestart: isMoved, zoomstart: isMoved });
    this.#room.observe(element);
  }

  remove(): void {
    this.#room.disconnect();
    this.map.remove();
    // Leaflet waits for the end of a zoom with a timer that it does not stop.
    (this.map as unknown as { _animatingZoom: boolean })._animatingZoom = false;
  }

  centre(): Point {
    return roundPoint(pointOf(this.map.getCenter()));
  }

  metresOf(pixels: number): number {
    return pixels / this.map.getZoomScale(this.map.getZoom(), 0);
  }

  /** Shows everything. */
  fit(): void {
    const points = [...this.#drawn.points()];
    if (this.#picture) {
      const { left, top, width, height } = this.#picture.frame;
      points.push({ x: left, y: top }, { x: left + width, y: top + height });
    }
    this.#isFitted = points.length > 0;
    const bounds = L.latLngBounds(points.length > 0 ? points.map(placeOf) : [placeOf({ x: 0, y: 0 }), [-20, 30]]);
    this.map.fitBounds(bounds.pad(0.02), { animate: false });
    this.#isWhole = true;
  }

  /** Shows everything unless something has been shown before. */
  fitFirst(): void {
    if (!this.#isFitted) this.fit();
  }

  showPicture(picture: Picture | undefined): void {
    if (JSON.stringify(picture) === JSON.stringify(this.#picture)) return;
    this.#picture = picture;
    this.#overlay?.remove();
    this.#overlay = undefined;
    if (!picture) return;
    const { left, top, width, height } = picture.frame;
    const bounds = L.latLngBounds(placeOf({ x: left, y: top }), placeOf({ x: left + width, y: top + height }));
    this.#overlay = L.imageOverlay(picture.url, bounds, { className: classes.plan ?? '' }).addTo(this.map);
    this.fit();
  }

  /** The window, or what is beside the plan, has become larger or smaller. */
  #changeRoom(): void {
    this.map.invalidateSize({ animate: false });
    if (this.#isWhole && !this.#drawn.isHeld()) this.fit();
  }
}
