import { bigint, defineTable, nullable, text } from '../../../db/table.ts';

/** Places where there are more people than may be, until it is over. */
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
