import type { Restorable } from '../../../resources/restore.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { venueParts } from './routes.ts';

declare module '../../context.ts' {
  interface Context {
    readonly venueParts: Restorable;
  }
}

export const makers: Makers<Context, 'venueParts'> = { venueParts };

export const venueFeature = ({ venueParts: { endpoints } }: Context): Feature => ({ endpoints });
