import { useHotkeys } from '@mantine/hooks';
import { useState } from 'react';
import type { Point } from '../../../lib/plan/floor-geometry.ts';
import { t } from '../../../lib/words/words.ts';
import type { Known } from './use-floor.ts';

/** What a click does: choose something, add a corner of a new zone or wall, or a point of the scale. */
export type Mode = 'move' | 'draw' | 'wall' | 'scale';

/** What is chosen, and what is being drawn. */
export function useDrawing(known: Known) {
  const [selected, setSelected] = useState<string>();
  const [mode, setMode] = useState<Mode>('move');
  const [points, setPoints] = useState<readonly Point[]>([]);
  const [snaps, setSnaps] = useState(true);
  const begin = (next: Mode) => {
    setMode(next);
    setPoints([]);
    setSelected(undefined);
  };
  const add = (polygon: readonly Point[]) => {
    known.addZone(polygon, t('Zone {count}', { count: known.zones.length + 1 }), setSelected);
    begin('move');
  };
  const addWall = (wall: readonly Point[]) => {
    known.addWall(wall);
    begin('move');
  };
  const finish = () => (mode === 'wall' ? addWall(points) : add(points));
  const isWhole = (mode === 'draw' && points.length > 2) || (mode === 'wall' && points.length > 1);
  useHotkeys([
    ['mod+Z', known.undo],
    ['Escape', () => begin('move')],
    // Enter on a button or a link is the browser's.
    [
      'Enter',
      ({ target }) => {
        if (isWhole && !(target instanceof Element && target.closest('button, a'))) finish();
      },
      { preventDefault: false },
    ],
  ]);
  const addPoint = (point: Point) => setPoints([...points, point].slice(mode === 'scale' ? -2 : 0));
  return { selected, setSelected, mode, points, addPoint, snaps, setSnaps, begin, add, addWall, isWhole, finish };
}

export type Drawing = ReturnType<typeof useDrawing>;
