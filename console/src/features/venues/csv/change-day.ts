import { entityTag, PharosError } from '@pharos/sdk';
import { dataOf } from '../../../lib/data/api.ts';
import type { Exception } from '../venue-fields.ts';

const mostTries = 4;

/**
 * Gives one day of a venue its hours, whatever they were; what somebody else changes of other days at the same time stays.
 *
 * @throws PharosError
 */
export async function changeDay(appId: string, venueId: string, day: Exception): Promise<void> {
  const data = dataOf(appId);
  for (let tries = 1; ; tries++) {
    const venue = await data.venues.get(venueId);
    const others = venue.exceptions.filter(({ date }) => date !== day.date);
    const exceptions = [...others, day].sort((a, b) => (a.date < b.date ? -1 : 1));
    try {
      await data.call('updateVenue', {
        params: { objectId: venueId },
        body: { exceptions },
        ifMatch: entityTag(venue),
      });
      return;
    } catch (error) {
      if (!(error instanceof PharosError && error.status === 412) || tries === mostTries) throw error;
    }
  }
}
