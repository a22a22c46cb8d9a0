import { lazyRouteComponent } from '@tanstack/react-router';
import { loadPart } from '../lib/actions/load-part.ts';

/** The component of a page, loaded when it is first opened. */
export const lazyPage: typeof lazyRouteComponent = (importer, name) =>
  lazyRouteComponent(() => loadPart(importer), name);
