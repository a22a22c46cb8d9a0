import { type EChartsCoreOption, init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

use([SVGRenderer]);

/** A plot as a drawing that can be scaled. */
export function svgOf(
  option: EChartsCoreOption,
  size: { readonly width: number; readonly height: number },
  backgroundColor: string,
): string {
  const drawn = init(null, null, { renderer: 'svg', ssr: true, ...size });
  drawn.setOption({ animation: false, backgroundColor, ...option });
  const text = drawn.renderToSVGString();
  drawn.dispose();
  return text;
}
