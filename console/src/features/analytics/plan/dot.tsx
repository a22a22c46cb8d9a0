import type { Point } from '../../../lib/plan/floor-geometry.ts';
import { t } from '../../../lib/words/words.ts';

/** A visitor on a plan: a dot at the position, the circle of its uncertainty, and the gateways that hear the phone. */

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

interface ReceiverProps extends Point {
  readonly name: string;
  readonly px: number;
}

/** A gateway, as the editor of the floor draws it: a square. */
export function Receiver({ name, x, y, px }: ReceiverProps) {
  const side = 11 * px;
  return (
    <rect
      data-gateway={name}
      x={x - side / 2}
      y={y - side / 2}
      width={side}
      height={side}
      rx={2 * px}
      fill="#5f3dc4"
      stroke="#fff"
      strokeWidth={1.4 * px}
    >
      <title>{t('Receiver (gateway): {name}', { name })}</title>
    </rect>
  );
}
