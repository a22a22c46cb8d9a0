import { t } from '../../../lib/words/words.ts';
import 'leaflet/dist/leaflet.css';
import L from 'leaflet';
import { type PlanFrame, type Point, roundPoint, snapTo } from '../../../lib/plan/floor-geometry.ts';
import classes from '../venues.module.css';

/** The plan of a floor as Leaflet draws it. Metres are its units; y runs downwards, as on paper. */

export interface MapZone {
  readonly id: string;
  readonly name: string;
  readonly polygon: readonly Point[];
}

export interface MapBeacon {
  readonly id: string;
  readonly name: string;
  readonly at: Point;
}

export interface Shown {
  readonly plan: { readonly url: string; readonly frame: PlanFrame } | undefined;
  readonly zones: readonly MapZone[];
  readonly beacons: readonly MapBeacon[];
  readonly selected: string | undefined;
  /** What a click does: choose something, add a corner of a new zone, or a point of the scale. */
  readonly mode: 'move' | 'draw' | 'scale';
  /** The corners so far, or the points of the scale. */
  readonly points: readonly Point[];
  /** Zones, and beacons: an editor draws, and installers place. */
  readonly mayEdit: boolean;
  readonly mayPlace: boolean;
  readonly snaps: boolean;
}

export interface MapEvents {
  readonly onSelect: (id: string | undefined) => void;
  readonly onPoint: (point: Point) => void;
  readonly onMoveBeacon: (id: string, to: Point) => void;
  readonly onChangeZone: (id: string, polygon: readonly Point[]) => void;
}

/** More are dots on a canvas; the chosen one alone can be dragged then. */
const mostMarkers = 300;

const placeOf = ({ x, y }: Point): L.LatLngTuple => [-y, x];
const pointOf = ({ lat, lng }: L.LatLng): Point => ({ x: lng, y: -lat });

/** Leaflet would read a text as HTML. */
function words(text: string): HTMLElement {
  const element = document.createElement('span');
  element.textContent = text;
  return element;
}

export class FloorMap {
  readonly #map: L.Map;
  readonly #layers = L.layerGroup();
  readonly #canvas = L.canvas({ padding: 0.3 });
  readonly #events: () => MapEvents;
  #overlay: L.ImageOverlay | undefined;
  #overlayKey = '';
  #isFitted = false;
  #shown: Shown | undefined;
  #isHeld = false;
  /** What came while something was held. */
  #waiting: Shown | undefined;

