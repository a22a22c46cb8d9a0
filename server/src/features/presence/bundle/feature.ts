import type { Context } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { bundleEndpoints } from './routes.ts';

/** What phones keep, to decide without a network. */
export const bundleFeature = ({ server, db, learnedOf, signalsOf }: Context): Feature => ({
  endpoints: bundleEndpoints({ server, db, learnedOf, signalsOf }),
});
