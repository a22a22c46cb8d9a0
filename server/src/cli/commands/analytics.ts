import type { Command } from '../support/command.ts';
import { withServices } from './storage.ts';

export const analyticsCommand: Command = {
  name: 'analytics rebuild',
  summary: 'count the visits and messages of an app anew',
  details:
    'The numbers of hours and days are counted from the visits that are there. Numbers of visits that were deleted because of\ntheir age stay as they are. It may run beside the service.',
  options: {
    app: { value: 'ID', help: 'the app; all apps without it' },
    'current-places': { help: 'count old visits too in the zones in which their beacons are now' },
  },
  async run(call) {
    const asked = call.text('app');
    const counted = await withServices(call.config(), async ({ apps, rollups }) => {
      const ids = asked === undefined ? (await apps.list()).map(({ appId }) => appId) : [(await apps.get(asked)).appId];
      const forgetsPlaces = call.has('current-places');
      for (const appId of ids) await rollups.rebuild(appId, { forgetsPlaces });
      return ids;
    });
    const text = `Counted the visits of ${counted.length === 1 ? 'one app' : `${counted.length} apps`} anew.`;
    return { text, json: { apps: counted } };
  },
};