  /** `events` is asked at each event, so that it sees the page as it is now. */
  constructor(element: HTMLElement, events: () => MapEvents) {
    this.#events = events;
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#map = L.map(element, {
      crs: L.CRS.Simple,
      minZoom: -2,
      maxZoom: 8,
      zoomSnap: 0.25,
      attributionControl: false,
      zoomAnimation: !isStill,
      fadeAnimation: !isStill,
      markerZoomAnimation: !isStill,
      doubleClickZoom: false,
      renderer: this.#canvas,
    }).setView([0, 0], 3);
    const names = this.#map.createPane('names');
    names.style.zIndex = '450';
    this.#layers.addTo(this.#map);
    this.#map.on('click', ({ latlng }) => this.#click(pointOf(latlng)));
  }

  remove(): void {
    this.#waiting = undefined;
    this.#map.remove();
  }

  /** The middle of what is seen. */
  centre(): Point {
    return roundPoint(pointOf(this.#map.getCenter()));
  }

  show(shown: Shown): void {
    // Everything is drawn anew, and what somebody is dragging would be taken out of their hand.
    if (this.#isHeld) {
      this.#waiting = shown;
      return;
    }
    // What has the focus is drawn anew: it keeps it.
    const focused = (document.activeElement as HTMLElement | null)?.dataset['mapKey'];
    this.#shown = shown;
    this.#showPlan(shown.plan);
    this.#layers.clearLayers();
    for (const zone of shown.zones) this.#addZone(zone, zone.id === shown.selected);
    const isCrowded = shown.beacons.length > mostMarkers;
    for (const beacon of shown.beacons) {
      if (isCrowded && beacon.id !== shown.selected) this.#addDot(beacon);
      else this.#addMarker(beacon, beacon.id === shown.selected);
    }
    this.#addPoints(shown);
    if (!this.#isFitted) this.fit();
    if (focused)
      this.#map
        .getContainer()
        .querySelector<HTMLElement>(`[data-map-key="${CSS.escape(focused)}"]`)
        ?.focus();
  }

  /** Until it is let go of. The drag ends in the same turn of the event loop, and says first where to. */
  #hold(): void {
    this.#isHeld = true;
    const letGo = () => {
      for (const name of ['pointerup', 'pointercancel']) removeEventListener(name, letGo, true);
      setTimeout(() => {
        this.#isHeld = false;
        const waiting = this.#waiting;
        this.#waiting = undefined;
        if (waiting) this.show(waiting);
      });
    };
    for (const name of ['pointerup', 'pointercancel']) addEventListener(name, letGo, true);
  }

  /** Shows everything. */
  fit(): void {
    const { plan, zones = [], beacons = [] } = this.#shown ?? {};
    const points = [...zones.flatMap(({ polygon }) => polygon), ...beacons.map(({ at }) => at)];
    if (plan) {
      const { left, top, width, height } = plan.frame;
      points.push({ x: left, y: top }, { x: left + width, y: top + height });
    }
    this.#isFitted = points.length > 0;
    const bounds = L.latLngBounds(points.length > 0 ? points.map(placeOf) : [placeOf({ x: 0, y: 0 }), [-20, 30]]);
    this.#map.fitBounds(bounds.pad(0.04), { animate: false });
  }

  #showPlan(plan: Shown['plan']): void {
    const key = JSON.stringify(plan ?? null);
    if (key === this.#overlayKey) return;
    this.#overlayKey = key;
    this.#overlay?.remove();
    this.#overlay = undefined;
    if (!plan) return;
    const { left, top, width, height } = plan.frame;
    const bounds = L.latLngBounds(placeOf({ x: left, y: top }), placeOf({ x: left + width, y: top + height }));
    this.#overlay = L.imageOverlay(plan.url, bounds, { className: classes.plan ?? '' }).addTo(this.#map);
    this.fit();
  }

  #click(point: Point): void {
    if (this.#shown?.mode === 'move') this.#events().onSelect(undefined);
    else this.#events().onPoint(this.#shown?.mode === 'draw' ? this.#snapped(point) : roundPoint(point));
  }

  #snapped(point: Point, except?: string): Point {
    if (!this.#shown?.snaps) return roundPoint(point);
    const corners = this.#shown.zones.filter(({ id }) => id !== except).flatMap(({ polygon }) => polygon);
    return roundPoint(snapTo(point, corners, 12 / this.#map.getZoomScale(this.#map.getZoom(), 0)));
  }

  #addZone(zone: MapZone, isSelected: boolean): void {
    const polygon = L.polygon(zone.polygon.map(placeOf), {
      color: isSelected ? '#c2410c' : '#2f82c4',
      weight: isSelected ? 3 : 1.5,
      fillOpacity: isSelected ? 0.18 : 0.1,
    }).addTo(this.#layers);
    this.#addName(zone, polygon.getBounds());
    polygon.on('click', (event) => {
      if (this.#shown?.mode !== 'move') return;
      L.DomEvent.stop(event);
      this.#events().onSelect(zone.id);
    });
    if (isSelected && this.#shown?.mayEdit && this.#shown.mode === 'move') this.#addCorners(zone, polygon);
  }

  /** Below the upper side, and below the beacons. */
  #addName({ name }: MapZone, bounds: L.LatLngBounds): void {
    L.tooltip({
      permanent: true,
      direction: 'bottom',
      offset: [0, -4],
      className: classes.zoneName ?? '',
      pane: 'names',
      interactive: false,
    })
      .setLatLng([bounds.getNorth(), bounds.getCenter().lng])
      .setContent(words(name))
      .addTo(this.#layers);
  }

  /** A handle at each corner, and a paler one in the middle of each side that makes a new corner. */
  #addCorners({ id, name, polygon }: MapZone, drawn: L.Polygon): void {
    const change = (corners: readonly Point[]) => this.#events().onChangeZone(id, corners);
    polygon.forEach((corner, index) => {
      const replaced = (to: Point) => polygon.map((point, at) => (at === index ? to : point));
      const handle = this.#addHandle(corner, {
        key: `corner ${index}`,
        label: t('Corner {index} of {name}', { index: index + 1, name }),
        className: classes.corner,
        except: id,
        onDrag: (to) => drawn.setLatLngs(replaced(to).map(placeOf)),
        onMove: (to) => change(replaced(to)),
      });
      handle.getElement()?.addEventListener('keydown', ({ key }) => {
        if ((key === 'Delete' || key === 'Backspace') && polygon.length > 3)
          change(polygon.filter((_, at) => at !== index));
      });
      const next = polygon[(index + 1) % polygon.length] ?? corner;
      const between = (to: Point) => [...polygon.slice(0, index + 1), to, ...polygon.slice(index + 1)];
      this.#addHandle(
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

  #addMarker({ id, name, at }: MapBeacon, isSelected: boolean): void {
    const marker = this.#addHandle(at, {
      key: `beacon ${id}`,
      isMovable: this.#shown?.mayPlace ?? false,
      label: name,
      className: isSelected ? classes.chosen : classes.beacon,
      onMove: (to) => this.#events().onMoveBeacon(id, to),
    });
    marker.bindTooltip(words(name), { direction: 'top', offset: [0, -8], permanent: isSelected });
    marker.on('click', () => this.#shown?.mode === 'move' && this.#events().onSelect(id));
  }

  #addDot({ id, name, at }: MapBeacon): void {
    L.circleMarker(placeOf(at), { radius: 6, color: '#fff', weight: 1.5, fillColor: '#145a93', fillOpacity: 1 })
      .bindTooltip(words(name))
      .on('click', (event) => {
        if (this.#shown?.mode !== 'move') return;
        L.DomEvent.stop(event);
        this.#events().onSelect(id);
      })
      .addTo(this.#layers);
  }

  #addPoints({ points, mode }: Shown): void {
    if (points.length === 0) return;
    const style = { color: '#c2410c', weight: 2, interactive: false };
    L.polyline(points.map(placeOf), { ...style, dashArray: mode === 'draw' ? '6 4' : '' }).addTo(this.#layers);
    for (const point of points) L.circleMarker(placeOf(point), { ...style, radius: 5 }).addTo(this.#layers);
  }

  /** Something that the mouse, a finger or the arrow keys move. */
  #addHandle(at: Point, handle: Handle): L.Marker {
    const isMovable = (handle.isMovable ?? true) && this.#shown?.mode === 'move';
    const icon = L.divIcon({ className: handle.className ?? '', iconSize: [16, 16] });
    const marker = L.marker(placeOf(at), { icon, draggable: isMovable, keyboard: true }).addTo(this.#layers);
    marker.on('drag', () => handle.onDrag?.(pointOf(marker.getLatLng())));
    marker.on('dragend', () => handle.onMove(this.#snapped(pointOf(marker.getLatLng()), handle.except)));
    const element = marker.getElement();
    element?.setAttribute('aria-label', handle.label);
    if (element) element.dataset['mapKey'] = handle.key;
    if (isMovable) element?.addEventListener('pointerdown', () => this.#hold());
    element?.addEventListener('keydown', (event) => {
      const step = steps[event.key];
      if (!step || !isMovable) return;
      event.preventDefault();
      event.stopPropagation();
      const far = event.shiftKey ? 1 : 0.1;
      handle.onMove(roundPoint({ x: at.x + step.x * far, y: at.y + step.y * far }));
    });
    return marker;
  }
}

interface Handle {
  readonly key: string;
  readonly label: string;
  readonly className: string | undefined;
  /** True unless given. */
  readonly isMovable?: boolean;
  /** The zone to whose corners it does not snap. */
  readonly except?: string;
  readonly onDrag?: (to: Point) => unknown;
  readonly onMove: (to: Point) => void;
}

const steps: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};
