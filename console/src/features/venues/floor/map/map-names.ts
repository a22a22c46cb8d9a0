import L from 'leaflet';
import { placeOf } from './map-handles.ts';

/**
 * The names of zones, which grow and shrink as one while the map is zoomed, and have their own size again where it rests. With a layer each,
 * every frame of a zoom styles, draws and puts together all of them. They are placed by the size of a metre (`--metre`).
 */
export class MapNames extends L.Layer {
  readonly #element = document.createElement('div');

  constructor(pane: string) {
    super();
    L.setOptions(this, { pane });
    this.#element.className = 'leaflet-zoom-animated';
  }

  /** `left` and `top` in metres. */
  add(element: HTMLElement, { x, y }: { readonly x: number; readonly y: number }): void {
    element.style.left = `calc(var(--metre) * ${x}px)`;
    element.style.top = `calc(var(--metre) * ${y}px)`;
    this.#element.append(element);
  }

  clear(): void {
    this.#element.replaceChildren();
  }

  override onAdd(): this {
    this.getPane()?.append(this.#element);
    this.#place();
    return this;
  }

  override onRemove(): this {
    this.#element.remove();
    return this;
  }

  override getEvents(): Record<string, L.LeafletEventHandlerFn> {
    return {
      viewreset: () => this.#place(),
      zoom: () => this.#place(),
      zoomanim: (event) => this.#follow(event as L.ZoomAnimEvent),
    };
  }

  /** The map's own step of the animation moves the rest of the way. */
  #follow({ zoom, center }: L.ZoomAnimEvent): void {
    const map = this._map as L.Map & {
      _latLngToNewLayerPoint(at: L.LatLngTuple, zoom: number, center: L.LatLng): L.Point;
    };
    const to = map._latLngToNewLayerPoint(origin, zoom, center);
    L.DomUtil.setTransform(this.#element, to, map.getZoomScale(zoom));
  }

  #place(): void {
    L.DomUtil.setPosition(this.#element, this._map.latLngToLayerPoint(origin));
    this.#element.style.setProperty('--metre', String(this._map.getZoomScale(this._map.getZoom(), 0)));
  }
}

const origin = placeOf({ x: 0, y: 0 });
