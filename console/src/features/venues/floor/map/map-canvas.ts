import L from 'leaflet';

interface Inner {
  readonly _redrawRequest?: number | null;
}

const { _redraw: redraw } = L.Canvas.prototype as unknown as { readonly _redraw: (this: L.Canvas) => void };

/**
 * Leaflet's canvas, which asks for a frame when something is to be drawn. When it draws everything at once it forgets that it has asked:
 * nothing calls the frame off any more when the map is removed before it comes, and it would draw on a canvas that is gone.
 */
export class MapCanvas extends L.Canvas {
  protected _redraw(): void {
    const { _redrawRequest: asked } = this as unknown as Inner;
    if (asked) L.Util.cancelAnimFrame(asked);
    redraw.call(this);
  }
}
