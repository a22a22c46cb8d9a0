import type { Colours } from '../plot/plot.tsx';
import { type Mark, rowsOf } from './marks.ts';

/** Marks as strips above the bars, with their names where there is room for them. */

const stripPixels = 18;
const maxStrips = 5;
/** The legend above, and what is beside the bars: the numbers of the axis. */
const legendPixels = 34;
const besidePixels = 56;
const letterPixels = 6.4;
/** A name cut to fewer letters would be useless. */
const fewestPixels = 34;

export interface Strips {
  /** Where the bars may begin, px. */
  readonly top: number;
  /** For a series of bars. */
  readonly markArea: object;
}

/** `count`: how many intervals the plot has; `width` of it, px. */
export function stripsOf(
  marks: readonly Mark[],
  { count, width, colours }: { readonly count: number; readonly width: number; readonly colours: Colours },
): Strips | undefined {
  if (marks.length === 0) return undefined;
  const rows = rowsOf(marks, maxStrips);
  const each = Math.max(0, width - besidePixels) / count;
  const data = rows.flatMap((row, line) =>
    row.map((mark, index) => {
      const y = legendPixels + line * stripPixels;
      const room = {
        inside: (mark.last + 1 - mark.first) * each,
        after: ((row[index + 1]?.first ?? count) - mark.last - 1) * each,
      };
      return [
        {
          name: mark.name,
          xAxis: mark.first,
          y,
          itemStyle: styleOf(mark, colours),
          label: labelOf(mark, room, colours),
        },
        { xAxis: mark.last, y: y + stripPixels - 4 },
      ];
    }),
  );
  return { top: legendPixels + rows.length * stripPixels + 2, markArea: { silent: true, data } };
}

function styleOf({ kind }: Mark, colours: Colours) {
  const colour = colours[kind];
  return { color: `${colour}40`, borderColor: colour, borderWidth: 1 };
}

interface Room {
  readonly inside: number;
  readonly after: number;
}

/** In the strip, or behind a short one. */
function labelOf({ name }: Mark, { inside, after }: Room, colours: Colours) {
  const wanted = Math.min(name.length * letterPixels, 160);
  const isInside = inside >= wanted || inside >= after;
  const room = (isInside ? inside : after) - 8;
  return {
    show: room >= Math.min(wanted, fewestPixels),
    position: isInside ? 'insideLeft' : 'right',
    distance: 4,
    width: room,
    overflow: 'truncate',
    fontSize: 11,
    color: colours.text,
  };
}
