import { setTimeout as delay } from 'node:timers/promises';
import { packedTables } from '../../../app/tables.ts';
import { unpackAll } from '../../../cold/unpack.ts';
import { type Command, UsageError } from '../../support/command.ts';
import { withServices } from '../storage.ts';

/** Longer than a query that has begun before, and its connection, may take. */
const waits = 3;

export const unpackCommand: Command = {
  name: 'unpack',
  summary: 'store old records that were packed as single rows again, even while the service runs',
  details:
    'Takes PHAROS_COLD_AFTER_DAYS back: restart every node without it before, or they pack the records again. A small step at a\n' +
    'time, so that nobody waits for it; it can be ended and begun again. Afterwards the records take as much space as before they\n' +
    'were packed.',
  options: { app: { value: 'ID', help: 'the app; all apps without it' } },
  async run(call) {
    const config = call.config();
    if (config.coldAfterDays > 0)
      throw new UsageError('With PHAROS_COLD_AFTER_DAYS old records would be packed again. Remove the setting first.');
    const asked = call.text('app');
    const { rows, isWhole } = await withServices(config, async ({ apps }, db) => {
      const ids = asked === undefined ? (await apps.list()).map(({ appId }) => appId) : [(await apps.get(asked)).appId];
      const scopes = ids.flatMap((appId) => packedTables.map((table) => ({ appId, table })));
      return unpackAll(db, scopes, { wait: () => delay(waits * config.queryDeadlineMs) });
    });
    const done = `Stored ${rows} records as rows again.`;
    const text = isWhole ? done : `${done} Some were packed meanwhile: a node still has PHAROS_COLD_AFTER_DAYS.`;
    return { text, json: { rows, isWhole }, ...(isWhole ? {} : { isFailure: true }) };
  },
};
