import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../app/app.ts';
import type { AppCredentials } from '../../features/operate/apps/keys.ts';

/** What only the first start prints. */
export interface FirstStart {
  readonly setupUrl: string | undefined;
  readonly app: (AppCredentials & { readonly file: string; readonly lines: readonly string[] }) | undefined;
  readonly hasAdmin: boolean;
}

/** Creates the set-up link and the first app if there are none. Call it once the service listens. */
export async function makeFirstStart(app: App, dataFolder: string): Promise<FirstStart> {
  const token = await app.admins.makeSetupToken();
  const first = await app.apps.createFirst('First app');
  const url = app.publicUrl();
  return {
    // The part after the # is sent to no server and appears in no log.
    setupUrl: token === undefined ? undefined : `${url}/console/setup#${token}`,
    app: first && { ...first, ...(await writeCredentials(first, url, dataFolder)) },
    hasAdmin: await app.admins.hasAdmin(),
  };
}

/** A file that a shell can read, for a first session with curl. */
async function writeCredentials({ appId, appKey }: AppCredentials, url: string, dataFolder: string) {
  const file = join(dataFolder, 'first-app.env');
  const lines = [`export APP_ID=${appId}`, `export APP_KEY=${appKey}`, `export BASE_URL=${url}`];
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
  return { file, lines };
}
