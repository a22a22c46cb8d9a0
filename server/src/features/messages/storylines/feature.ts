import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { type StorylineParts, storylineParts } from './routes.ts';

declare module '../../context.ts' {
  interface Context {
    readonly storylineParts: StorylineParts;
  }
}

export const makers: Makers<Context, 'storylineParts'> = { storylineParts };

/** Storylines: tours and campaigns over several beacons. */
export const storylineFeature = ({ storylineParts: { endpoints } }: Context): Feature => ({ endpoints });
