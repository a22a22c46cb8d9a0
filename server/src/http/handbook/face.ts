/**
 * The colours of the pages that the service itself draws, the handbook and the interface: light and dark, as in the console's
 * `look.css`.
 */
export const colours = {
  text: ['#1c2430', '#e6eaef'],
  soft: ['#5b6675', '#a3afbc'],
  line: ['#e1e6ec', '#2b3541'],
  page: ['#fff', '#12171d'],
  side: ['#f7f9fb', '#161c23'],
  code: ['#f2f5f8', '#1d252e'],
  link: ['#145a93', '#abcfec'],
} as const satisfies Readonly<Record<string, readonly [light: string, dark: string]>>;

const variables = Object.entries(colours).map(([name, [light, dark]]) => `--${name}:light-dark(${light},${dark})`);

export const face = `:root{${variables.join(';')}}`;
