import 'leaflet/dist/leaflet.css';
import L from 'leaflet';
import { type Point, roundPoint, snapTo } from '../../../../lib/plan/floor-geometry.ts';
import classes from '../../venues.module.css';
import { Dots } from './map-dots.ts';
import { type Handle, MapHandles, placeOf, pointOf } from './map-handles.ts';
import { MapNames } from './map-names.ts';
import { MapView, type Picture } from './map-view.ts';

/** What Leaflet draws on the plan of a floor. Metres are its units; y runs downwards, as on paper. */

export interface MapZone {
  readonly id: string;
  readonly name: string;
  readonly polygon: readonly Point[];
}

export interface MapWall {
  readonly id: string;
  readonly name: string;
  readonly points: readonly Point[];
}

export interface MapBeacon {
  readonly id: string;
  readonly name: string;
  readonly at: Point;
  /** It stands for a gateway, and looks like one. */
  readonly isGateway?: boolean;
}

export interface Shown {
  readonly plan: Picture | undefined;
  readonly zones: readonly MapZone[];
  readonly walls: readonly MapWall[];
  readonly beacons: readonly MapBeacon[];
  readonly gateways?: readonly MapBeacon[];
  /** Where something is wrong. */
  readonly spots?: readonly Point[];
  readonly way?: readonly Point[];
  readonly selected?: string | undefined;
  /** What a click does: choose something, add a corner of a new zone or wall, or a point of the scale, or say where something is. */
  readonly mode: 'move' | 'draw' | 'wall' | 'scale' | 'place';
  /** The corners so far, or the points of the scale. */
  readonly points: readonly Point[];
  /** Zones, and beacons: an editor draws, and installers place. */
  readonly mayEdit?: boolean;
  readonly mayPlace?: boolean;
  readonly snaps?: boolean;
}

export interface MapEvents {
  readonly onSelect?: (id: string | undefined) => void;
  readonly onPoint: (point: Point) => void;
  readonly onMoveBeacon?: (id: string, to: Point) => void;
  readonly onMoveGateway?: (id: string, to: Point) => void;
  readonly onChangeZone?: (id: string, polygon: readonly Point[]) => void;
  readonly onChangeWall?: (id: string, points: readonly Point[]) => void;
}

interface Named {
  readonly id: string;
  readonly name: string;
  readonly isSelected: boolean;
}

/** More are dots on a canvas; the chosen one alone can be dragged then. */
const maxMarkers = 300;

/** Metres; as large as the squares of which the service says that they are bad. */
const spotRadius = 1.5;

/** Of a bold letter, in its size. */
const letterWidth = 0.8;

/** Leaflet would read a text as HTML. */
function words(text: string): HTMLElement {
  const element = document.createElement('span');
  element.textContent = text;
  return element;
}

const lookOf = (isGateway = false, isSelected = false): string | undefined =>
  isGateway ? (isSelected ? classes.chosenGateway : classes.gateway) : isSelected ? classes.chosen : classes.beacon;

