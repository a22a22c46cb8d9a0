import type { Floor } from '@pharos/sdk';
import type { Point } from '../../../lib/plan/floor-geometry.ts';
import { canonical } from '../../../lib/text/json-compare.ts';
import { t } from '../../../lib/words/words.ts';
import { changeFloor } from './change-floor.ts';

/** The walls of a floor, which are a member of it. */

export interface Wall {
  readonly points: readonly Point[];
}

export interface DrawnWall extends Wall {
  /** Its place among the others. */
  readonly id: string;
  readonly name: string;
}

export const wallsOf = ({ walls = [] }: Pick<Floor, 'walls'>): readonly DrawnWall[] =>
  walls.map(({ points }, at) => ({ id: `wall ${at}`, name: t('Wall {number}', { number: at + 1 }), points }));

/** What is done to all walls of a floor. @throws Error when the wall that it is about is gone */
export type WallChange = (walls: readonly Wall[]) => readonly Wall[];

const isSame = (one: Wall, other: Wall) => canonical(one.points) === canonical(other.points);

export const withWall =
  (wall: Wall): WallChange =>
  (walls) => [...walls, { points: wall.points }];

export const withoutWall =
  (wall: Wall): WallChange =>
  (walls) => {
    const at = indexOf(walls, wall);
    return walls.filter((_, index) => index !== at);
  };

export const withOther =
  (wall: Wall, points: readonly Point[]): WallChange =>
  (walls) => {
    const at = indexOf(walls, wall);
    return walls.map((one, index) => (index === at ? { points } : one));
  };

function indexOf(walls: readonly Wall[], wall: Wall): number {
  const at = walls.findLastIndex((one) => isSame(one, wall));
  if (at < 0) throw new Error(t('Somebody else has changed this wall meanwhile. Look at the plan and do it again.'));
  return at;
}

/** Those that somebody else draws at the same time stay. @throws Error, PharosError */
export const changeWalls = (appId: string, floorId: string, change: WallChange): Promise<void> =>
  changeFloor(appId, floorId, ({ walls = [] }) => ({ walls: change(walls) }));
