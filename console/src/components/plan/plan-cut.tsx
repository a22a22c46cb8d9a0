import type { Floor } from '@pharos/sdk';
import { cutAround } from '../../lib/plan/cut.ts';
import type { Point } from '../../lib/plan/floor-geometry.ts';
import { usePlan } from '../../lib/plan/use-plan.ts';
import classes from './plan.module.css';

interface Props {
  readonly appId: string;
  readonly floor: Floor;
  /** In metres. */
  readonly at: Point;
  readonly label: string;
}

/** The plan around a place, with a dot on it; nothing where the floor has no picture. */
export function PlanCut({ appId, floor, at, label }: Props) {
  const { plan } = usePlan(appId, floor);
  if (!plan) return null;
  const { frame, url } = plan;
  const cut = cutAround(frame, at);
  return (
    <svg viewBox={`${cut.left} ${cut.top} ${cut.width} ${cut.height}`} role="img" aria-label={label}>
      <title>{label}</title>
      <image
        href={url}
        x={frame.left}
        y={frame.top}
        width={frame.width}
        height={frame.height}
        preserveAspectRatio="none"
      />
      <circle cx={at.x} cy={at.y} r={cut.width / 14} className={classes.halo} />
      <circle cx={at.x} cy={at.y} r={cut.width / 45} className={classes.dot} />
    </svg>
  );
}
