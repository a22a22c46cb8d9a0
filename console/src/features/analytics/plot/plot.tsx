import { Button, Group } from '@mantine/core';
import type { EChartsCoreOption } from 'echarts/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { FailureNote, Icon } from '../../../components/page/blocks.tsx';
import { afterPaint } from '../../../lib/actions/after-paint.ts';
import { download } from '../../../lib/actions/download.ts';
import { loadPart } from '../../../lib/actions/load-part.ts';
import { t } from '../../../lib/words/words.ts';
import classes from '../analytics.module.css';
import type { CsvRows } from './csv.ts';
import { SaveCsv } from './csv-button.tsx';
import type { Drawing } from './draw.ts';
import { NumberTable, type PlotTable } from './number-table.tsx';

/** Colours of the page, for a canvas. */
export interface Colours {
  readonly text: string;
  readonly soft: string;
  readonly line: string;
  readonly main: string;
  readonly quiet: string;
  readonly paper: string;
  readonly holiday: string;
  readonly campaign: string;
}

/** An axis of whole numbers. */
export const countAxis = (colours: Colours) => ({
  type: 'value',
  minInterval: 1,
  axisLabel: { color: colours.soft },
  splitLine: { lineStyle: { color: colours.line } },
});

/** What a plot needs of the library beside bars and lines. */
const parts = {
  heat: () => import('./draw-parts/heat.ts'),
  points: () => import('./draw-parts/points.ts'),
  sankey: () => import('./draw-parts/sankey.ts'),
} as const;

let loaded: typeof import('./draw.ts') | undefined;

async function loadDraw(): Promise<typeof import('./draw.ts')> {
  loaded ??= await import('./draw.ts');
  return loaded;
}

/**
 * Loads the plot library after the first paint, while the page fetches its numbers: evaluating it takes a phone longer than the page
 * itself.
 */
export function useDrawingSoon(): void {
  useEffect(() => {
    // If it cannot be loaded, showing a plot reports that.
    afterPaint(() => void loadDraw().catch(() => undefined));
  }, []);
}

/**
 * Whether to show what is below the first plot of a page: after that plot has been drawn, since it also sends requests and draws. If the
 * library is already loaded, it is shown at once, so that somebody who returns to the page finds their scroll position.
 */
export function useBelowPlot(): { readonly isShown: boolean; readonly onDrawn: () => void } {
  useDrawingSoon();
  const [isDrawn, setDrawn] = useState(loaded !== undefined);
  const onDrawn = useCallback(() => setDrawn(true), []);
  return { isShown: isDrawn, onDrawn };
}

interface Props {
  /** What the plot shows, for those who do not see it. */
  readonly label: string;
  readonly option: (colours: Colours, width: number) => EChartsCoreOption;
  readonly table: PlotTable;
  /** The numbers of the plot, named as in the interface. */
  readonly csv: CsvRows;
  /** Of the files, without an ending. */
  readonly fileName: string;
  /** Of a plot with a few bars. */
  readonly isLow?: boolean;
  readonly part?: keyof typeof parts;
  /** It can be seen, or cannot be drawn. */
  readonly onDrawn?: (() => void) | undefined;
}

export function Plot({ label, option, table, csv, fileName, isLow = false, part, onDrawn }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [drawing, setDrawing] = useState<Drawing>();
  const [failure, setFailure] = useState<string>();
  useEffect(() => {
    let made: Drawing | undefined;
    let isGone = false;
    loadPart(() => Promise.all([loadDraw(), part && parts[part]()])).then(
      ([{ draw }]) => {
        if (isGone || !place.current) return;
        made = draw(place.current);
        setDrawing(made);
      },
      (error: Error) => {
        setFailure(error.message);
        onDrawn?.();
      },
    );
    return () => {
      isGone = true;
      made?.dispose();
      setDrawing(undefined);
    };
  }, [part, onDrawn]);
  // The colours of a canvas do not follow the scheme by themselves.
  useEffect(() => {
    const show = () => {
      if (place.current) drawing?.show(option(coloursOf(place.current), place.current.clientWidth));
    };
    show();
    if (drawing) onDrawn?.();
    const watch = new MutationObserver(show);
    watch.observe(document.documentElement, { attributeFilter: [schemeAttribute] });
    const sizes = option.length > 1 && place.current ? new ResizeObserver(show) : undefined;
    if (place.current) sizes?.observe(place.current);
    return () => {
      watch.disconnect();
      sizes?.disconnect();
    };
  }, [drawing, option, onDrawn]);
  const savePicture = () => {
    if (!drawing || !place.current) return;
    const address = drawing.picture(coloursOf(place.current).paper);
    download(`${fileName}.png`, 'image/png', [bytesOf(address)]);
  };
  const saveDrawing = async () => {
    if (!drawing || !place.current) return;
    const colours = coloursOf(place.current);
    const shown = option(colours, place.current.clientWidth);
    try {
      const { svgOf } = await loadPart(() => import('./draw-parts/svg.ts'));
      const text = svgOf(shown, drawing.size(), colours.paper).replaceAll('inherit', 'sans-serif');
      download(`${fileName}.svg`, 'image/svg+xml', [text]);
    } catch (error) {
      setFailure((error as Error).message);
    }
  };
  return (
    <>
      <FailureNote message={failure} />
      <div
        ref={place}
        className={classes.plot}
        role="img"
        aria-label={label}
        data-low={isLow}
        data-drawn={drawing !== undefined}
      />
      <Group gap="xs" justify="space-between" align="flex-start">
        <details className={classes.table}>
          <summary>{t('As a table')}</summary>
          <NumberTable label={label} around={t('{label}: table', { label })} table={table} />
        </details>
        <Group gap="xs">
          <SaveCsv label={label} fileName={fileName} rows={() => csv} />
          <Button
            size="xs"
            leftSection={<Icon name="picture" size={14} />}
            aria-label={t('{label}: save as PNG', { label })}
            disabled={!drawing}
            onClick={savePicture}
          >
            {t('PNG')}
          </Button>
          <Button
            size="xs"
            leftSection={<Icon name="picture" size={14} />}
            aria-label={t('{label}: save as SVG', { label })}
            disabled={!drawing}
            onClick={() => void saveDrawing()}
          >
            {t('SVG')}
          </Button>
        </Group>
      </Group>
    </>
  );
}

const schemeAttribute = 'data-mantine-color-scheme';

function coloursOf(element: HTMLElement): Colours {
  const style = getComputedStyle(element);
  const of = (name: string) => style.getPropertyValue(name).trim();
  const isDark = document.documentElement.getAttribute(schemeAttribute) === 'dark';
  return {
    text: of('--mantine-color-text'),
    soft: of('--soft'),
    line: of('--line'),
    main: of(isDark ? '--mantine-color-blue-4' : '--mantine-color-blue-6'),
    quiet: of('--quiet'),
    paper: of('--mantine-color-body'),
    holiday: of('--holiday'),
    campaign: of('--campaign'),
  };
}

function bytesOf(dataUrl: string): Blob {
  const text = atob(dataUrl.slice(dataUrl.indexOf(',') + 1));
  return new Blob([Uint8Array.from(text, (letter) => letter.charCodeAt(0))], { type: 'image/png' });
}