export class FloorMap {
  readonly #view: MapView;
  readonly #layers = L.layerGroup();
  readonly #names = new MapNames('names');
  readonly #events: () => MapEvents;
  readonly #handles = new MapHandles(this.#layers, {
    isMovable: () => this.#shown?.mode === 'move',
    snapped: (point, except) => this.#snapped(point, except),
    hold: () => this.#hold(),
  });
  #shown: Shown | undefined;
  #isHeld = false;
  /** What came while something was held. */
  #waiting: Shown | undefined;

  /** `events` is asked at each event, so that it sees the page as it is now. */
  constructor(element: HTMLElement, events: () => MapEvents) {
    this.#events = events;
    this.#view = new MapView(element, { points: () => this.#points(), isHeld: () => this.#isHeld });
    const { map } = this.#view;
    // Above the beacons.
    map.createPane('names').style.zIndex = '620';
    this.#names.addTo(map);
    this.#layers.addTo(map);
    map.on('click', ({ latlng }) => this.#click(pointOf(latlng)));
  }

  remove(): void {
    this.#waiting = undefined;
    this.#view.remove();
  }

  /** The middle of what is seen. */
  centre(): Point {
    return this.#view.centre();
  }

  show(shown: Shown): void {
    // Everything is redrawn, which would interrupt a drag.
    if (this.#isHeld) {
      this.#waiting = shown;
      return;
    }
    // The focused element is redrawn and keeps the focus.
    const focused = (document.activeElement as HTMLElement | null)?.dataset['mapKey'];
    this.#shown = shown;
    this.#view.showPicture(shown.plan);
    this.#layers.clearLayers();
    this.#names.clear();
    for (const zone of shown.zones) this.#addZone(zone, zone.id === shown.selected);
    this.#addMarks(shown);
    for (const wall of shown.walls) this.#addWall(wall, wall.id === shown.selected);
    const isCrowded = shown.beacons.length > maxMarkers;
    if (isCrowded) this.#addDots(shown.beacons.filter(({ id }) => id !== shown.selected));
    for (const beacon of shown.beacons)
      if (!isCrowded || beacon.id === shown.selected) this.#addMarker(beacon, beacon.id === shown.selected);
    for (const gateway of shown.gateways ?? []) this.#addGateway(gateway, gateway.id === shown.selected);
    this.#addPoints(shown);
    this.#view.fitFirst();
    if (focused)
      this.#view.map
        .getContainer()
        .querySelector<HTMLElement>(`[data-map-key="${CSS.escape(focused)}"]`)
        ?.focus();
  }

  /** Until it is released. The drag ends in the same turn of the event loop, and first says where to. */
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
    this.#view.fit();
  }

  #points(): readonly Point[] {
    const { zones = [], walls = [], beacons = [], gateways = [] } = this.#shown ?? {};
    const corners = [...zones.flatMap(({ polygon }) => polygon), ...walls.flatMap(({ points }) => points)];
    return [...corners, ...[...beacons, ...gateways].map(({ at }) => at)];
  }

  #click(point: Point): void {
    const mode = this.#shown?.mode;
    if (mode === 'move') this.#events().onSelect?.(undefined);
    else this.#events().onPoint(mode === 'draw' || mode === 'wall' ? this.#snapped(point) : roundPoint(point));
  }

  #snapped(point: Point, except?: string): Point {
    if (!this.#shown?.snaps) return roundPoint(point);
    const { zones, walls } = this.#shown;
    const corners = [
      ...zones.filter(({ id }) => id !== except).flatMap(({ polygon }) => polygon),
      ...walls.filter(({ id }) => id !== except).flatMap(({ points }) => points),
    ];
    return roundPoint(snapTo(point, corners, this.#view.metresOf(12)));
  }

  #addMarks({ spots = [], way = [] }: Shown): void {
    const shape = { color: '#c2410c', interactive: false };
    for (const spot of spots)
      L.circle(placeOf(spot), { ...shape, radius: spotRadius, dashArray: '4 4', fillOpacity: 0.2 }).addTo(this.#layers);
    if (way.length > 1) L.polyline(way.map(placeOf), { ...shape, weight: 3 }).addTo(this.#layers);
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
      this.#events().onSelect?.(zone.id);
    });
    if (isSelected && this.#shown?.mayEdit && this.#shown.mode === 'move')
      this.#handles.addCorners({ ...zone, points: zone.polygon, isClosed: true }, polygon, (corners) =>
        this.#events().onChangeZone?.(zone.id, corners),
      );
  }

  #addWall(wall: MapWall, isSelected: boolean): void {
    const line = L.polyline(wall.points.map(placeOf), {
      color: isSelected ? '#c2410c' : '#3b4656',
      weight: isSelected ? 5 : 4,
      lineCap: 'square',
    }).addTo(this.#layers);
    line.on('click', (event) => {
      if (this.#shown?.mode !== 'move') return;
      L.DomEvent.stop(event);
      this.#events().onSelect?.(wall.id);
    });
    if (isSelected && this.#shown?.mayEdit && this.#shown.mode === 'move')
      this.#handles.addCorners({ ...wall, isClosed: false }, line, (corners) =>
        this.#events().onChangeWall?.(wall.id, corners),
      );
  }

  /** Below the upper side; where the zone is narrow on several lines, and smaller if a word would not fit. */
  #addName({ name }: MapZone, bounds: L.LatLngBounds): void {
    const text = words(name);
    const width = bounds.getEast() - bounds.getWest();
    text.style.maxWidth = `calc(var(--metre) * ${width}px)`;
    const longest = Math.max(...name.split(/[\s-]/).map((word) => word.length));
    text.style.setProperty('--most', String(width / (letterWidth * longest)));
    const element = document.createElement('div');
    element.className = classes.zoneName ?? '';
    element.append(text);
    this.#names.add(element, { x: bounds.getCenter().lng, y: -bounds.getNorth() });
  }

  #addMarker({ id, name, at, isGateway }: MapBeacon, isSelected: boolean): void {
    this.#addHandle({ id, name, isSelected }, at, {
      key: `beacon ${id}`,
      isMovable: this.#shown?.mayPlace ?? false,
      label: name,
      className: lookOf(isGateway, isSelected),
      onMove: (to) => this.#events().onMoveBeacon?.(id, to),
    });
  }

  #addGateway({ id, name, at }: MapBeacon, isSelected: boolean): void {
    this.#addHandle({ id, name, isSelected }, at, {
      key: id,
      isMovable: this.#shown?.mayEdit ?? false,
      label: name,
      className: lookOf(true, isSelected),
      onMove: (to) => this.#events().onMoveGateway?.(id, to),
    });
  }

  #addHandle({ id, name, isSelected }: Named, at: Point, handle: Handle): void {
    const marker = this.#handles.add(at, handle);
    // What is chosen can be dragged, whatever else is at its place.
    if (isSelected) marker.setZIndexOffset(10_000);
    marker.bindTooltip(words(name), { direction: 'top', offset: [0, -8], permanent: isSelected });
    marker.on('click', () => this.#shown?.mode === 'move' && this.#events().onSelect?.(id));
  }

  #addDots(beacons: readonly MapBeacon[]): void {
    new Dots(beacons, ({ name }) => words(name))
      .on('click', (event) => {
        if (this.#shown?.mode !== 'move') return;
        L.DomEvent.stop(event);
        this.#events().onSelect?.((event.target as Dots).found?.id);
      })
      .addTo(this.#layers);
  }

  #addPoints({ points, mode }: Shown): void {
    if (points.length === 0) return;
    const style = { color: '#c2410c', weight: 2, interactive: false };
    L.polyline(points.map(placeOf), { ...style, dashArray: mode === 'scale' ? '' : '6 4' }).addTo(this.#layers);
    for (const point of points) L.circleMarker(placeOf(point), { ...style, radius: 5 }).addTo(this.#layers);
  }
}
