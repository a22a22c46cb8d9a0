import { entityTag, operations, PharosError } from '@pharos/sdk';
import { changedSince } from '../../../components/import/as-previewed.ts';
import { dataOf } from '../../../lib/data/api.ts';
import { canonical } from '../../../lib/text/json-compare.ts';
import type { Exception } from '../venue-fields.ts';

const maxTries = 4;

const isSame = (one: Exception | undefined, other: Exception | undefined) =>
  canonical(one ?? null) === canonical(other ?? null);

/**
 * Gives one day of a venue its hours, unless somebody else has done so since the preview; what they change of other days at the same time
 * stays.
 *
 * @throws Error whose message is a sentence, PharosError
 */
export async function changeDay(
  appId: string,
  venueId: string,
  { before, day }: { readonly before: Exception | undefined; readonly day: Exception },
): Promise<void> {
  const data = dataOf(appId);
  for (let tries = 1; ; tries++) {
    const venue = await data.venues.get(venueId);
    const now = venue.exceptions.find(({ date }) => date === day.date);
    if (isSame(now, day)) return;
    if (!isSame(now, before)) throw changedSince();
    const others = venue.exceptions.filter(({ date }) => date !== day.date);
    const exceptions = [...others, day].sort((a, b) => (a.date < b.date ? -1 : 1));
    try {
      await data.call(operations.updateVenue, {
        params: { objectId: venueId },
        body: { exceptions },
        ifMatch: entityTag(venue),
      });
      return;
    } catch (error) {
      if (!(error instanceof PharosError && error.status === 412) || tries === maxTries) throw error;
    }
  }
}
