import type { Restorable } from '../../../resources/restore.ts';
import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { notificationParts } from './routes.ts';

declare module '../../context.ts' {
  interface Context {
    readonly notificationParts: Restorable;
  }
}

export const makers: Makers<Context, 'notificationParts'> = { notificationParts };

export const notificationFeature = ({ notificationParts: { endpoints } }: Context): Feature => ({ endpoints });
