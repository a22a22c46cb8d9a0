import { BarChart, HeatmapChart, LineChart, SankeyChart, ScatterChart } from 'echarts/charts';
import {
  AriaComponent,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  TooltipComponent,
  VisualMapComponent,
} from 'echarts/components';
import { type EChartsCoreOption, init, use } from 'echarts/core';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';

/** Only what the plots need of the library; this file is loaded with the first plot. */
use([
  BarChart,
  LineChart,
  HeatmapChart,
  SankeyChart,
  ScatterChart,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  TooltipComponent,
  VisualMapComponent,
  AriaComponent,
  CanvasRenderer,
  SVGRenderer,
]);

export interface Drawing {
  show(option: EChartsCoreOption): void;
  /** The address of a picture. */
  picture(background: string): string;
  /** The same plot as a drawing that can be scaled. */
  svg(option: EChartsCoreOption, background: string): string;
  dispose(): void;
}

export function draw(element: HTMLElement): Drawing {
  const chart = init(element);
  const watch = new ResizeObserver(() => chart.resize());
  watch.observe(element);
  return {
    // A tooltip of elements would need inline styles, which the content policy refuses.
    show: (option) =>
      chart.setOption({ animation: false, tooltip: { renderMode: 'richText', confine: true }, ...option }, true),
    picture: (backgroundColor) => chart.getDataURL({ type: 'png', pixelRatio: 2, backgroundColor }),
    svg(option, backgroundColor) {
      const [width, height] = [chart.getWidth(), chart.getHeight()];
      const drawn = init(null, null, { renderer: 'svg', ssr: true, width, height });
      drawn.setOption({ animation: false, backgroundColor, ...option });
      const text = drawn.renderToSVGString();
      drawn.dispose();
      return text;
    },
    dispose() {
      watch.disconnect();
      chart.dispose();
    },
  };
}
