import type { Picture } from './pictures.ts';

/** Where a page and its sections are: `slug#anchor` as what a link leads to, and the id of a section; and where pictures come from. */
export interface HandbookLayout {
  readonly href: (to: string) => string;
  readonly id: (slug: string, anchor: string) => string;
  readonly src: (picture: Picture) => string;
  /** Pictures are in the page itself: for light colours only, since they are most of it. */
  readonly embeds: boolean;
}

/** Each page has an address of its own, below that of its edition. */
export const apart = (base = '/handbook'): HandbookLayout => ({
  href: (to) => `${base}/${to}`,
  id: (_, anchor) => anchor,
  src: ({ name }) => `/handbook/images/${name}`,
  embeds: false,
});

const idInOne = (slug: string, anchor?: string) => ['page', slug, anchor].filter(Boolean).join('--');

/** All pages are in one document. */
export const inOne: HandbookLayout = {
  href: (to) => `#${idInOne(...(to.split('#') as [string, string?]))}`,
  id: idInOne,
  src: ({ bytes }) => `data:image/png;base64,${bytes?.toString('base64') ?? ''}`,
  embeds: true,
};
