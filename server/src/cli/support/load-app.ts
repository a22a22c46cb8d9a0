import type { App, AppOptions } from '../../app/app.ts';
import { version } from '../../config/version.ts';

/** {@link createApp}, loaded only by a command that serves or works: it is more than half of the program. Traces begin here, if wanted. */
export async function loadApp(options: AppOptions): Promise<App> {
  const { createApp } = await import('../../app/app.ts');
  const { otlpUrl: url, otlpShare } = options.config;
  if (url === undefined) return createApp(options);
  const { startTelemetry } = await import('../../base/telemetry/open-telemetry.ts');
  let app: App | undefined;
  const metrics = async () => app?.metrics() ?? [];
  const telemetry = startTelemetry({ url, share: otlpShare / 100, version, metrics });
  try {
    app = await createApp(options);
  } catch (error) {
    await telemetry.stop();
    throw error;
  }
  const { close } = app;
  return Object.assign(app, {
    async close() {
      await close();
      await telemetry.stop();
    },
  });
}
