import { BarChart, LineChart } from 'echarts/charts';
import { AriaComponent, GridComponent, LegendComponent, MarkAreaComponent, TooltipComponent } from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';

/** Only what most plots need of the library; this file is loaded with the first plot, and `draw-parts/` by the plots that need more. */
use([
  BarChart,
  LineChart,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  TooltipComponent,
  AriaComponent,
  CanvasRenderer,
]);

export interface Drawing {
  show(option: EChartsCoreOption): void;
  picture(background: string): string;
  /** In pixels. */
  size(): { readonly width: number; readonly height: number };
  dispose(): void;
}

export function draw(element: HTMLElement): Drawing {
  // A Sankey throws without a width, as in a page that is hidden.
  const width = () => Math.max(1, element.clientWidth);
  const chart = init(element, null, { width: width() });
  const watch = new ResizeObserver(() => chart.resize({ width: width() }));
  watch.observe(element);
  return {
    // A tooltip of elements would need inline styles, which the content policy refuses.
    show: (option) =>
      chart.setOption({ animation: false, tooltip: { renderMode: 'richText', confine: true }, ...option }, true),
    picture: (backgroundColor) => chart.getDataURL({ type: 'png', pixelRatio: 2, backgroundColor }),
    size: () => ({ width: chart.getWidth(), height: chart.getHeight() }),
    dispose() {
      watch.disconnect();
      chart.dispose();
    },
  };
}
