import { useLayoutEffect, useRef, useState } from 'react';

/** How many times as large a plan may be drawn. */
const steps = [1, 1.5, 2, 3, 4, 6, 8] as const;

/**
 * How large a plan is drawn in a box that scrolls; what is in the middle stays there.
 *
 * @param whole at which size all of it is seen, where that is smaller than it is drawn at first
 */
export function useZoom(whole = 1) {
  const box = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState<number>(1);
  const before = useRef(zoom);
  useLayoutEffect(() => {
    const { current } = box;
    const ratio = zoom / before.current;
    before.current = zoom;
    if (!current || ratio === 1) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = current;
    current.scrollTo({
      left: (scrollLeft + clientWidth / 2) * ratio - clientWidth / 2,
      top: (scrollTop + clientHeight / 2) * ratio - clientHeight / 2,
      behavior: 'instant',
    });
  }, [zoom]);
  const sizes = whole < 1 ? [whole, ...steps] : steps;
  const nearer = sizes.find((step) => step > zoom);
  const farther = sizes.findLast((step) => step < zoom);
  return {
    box,
    zoom,
    zoomIn: nearer === undefined ? undefined : () => setZoom(nearer),
    zoomOut: farther === undefined ? undefined : () => setZoom(farther),
  };
}
