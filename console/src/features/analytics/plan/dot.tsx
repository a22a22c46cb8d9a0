import type { Point } from '../../../lib/plan/floor-geometry.ts';

/** Somebody on a plan: a dot where she is, and the circle within which she is believed to be. */

interface DotProps {
  readonly at: Point;
  /** Metres of a pixel on the screen. */
  readonly px: number;
  /** A ring is where somebody is believed to be, a filled dot where they are. */
  readonly isRing?: boolean;
  /** What finds it in the page. */
  readonly mark: Readonly<Record<`data-${string}`, string | number>>;
}

export function Dot({ at, px, isRing = false, mark }: DotProps) {
  return (
    <circle
      {...mark}
      cx={at.x}
      cy={at.y}
      r={5 * px}
      fill={isRing ? '#fff' : '#0c8599'}
      stroke={isRing ? '#e8590c' : '#fff'}
      strokeWidth={(isRing ? 2.4 : 1.4) * px}
    />
  );
}

/** `accuracy` in metres. */
export function Reach({
  at,
  accuracy,
  isRing = false,
}: Pick<DotProps, 'at' | 'isRing'> & { readonly accuracy: number }) {
  return <circle cx={at.x} cy={at.y} r={accuracy} fill={isRing ? '#e8590c' : '#0c8599'} fillOpacity={0.12} />;
}
