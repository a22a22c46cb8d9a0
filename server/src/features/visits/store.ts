import { boolean, defineTable, number, pointer, text, time } from '../../resources/table.ts';

/** Written by the proximity engine; an objectId begins with the time of the visit's first event. */
export const visitTable = defineTable(
  'visits',
  {
    objectId: text('object_id'),
    beaconId: pointer('beacon_id', 'Beacon'),
    installationId: pointer('installation_id', '_Installation'),
    enteredAt: time('entered_at', { indexed: true, isSet: true }),
    leftAt: time('left_at'),
    dwell: number('dwell'),
    isOpen: boolean('is_open'),
    source: text('source'),
    endedBy: text('ended_by'),
    inferred: boolean('inferred'),
    createdAt: time('created_at'),
    updatedAt: time('updated_at'),
  },
  { pairs: { beacon_id: 'entered_at', installation_id: 'entered_at', is_open: 'entered_at' } },
);
