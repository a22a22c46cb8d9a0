import type { Context, Makers } from '../../context.ts';
import type { Feature } from '../../feature.ts';
import { readAppAttention } from './attention.ts';
import { overviewConsoleEndpoints } from './console-routes.ts';

declare module '../../context.ts' {
  interface Context {
    readonly readAttention: (appId: string) => ReturnType<typeof readAppAttention>;
  }
}

export const makers: Makers<Context, 'readAttention'> = {
  readAttention: (context) => (appId) => readAppAttention(context, appId, context.now()),
};

export const overviewFeature = (context: Context): Feature => ({ consoleEndpoints: overviewConsoleEndpoints(context) });
