import { type FindHeld, ownTraces } from '../../access/caller.ts';
import type { Db } from '../../db/db.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { getEndpoint, listEndpoint, type ReadOptions } from '../../resources/read-endpoints.ts';
import { eventRecord, judgedEventRecord, verdictRecord } from './schemas.ts';
import { eventTable, findVerdicts, verdictTable } from './store.ts';

const shared = { tag: 'Events', grants: { read: 'user' }, defaultLimit: 100 } as const;

export function eventEndpoints(db: Db, findHeld: FindHeld): Endpoint[] {
  const events: ReadOptions = {
    ...shared,
    db,
    table: eventTable,
    noun: ['event', 'events'],
    title: ['Event', 'Events'],
    path: '/events',
    record: eventRecord,
    // An EXIT tells when its visit began.
    narrow: ownTraces(findHeld, 'events_installation', ['created_at', 'occurred_at', 'entered_at']),
  };
  const verdicts: ReadOptions = {
    ...shared,
    db,
    table: verdictTable,
    noun: ['verdict', 'verdicts'],
    title: ['Verdict', 'Verdicts'],
    path: '/verdicts',
    record: verdictRecord,
    narrow: ownTraces(findHeld, 'verdicts_installation', ['created_at', 'decided_at']),
  };
  return [
    listEndpoint(events, {
      summary: 'List confirmed events',
      description:
        'Newest first: ENTER, EXIT and the changes of zone that the engine has confirmed. Users see those of their own ' +
        'installations; managers see all.',
      defaultOrder: '-objectId',
      idsFollowOccurrence: true,
    }),
    getEndpoint(events, {
      summary: 'Get an event and why each message was shown or not',
      record: judgedEventRecord,
      render: async (row, { app }) => {
        const judged = await findVerdicts(db, app.appId, String(row['object_id']));
        return `${eventTable.render(row).slice(0, -1)},"verdicts":[${judged.join(',')}]}`;
      },
    }),
    listEndpoint(verdicts, {
      description:
        'Newest first: for every event and each notification or scenario of its beacon, whether it was shown, and if ' +
        'not, why. Ask by `triggerId`, `installationId`, `eventId`, `reason` and so on. Users see those of their own ' +
        'installations; managers see all.',
      defaultOrder: '-objectId',
    }),
  ];
}
