import type { Blur } from '../blur.ts';
import type { Makers, Services } from '../services.ts';
import { createRollups } from './analytics/create-rollups.ts';
import { findBlur } from './analytics/numbers/store.ts';
import type { Rollups } from './analytics/rollups.ts';

interface Made {
  readonly findBlur: (appId: string) => Promise<Blur>;
  /** Counts visits. */
  readonly rollups: Rollups;
}

type Offers = typeof import('./offers.ts');
declare module '../services.ts' {
  interface Services extends Made, Offers {}
}

export const makers: Makers<Services, keyof Made> = {
  findBlur: ({ db }) => findBlur.bind(undefined, db),
  rollups: createRollups,
};
