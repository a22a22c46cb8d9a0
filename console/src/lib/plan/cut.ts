import type { PlanFrame, Point } from './floor-geometry.ts';

/** The width of the part of a plan that is shown around a place, metres. */
const cutWidth = 24;
const ratio = 4 / 3;

/** The part of a plan around a place, which does not go beyond the plan. */
export function cutAround({ left, top, width, height }: PlanFrame, { x, y }: Point): PlanFrame {
  const across = Math.min(cutWidth, width, height * ratio);
  const down = across / ratio;
  const within = (value: number, first: number, length: number, part: number) =>
    Math.min(Math.max(value - part / 2, first), first + length - part);
  return { left: within(x, left, width, across), top: within(y, top, height, down), width: across, height: down };
}
