import type { App, AppOptions } from '../../app/app.ts';

/** {@link createApp}, loaded only by a command that serves or works: it is more than half of the program. */
export async function loadApp(options: AppOptions): Promise<App> {
  const { createApp } = await import('../../app/app.ts');
  return createApp(options);
}
