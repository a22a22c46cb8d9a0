import { type Caller, type FindHeld, ownTraces } from '../../../access/caller.ts';
import { venuesFor } from '../../../access/venue-limit.ts';
import { raw, sql } from '../../../base/sql.ts';
import type { Db, Row } from '../../../db/db.ts';
import type { Endpoint } from '../../../http/endpoint.ts';
import { withoutHidden } from '../../../http/member-rules.ts';
import { allowedSql, allowedTo, type RuledTable } from '../../../resources/allowed.ts';
import { tagOfRow } from '../../../resources/entity-tag.ts';
import { phoneViewOf, showPhones } from '../../../resources/members/phone-view.ts';
import { getEndpoint, listEndpoint } from '../../../resources/read-endpoints.ts';
import { events } from './events.ts';
import { showingRivals, withoutAskingForRivals } from './rivals-shown.ts';
import { judgedEventRecord, verdicts } from './verdicts.ts';

/** The verdicts on one event that the caller may list, as JSON texts. */
async function findVerdicts(
  table: RuledTable & { readonly db: Db },
  caller: Caller,
  eventId: string,
): Promise<string[]> {
  const { db } = table;
  const { appId, rules } = caller.app;
  const allowed = await allowedTo(table, 'list', caller);
  const condition = allowed ? allowedSql(db, allowed) : raw('1 = 1');
  // A dot comes right after the dash, so this is the range of everything that begins with the event's id and a dash.
  const [from, until] = [`${eventId}-`, `${eventId}.`];
  const ofEvent = sql`app_id = ${appId} and object_id > ${from} and object_id < ${until} and ${condition}`;
  const rows = await db.all(
    sql`select ${verdicts.records.selection} from verdicts where ${ofEvent} order by object_id`,
  );
  const phones = await phoneViewOf(verdicts.records, caller);
  const shown = phones ? await showPhones(db, verdicts.records, rows, phones) : rows;
  const ruled = rules.of('verdicts');
  if (!ruled.hasMembers) return shown.map(verdicts.records.render);
  return shown.map((row) => JSON.stringify(withoutHidden(verdicts.records.decode(row), ruled, caller)));
}

export function eventEndpoints(db: Db, findHeld: FindHeld): Endpoint[] {
  const ofEvents = {
    ...events,
    db,
    // An EXIT tells when its visit began.
    narrow: ownTraces(findHeld, 'events_installation', ['created_at', 'occurred_at', 'entered_at']),
    showTo: async (caller: Caller) => {
      const show = await showingRivals(db, caller, 'list');
      return show && ((row: Row) => events.records.render(show(row)));
    },
  };
  const ofVerdicts = {
    ...verdicts,
    db,
    narrow: ownTraces(findHeld, 'verdicts_installation', ['created_at', 'decided_at']),
  };
  return [
    withoutAskingForRivals(
      listEndpoint(ofEvents, {
        summary: 'List confirmed events',
        description:
          'Newest first: ENTER, EXIT and the changes of zone that the engine has confirmed. Users see those of their own ' +
          'installations; managers see all.',
        defaultOrder: '-objectId',
        idsFollowOccurrence: true,
      }),
    ),
    getEndpoint(ofEvents, {
      summary: 'Get an event and why each message was shown or not',
      record: judgedEventRecord,
      render: async (row, caller) => {
        const judged = await findVerdicts(ofVerdicts, caller, String(row['object_id']));
        const show = await showingRivals(db, caller, 'get');
        return `${events.records.render(show?.(row) ?? row).slice(0, -1)},"verdicts":[${judged.join(',')}]}`;
      },
      // From the tag of the whole record its rivals could be guessed.
      tagFor: (row, caller) =>
        tagOfRow(events.records, venuesFor(caller, 'events', 'get') === undefined ? row : { ...row, rivals: null }),
    }),
    listEndpoint(ofVerdicts, {
      description:
        'Newest first: for every event and each notification or scenario of its beacon, whether it was shown, and if ' +
        'not, why. Ask by `triggerId`, `installationId`, `eventId`, `reason` and so on. Users see those of their own ' +
        'installations; managers see all.',
      defaultOrder: '-objectId',
    }),
  ];
}
