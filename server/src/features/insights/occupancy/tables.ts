import { bigint, defineTable, nullable, text } from '../../../db/table.ts';

/** Places with more people than their limit, until that is over. */
export const crowdedPlaces = defineTable({
  name: 'crowded_places',
  owner: 'occupancy',
  columns: {
    app_id: text,
    place_id: text,
    place: text,
    venue_id: text,
    name: text,
    capacity: bigint,
    first_over_at: bigint,
    begun_at: nullable(bigint),
    under_at: nullable(bigint),
  },
  key: ['app_id', 'place_id'],
});
